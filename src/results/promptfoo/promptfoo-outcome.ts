import { cutText } from "../../base/cut-text.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { RowResult } from "../../model/results.ts";
import type { RecordReader } from "../record.ts";

/** One assertion as it was graded. */
interface Component {
  readonly type: string;
  readonly pass: boolean;
  /** Without the stack trace. */
  readonly reason: string;
  /** The tool's own mark for a fault of the judge rather than of the answer. */
  readonly isJudgeError: boolean;
}

/**
 * Outcome of a row. promptfoo distinguishes errors of the provider from failed assertions; a failing judge and an
 * assertion that throws are recorded as failed assertions, and only their reasons tell.
 */
export function promptfooOutcome(record: RecordReader): RowResult {
  const failure = record.needed("failureReason", record.number);
  if (failure === failures.error) return errorOf(record);
  if (record.value("success") === false && record.value("response.output") === undefined) {
    const message = record.text("error") ?? "No output";
    return { kind: "failed", type: "no_output", message: firstLines(message) };
  }
  return brokenOf(record) ?? { kind: "scored" };
}

const failures = { none: 0, assertion: 1, error: 2 } as const;

/** Providers that are the user's own program instead of a model's API. */
const ownProgram =
  /^(?:exec|file|python|golang|ruby|javascript|package|https?|wss?|webhook|browser|mcp|sequence|manual-input)\b[:-]?|\.(?:py|m?js|ts|rb|go|sh)(?::\w+)?$/i;

/** HTTP statuses of the environment's errors: too many requests, no key, an unknown address, the server's own failure. */
const surroundings = [401, 402, 403, 404, 407, 408, 409, 425, 429];

const network =
  /time[d]? ?out|fetch failed|socket hang up|ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|UND_ERR|rate limit|quota|overloaded|API key/i;

/**
 * Errors that promptfoo doesn't classify are attributed to the scorer: on the head's side that counts as the worst score,
 * on the base's it doesn't count.
 */
function errorOf(record: RecordReader): RowResult {
  const message = record.text("error") ?? "";
  const told = { message: firstLines(message) };
  if (message.startsWith("Evaluation exceeded max duration"))
    return { kind: "ungraded", type: "stopped", ...told };
  if (record.value("response.error") === undefined && record.value("response.output") !== undefined)
    return { kind: "invalid", type: "assertion_error", ...told };
  const provider = record.text("provider.id") ?? "";
  if (ownProgram.test(provider)) return { kind: "failed", type: "candidate_error", ...told };
  const status = statusOf(record, message);
  if (status !== undefined)
    return status >= 500 || surroundings.includes(status)
      ? { kind: "ungraded", type: `http_${status}`, ...told }
      : { kind: "failed", type: `http_${status}`, ...told };
  const isProviders = /^(?:Error: )?(?:API |Evaluation timed out)/.test(message);
  if (isProviders && network.test(firstLines(message)))
    return { kind: "ungraded", type: "provider_unreachable", ...told };
  return isThrownByProvider(message)
    ? { kind: "failed", type: "candidate_error", ...told }
    : { kind: "invalid", type: "error", ...told };
}

/** Whether the exception came from the provider's own function: promptfoo appends the stack to the message. */
function isThrownByProvider(message: string): boolean {
  const stack = /\n[^\S\n]*(?:Stack Trace: |at )[\s\S]*$/.exec(message)?.[0] ?? "";
  return /\bcallApi\b/.test(stack) && !/\brunAssertions?\b/.test(stack);
}

function statusOf(record: RecordReader, message: string): number | undefined {
  const status = record.value("response.metadata.http.status");
  if (typeof status === "number") return status;
  const told = /^(?:Error: )?API (?:call )?error: (\d{3})\b/.exec(message)?.[1];
  return told === undefined ? undefined : Number(told);
}

/** Assertions that ask a model, with `not-` or without. */
const judged =
  /rubric|factuality|model-graded|g-eval|relevance|context-|similar|classifier|moderation|select-best|faithful|^pi$/;

const judgeFailed =
  /^(?:API |No output$|Moderation API error|Search rubric evaluation failed|Could not extract JSON from|.{0,60} produced malformed response)/;

const codeFailed =
  /^(?:Custom function (?:threw|must return|returned)|(?:Python|Ruby) code execution failed|Webhook error|Invalid regex pattern|Scoring function error)/;

/**
 * The result of a row with an assertion that could not be decided, which makes the row's score worthless; undefined if
 * all could be.
 */
function brokenOf(record: RecordReader): RowResult | undefined {
  const components = componentsOf(record);
  const judge = components.find(
    ({ isJudgeError, pass, type, reason }) =>
      isJudgeError || (!pass && judged.test(type) && judgeFailed.test(reason)),
  );
  const overall = record.text("gradingResult.reason") ?? "";
  const code =
    components.find(({ pass, reason }) => !pass && codeFailed.test(reason))?.reason ??
    (codeFailed.test(overall) ? firstLines(overall) : undefined);
  // This is checked first, because it weighs more: a pair that is left out could hide it.
  if (code !== undefined) return { kind: "invalid", type: "assertion_error", message: code };
  if (judge !== undefined) return { kind: "ungraded", type: "judge", message: judge.reason };
  const hasScore = record.value("score") !== undefined;
  if (hasScore) return undefined;
  return {
    kind: "invalid",
    type: "no_score",
    message: "an assertion gave a score that is no number",
  };
}

/** The row's assertions with their results. */
export function componentsOf(record: RecordReader): readonly Component[] {
  return (record.list("gradingResult.componentResults") ?? []).flatMap((component: Json) => {
    // An assertion without a result is null: the one before it ended the grading.
    if (!isJsonObject(component)) return [];
    const { assertion, metadata, pass, reason } = component;
    const type = isJsonObject(assertion) ? assertion["type"] : undefined;
    return [
      {
        type: typeof type === "string" ? type : "",
        pass: pass === true,
        reason: typeof reason === "string" ? firstLines(reason) : "",
        isJudgeError: isJsonObject(metadata) && metadata["graderError"] === true,
      },
    ];
  });
}

const longestReason = 1000;

function firstLines(text: string): string {
  return cutText(text.replace(/\n(?:Stack Trace: |[^\S\n]+at )[\s\S]*$/, ""), longestReason);
}
