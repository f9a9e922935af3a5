import { ownValue } from "../../model/own-value.ts";
import { cutText } from "../../base/cut-text.ts";
import { valueText } from "../../base/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Problem } from "../../model/refusal.ts";
import type { ResultRow, RowResult } from "../../model/results.ts";
import type { Usage } from "../../model/outcomes/sample.ts";
import type { InspectHeader } from "./inspect.ts";
import { mostRepeats } from "../fields.ts";
import { scoresOf } from "./inspect-scores.ts";
import { readRecord, type RecordReader } from "../record.ts";
import type { ToolMetrics } from "../tool-metrics.ts";

export interface InspectSampleReader {
  /** Reads a sample of the log; returns all problems if it can't be mapped. */
  readonly read: (
    sample: JsonObject,
    at: string,
  ) => ResultRow | { readonly problems: readonly Problem[] };
}

/** A reader for the samples of one log. */
export function createSampleReader(
  file: string,
  known: {
    readonly header: InspectHeader;
    readonly metrics: ToolMetrics;
    readonly wanted: readonly string[];
  },
): InspectSampleReader {
  const { header, metrics, wanted } = known;
  return {
    read: (sample, at) => {
      const record = readRecord(sample, { file, at });
      const id = record.needed("id", record.value);
      const epoch = epochOf(record);
      const input = record.needed("input", record.value) ?? null;
      const { scores: all, known: ranges } = scoresOf(record, wanted);
      const scores = metrics.take(all, ranges);
      const result = resultOf(record, Object.keys(scores).length > 0);
      const row: ResultRow = {
        at,
        task: header.task,
        candidate: header.model,
        id: header.isNumbered || id === undefined ? null : valueText(id),
        input: inputOf(input, record.value("choices")),
        repeat: epoch - 1,
        prompt: promptOf(input),
        target: textOf(record.value("target")),
        output: textOf(record.value("output.completion")),
        result,
        scores: result.kind === "scored" ? scores : {},
        explanation: explanationOf(record),
        judgedBy: header.judgedBy,
        ...header.judges,
        fields: fieldsOf(record.object("metadata") ?? {}),
        usage: usageOf(record, header.model),
        latencyMs: latencyOf(record),
      };
      if (typeof id !== "string" && typeof id !== "number" && id !== undefined)
        record.complain("id", { found: "no name", expected: "a text or a number" });
      return record.problems.length === 0 ? row : { problems: record.problems };
    },
  };
}

/** Inspect counts epochs from 1. */
function epochOf(record: RecordReader): number {
  const epoch = record.needed("epoch", record.number) ?? 1;
  if (Number.isSafeInteger(epoch) && epoch >= 1 && epoch <= mostRepeats) return epoch;
  const expected = `a whole number from 1 to ${mostRepeats}`;
  record.complain("epoch", { found: String(epoch), expected });
  return 1;
}

/** A sample with an error may be scored nevertheless, if the task asks for it: then its score counts. */
function resultOf(record: RecordReader, isScored: boolean): RowResult {
  if (record.value("invalidation") !== undefined) {
    const message =
      record.text("invalidation.reason") ?? "The log was edited: the sample is invalid.";
    return { kind: "ungraded", type: "invalidated", message };
  }
  if (isScored) return { kind: "scored" };
  const error = record.object("error");
  if (error !== undefined) return errorOf(error);
  const limit = record.text("limit.type");
  if (limit === "operator")
    return { kind: "ungraded", type: "stopped", message: "The operator stopped the sample." };
  if (limit !== undefined)
    return {
      kind: "failed",
      type: `limit_${limit}`,
      message: `The sample reached its ${limit} limit.`,
    };
  // The sample was answered: a missing score is the scorer's fault, and removing a score must not help.
  const message = "No scorer gave the sample a score.";
  return { kind: "invalid", type: "unscored", message };
}

