import { cutText } from "../../base/cut-text.ts";
import type { RowResult } from "../../model/results.ts";
import type { RecordReader } from "../record.ts";

/**
 * Outcome of a run. Graders' scores count, even if the agent's answer reported an error, which counts as not passed. An
 * error without any grade is classified by its text: nobody's fault, the grader's, or the agent's.
 */
export function runOutcome(record: RecordReader, graders: number): RowResult {
  const status = record.needed("status", record.text) ?? "";
  if (status === "passed" || status === "failed") return { kind: "scored" };
  if (status !== "error") {
    const expected = "passed, failed, error or skipped";
    record.complain("status", { found: JSON.stringify(status), expected });
  }
  const message = record.text("error_msg") ?? "";
  const result = errorOf(message);
  return graders > 0 && result.kind !== "ungraded" ? { kind: "scored" } : result;
}

/** Outcome of a trigger prompt that could not be asked; waza counts it as wrong. */
export function triggerOutcome(record: RecordReader): RowResult {
  const message = record.text("error_msg") ?? "";
  return message === "" ? { kind: "scored" } : errorOf(message);
}

/** Errors of the environment: no network, no key, too many requests, the server's own failure. */
const surroundings =
  /ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|fetch failed|socket hang up|connection (?:refused|reset|closed)|no such host|network is unreachable|TLS handshake|i\/o timeout|unexpected EOF|rate.?limit|too many requests|quota|overloaded|unauthori[sz]ed|authenticat|API key|service unavailable|bad gateway|gateway time-?out|internal server error|(?:status|code|HTTP|error)\W{0,3}(?:40[1378]|429|5\d\d)\b|copilot (?:cli|client|server).{0,40}(?:start|connect|not found)|failed to (?:start|create|initiali[sz]e) (?:the )?(?:copilot|client|session|engine)/i;

const graderFailed =
  /^(?:failed to (?:create|run|execute|load|build) (?:the )?grader|grader\b|.{0,80}grader .{0,80}(?:failed|error))/i;

const tookTooLong = /deadline exceeded|timed? ?out/i;

/**
 * Unclear errors are attributed to the grader: on the head's side that counts as the worst score, on the base's it
 * doesn't count.
 */
function errorOf(message: string): RowResult {
  const told = { message: message === "" ? "waza recorded an error" : cutText(message, longest) };
  if (surroundings.test(message)) return { kind: "ungraded", type: "surroundings", ...told };
  if (graderFailed.test(message)) return { kind: "invalid", type: "grader_error", ...told };
  if (tookTooLong.test(message)) return { kind: "failed", type: "timeout", ...told };
  return { kind: "invalid", type: "error", ...told };
}

const longest = 1000;
