import { ownValue } from "../model/own-value.ts";
import { readField, valueText } from "../base/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Problem } from "../model/refusal.ts";
import type { ResultRow, RowResult } from "../model/results.ts";
import type { Scores, Usage } from "../model/outcomes/sample.ts";
import { createFieldReader, names, namesOf, numberIn, shown } from "./fields.ts";
import type { FieldReader, RowReading } from "./fields.ts";
import { metricId } from "./metric-id.ts";
import type { ResultShape } from "./source.ts";

/** One row of a table as read. `line` is where it starts. */
type TableRow =
  | { readonly kind: "row"; readonly row: JsonObject; readonly line: number }
  | { readonly kind: "bad"; readonly problem: Problem };

/** Reads a table's rows in batches, with the data sets' reader. `file`: the path as messages name it. */
export type ReadTable = (
  bytes: AsyncIterable<Uint8Array>,
  file: string,
) => AsyncIterable<readonly TableRow[]>;

/** Fields with a known meaning, which are not among the further fields of a row. */
const others = (
  "score scores fault explanation reason latency_ms latency_seconds usage input_tokens output_tokens " +
  "cached_tokens reasoning_tokens usd cost dataset_row prompt judged_by"
).split(" ");

/** Reads a row; returns all problems if it can't be mapped. */
export function readResult(
  { row, line }: { readonly row: JsonObject; readonly line: number },
  reading: RowReading,
): ResultRow | { readonly problems: readonly Problem[] } {
  const place = { file: reading.file, line };
  const fields = createFieldReader(row, { place, reading });
  const { shape } = reading;
  const id = fields.name("id");
  const result = resultOf(fields, shape);
  const scores = scoresOf(fields, shape.metrics);
  const isMissing = shape.metrics.some((metric) => ownValue(scores, metric) === undefined);
  if (isMissing || Object.keys(scores).length === 0) gatherKnown(row, reading);
  const rest = restOf(row, shape);
  const input = inputOf(row, { shape, id, rest });
  const judgedBy = fields.value(["judged_by"]);
  const read: ResultRow = {
    at: `line ${line}`,
    task: fields.name("task"),
    candidate: fields.name("candidate"),
    id,
    input,
    repeat: fields.count("repeat"),
    prompt: fields.text(["prompt"]),
    target: fields.text(namesOf("target", shape)),
    output: fields.text(namesOf("output", shape)),
    result,
    scores: result.kind === "scored" ? scores : {},
    explanation: fields.text(["explanation", "reason"]),
    ...(judgedBy !== undefined && { judgedBy }),
    fields: Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [name, valueText(value)]),
    ),
    usage: usageOf(fields),
    latencyMs: latencyOf(fields),
  };
  if (id === null && isNothing(input))
    fields.complain("id", { found: "missing", expected: "an id, or an input to make one of," });
  return fields.problems.length === 0 ? read : { problems: fields.problems };
}

const faults = { candidate: "failed", grader: "invalid", infra: "ungraded" } as const;

/** An error of unknown fault counts against the candidate, so that it never helps a change. */
function resultOf(fields: FieldReader, shape: ResultShape): RowResult {
  const error = errorOf(fields, namesOf("error", shape));
  if (error === undefined) return { kind: "scored" };
  const { fault, ...said } = error;
  const known = Object.entries(faults).find(([name]) => name === fault);
  if (known !== undefined) return { kind: known[1], ...said };
  fields.complain("fault", {
    found: JSON.stringify(fault),
    expected: Object.keys(faults)
      .join(", ")
      .replace(/, (?=\w+$)/, " or "),
  });
  return { kind: "failed", ...said };
}

interface RowError {
  readonly fault: string;
  readonly type: string;
  readonly message: string;
}

function errorOf(fields: FieldReader, named: readonly string[]): RowError | undefined {
  const { value, text } = fields;
  const within = (key: string): readonly string[] => named.map((name) => `${name}.${key}`);
  const found = value(named);
  const fault = text(within("fault")) ?? text(["fault"]) ?? "candidate";
  if (found === undefined || found === "" || found === false) return undefined;
  const type = text(within("type")) ?? "recorded";
  return { fault, type, message: text(within("message")) ?? valueText(found) };
}