/** Removes the messages' ids, which are new in each run. */
function inputOf(input: Json, choices: Json | undefined): Json {
  const asked = Array.isArray(input)
    ? input.map((message: Json) => (isJsonObject(message) ? without(message, "id") : message))
    : input;
  return choices === undefined ? asked : { input: asked, choices };
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function promptOf(input: Json): string | null {
  if (!Array.isArray(input)) return textOf(input);
  const messages = input.flatMap((message: Json) => {
    if (!isJsonObject(message)) return [];
    const text = textOf(message["content"]);
    return text === null ? [] : [`${valueText(message["role"])}: ${text}`];
  });
  return messages.join("\n\n");
}

/** A target may be a list of accepted answers. */
function textOf(value: Json | undefined): string | null {
  if (value === undefined || value === null || value === "") return null;
  const isTexts = Array.isArray(value) && value.every((each) => typeof each === "string");
  return isTexts ? value.join(", ") : valueText(value);
}

const longestExplanation = 4000;

function explanationOf(record: RecordReader): string | null {
  const told = Object.entries(record.object("scores") ?? {}).flatMap(([name, score]) => {
    const text = isJsonObject(score) ? score["explanation"] : undefined;
    return typeof text === "string" && text !== "" ? [`${name}: ${text}`] : [];
  });
  return told.length === 0 ? null : cutText(told.join("\n"), longestExplanation);
}

/** Longer values are texts rather than groups to count by. */
const longestField = 200;

function fieldsOf(metadata: JsonObject): Readonly<Record<string, string>> {
  const fields = Object.entries(metadata).flatMap(([name, value]) => {
    const text = valueText(value);
    const isShort = !isJsonObject(value) && text !== "" && text.length <= longestField;
    return isShort ? [[`metadata.${name}`, text] as const] : [];
  });
  return Object.fromEntries(fields);
}

/** Usage of the candidate's model; judges are other models. A model in both roles can't be separated. */
function usageOf(record: RecordReader, model: string): Usage | null {
  const models = record.object("model_usage") ?? {};
  const own = ownValue(models, model);
  if (!isJsonObject(own)) return null;
  const tokens = (name: string): number => {
    const value = own[name];
    return typeof value === "number" ? value : 0;
  };
  const usd = own["total_cost"];
  return {
    input_tokens: tokens("input_tokens"),
    output_tokens: tokens("output_tokens"),
    cached_tokens: tokens("input_tokens_cache_read"),
    reasoning_tokens: tokens("reasoning_tokens"),
    usd: typeof usd === "number" ? usd : null,
  };
}

/** The latency without the time spent waiting for other samples and for a provider's limits. */
function latencyOf(record: RecordReader): number | null {
  const seconds = record.number("working_time") ?? record.number("total_time");
  return seconds === undefined ? null : seconds * 1000;
}

/** Error names, in Python and in providers' packages, for failures that are nobody's fault. */
const surroundings =
  /^(?:\w*Timeout\w*|\w*Connect(?:ion)?\w*Error|\w*RateLimit\w*|\w*Throttl\w*|InternalServerError|ServerError|ServiceUnavailable\w*|\w*Overloaded\w*|ReadError|RemoteProtocolError|RetryError|MaxRetryError|gaierror|AuthenticationError|PermissionDeniedError|NotFoundError|PrerequisiteError)$/;

const longestMessage = 1000;

/**
 * Inspect stores a traceback of an error and not its cause. An error of a model's API is the environment's or, if the API
 * refused the request, the candidate's; an error in a solver is the candidate's. Any other is attributed to the scorer:
 * on the head's side that counts as the worst score, on the base's it doesn't count.
 */
function errorOf(error: JsonObject): RowResult {
  const text = (key: string): string => {
    const value = error[key];
    return typeof value === "string" ? value : "";
  };
  const [message, traceback] = [text("message"), text("traceback")];
  const name = /^([\w.]+)\(/.exec(message)?.[1]?.split(".").at(-1) ?? "";
  const told = { type: name === "" ? "error" : name, message: cutText(message, longestMessage) };
  if (/[\\/]inspect_ai[\\/]model[\\/]/.test(traceback)) {
    const kind = surroundings.test(name) ? "ungraded" : "failed";
    return { kind, ...told };
  }
  const isSolvers = /[\\/]inspect_ai[\\/](?:solver|agent)[\\/]/.test(traceback);
  return { kind: isSolvers ? "failed" : "invalid", ...told };
}