/** The requested metrics; without a request, `score` and the content of `scores`. */
function scoresOf(fields: FieldReader, metrics: readonly string[]): Scores {
  const found = new Map<string, number>();
  const put = (id: string, score: number | null): void => {
    if (score !== null) found.set(id, score);
  };
  const scores = fields.value(["scores"]);
  const several = isJsonObject(scores) ? scores : undefined;
  if (metrics.length > 0) {
    for (const id of metrics) {
      const name = several === undefined ? undefined : nameOf(id, several);
      const own = name === undefined ? undefined : several?.[name];
      put(id, own === undefined || own === null ? fields.score(id) : fields.asScore(id, own));
    }
    return Object.fromEntries(found);
  }
  put("score", fields.score("score"));
  if (scores !== undefined && several === undefined)
    fields.complain("scores", { found: shown(scores), expected: "an object of numbers" });
  for (const [name, value] of Object.entries(several ?? {})) {
    const [field, id] = [`scores.${name}`, metricId(name)];
    if (value === null) continue;
    if (found.has(id))
      fields.complain(field, {
        found: `a metric with the id '${id}', which is taken`,
        expected: "another name",
      });
    put(id, fields.asScore(field, value));
  }
  return Object.fromEntries(found);
}

/** The field with this name, otherwise the one whose metric id this is. */
function nameOf(wanted: string, scores: JsonObject): string | undefined {
  if (Object.hasOwn(scores, wanted)) return wanted;
  return Object.keys(scores).find((name) => metricId(name) === wanted);
}

/** A generous limit of names: each row may have its own keys, and memory is limited. */
const mostKnown = 10_000;

function gatherKnown(row: JsonObject, { known, texts }: RowReading): void {
  const { scores } = row;
  const all = { ...row, ...(isJsonObject(scores) && scores) };
  for (const [name, value] of Object.entries(all))
    if (known.size < mostKnown && numberIn(value, texts) !== undefined) known.add(name);
}

/** Fields without a meaning of their own: they slice, cluster, and name the case if a row has neither id nor input. */
function restOf(row: JsonObject, shape: ResultShape): JsonObject {
  const known = new Set<string>([...others, ...shape.metrics]);
  for (const what of fieldKeysOf(names)) for (const name of namesOf(what, shape)) known.add(name);
  const rest = Object.entries(row).filter(
    ([name]) => !known.has(name) && !name.startsWith("scores."),
  );
  return Object.fromEntries(rest);
}

/** The keys of a table, as their own type. */
export function fieldKeysOf<Key extends string>(
  table: Readonly<Partial<Record<Key, unknown>>>,
): readonly Key[] {
  return Object.keys(table).filter((key): key is Key => Object.hasOwn(table, key));
}

/** The question: the fields named for it, otherwise `input`, otherwise, for rows without an id, all remaining fields. */
function inputOf(
  row: JsonObject,
  known: {
    readonly shape: ResultShape;
    readonly id: string | null;
    readonly rest: JsonObject;
  },
): Json {
  const { input } = known.shape.fields;
  if (input !== undefined) {
    const [only, ...more] = input;
    if (only !== undefined && more.length === 0) return readField(row, only) ?? null;
    return Object.fromEntries(input.map((name) => [name, readField(row, name) ?? null]));
  }
  const found = names.input.find((name) => (readField(row, name) ?? "") !== "");
  if (found !== undefined) return readField(row, found) ?? null;
  if (known.id !== null) return null;
  return known.rest;
}

function isNothing(input: Json): boolean {
  if (input === null || input === "") return true;
  return typeof input === "object" && !Array.isArray(input) && Object.keys(input).length === 0;
}

function usageOf(fields: FieldReader): Usage | null {
  const number = (...wanted: readonly string[]): number | null =>
    fields.number(wanted.flatMap((name) => [`usage.${name}`, name]));
  const [input, output, usd] = [
    number("input_tokens"),
    number("output_tokens"),
    number("usd", "cost"),
  ];
  if (input === null && output === null && usd === null) return null;
  return {
    input_tokens: Math.round(input ?? 0),
    output_tokens: Math.round(output ?? 0),
    cached_tokens: Math.round(number("cached_tokens") ?? 0),
    reasoning_tokens: Math.round(number("reasoning_tokens") ?? 0),
    usd,
  };
}

function latencyOf(fields: FieldReader): number | null {
  const milliseconds = fields.number(["latency_ms"]);
  if (milliseconds !== null) return milliseconds;
  const seconds = fields.number(["latency_seconds"]);
  return seconds === null ? null : seconds * 1000;
}
