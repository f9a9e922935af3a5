import { kindOf, valueText } from "../../base/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import type { ResultRow } from "../../model/results.ts";
import type { Scores } from "../../model/outcomes/sample.ts";
import { valueOf, type ResultLine } from "../json-lines.ts";
import { metricId } from "../metric-id.ts";
import { readRecord } from "../record.ts";

/** Combines the rows of a task's filters. All rows must be noted before the first is read. */
export interface FilterReader {
  readonly note: (line: ResultLine) => readonly Problem[];
  /** Problems of documents that a later filter has but the first one lacks. */
  readonly lost: () => readonly Problem[];
  /** A row of the first filter, with the other filters' scores; undefined for a row of another filter. */
  readonly read: (line: ResultLine) => ResultRow | undefined;
  /** lm-eval's name of a metric, without its filter, and whether its values are true or false. */
  readonly nameOf: (id: string) => { readonly name: string; readonly isFlag: boolean };
}

interface Noted {
  readonly metrics: Map<string, { readonly name: string; readonly isFlag: boolean }>;
  /** Scores of the other filters, by document. */
  readonly further: Map<string, { readonly at: string; readonly scores: Scores }>;
  readonly documents: Set<string>;
  readonly ids: Set<string>;
  /** Number of documents without an id, or with an id that another document has. */
  unnamed: number;
  first: string | undefined;
}

/** A reader for the rows of one file; `wanted`: ids of the requested metrics, empty for all. */
export function createFilterReader(file: string, wanted: readonly string[]): FilterReader {
  const noted: Noted = {
    metrics: new Map(),
    further: new Map(),
    documents: new Set(),
    ids: new Set(),
    unnamed: 0,
    first: undefined,
  };
  return {
    note: (line) => noteRow(line, { file, wanted, noted }),
    lost: () =>
      [...noted.further].flatMap(([document, { at }]) => {
        if (noted.documents.has(document)) return [];
        const said = { found: `no document of the filter '${noted.first ?? ""}'`, expected: "one" };
        return [problem("results_field", { at, field: "doc_id", ...said }, { file })];
      }),
    read: ({ value, at }) => {
      if (filterOf(value) !== noted.first) return undefined;
      return rowOf(value, { at, noted });
    },
    nameOf: (id) => noted.metrics.get(id) ?? { name: id, isFlag: false },
  };
}

function noteRow(
  { value, at }: ResultLine,
  {
    file,
    wanted,
    noted,
  }: { readonly file: string; readonly wanted: readonly string[]; readonly noted: Noted },
): readonly Problem[] {
  requireVersion(value, file);
  const record = readRecord(value, { file, at });
  const doc = record.needed("doc", record.object);
  record.needed("doc_id", record.value);
  record.needed("filtered_resps", record.list);
  const names = record.list("metrics") ?? [];
  const filter = filterOf(value);
  const scores = scoresOf(value, noted.metrics);
  for (const name of names) {
    const id = idOf(valueText(name), filter);
    const isAsked = wanted.length === 0 ? Object.keys(scores).length === 0 : wanted.includes(id);
    const found = valueOf(value, valueText(name));
    if (isAsked && found !== undefined && !isScore(found))
      record.complain(valueText(name), { found: kindOf(found), expected: noScore });
  }
  const document = valueText(valueOf(value, "doc_id"));
  noted.first ??= filter;
  if (filter === noted.first) {
    noted.documents.add(document);
    noteId(doc, noted);
  } else {
    const before = noted.further.get(document)?.scores;
    noted.further.set(document, { at, scores: { ...before, ...scores } });
  }
  return record.problems;
}

const noScore =
  "a number (lm-eval makes this metric of all documents together, so that no case has a score of its own)";

/** Refuses 0.4.5 and earlier, whose rows don't show which of their keys are metrics. */
function requireVersion(row: JsonObject, file: string): void {
  if (Array.isArray(row["metrics"]) && typeof row["filter"] === "string") return;
  if (!["doc_id", "doc", "filtered_resps"].every((key) => Object.hasOwn(row, key))) {
    const expected = 'rows with "doc_id", "doc", "filtered_resps" and "metrics"';
    throw new Refusal(problem("results_not_format", { format: "lm-eval", expected }, { file }));
  }
  const found = 'of samples without "filter" and "metrics"';
  const known = ["what 0.4.7 and later write (0.4.13 was tried)"];
  throw new Refusal(problem("results_version", { tool: "lm-eval", found, known }, { file }));
}

function noteId(doc: JsonObject | undefined, noted: Noted): void {
  const id = doc === undefined ? undefined : documentId(doc);
  if (id === undefined || noted.ids.has(id)) noted.unnamed += 1;
  else noted.ids.add(id);
}

function documentId(doc: JsonObject): string | undefined {
  const id = valueOf(doc, "id");
  const isName = typeof id === "string" || typeof id === "number";
  return isName && valueText(id).trim() !== "" ? valueText(id) : undefined;
}

function filterOf(row: JsonObject): string {
  return valueText(row["filter"]);
}

/** `exact_match`; with a filter that has a name, `exact_match.strict-match`. */
function idOf(metric: string, filter: string): string {
  return metricId(filter === "none" ? metric : `${metric}.${filter}`);
}

function isScore(value: Json): value is number | boolean {
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}

function scoresOf(row: JsonObject, known: Noted["metrics"]): Scores {
  const names = row["metrics"];
  const found = (Array.isArray(names) ? names : []).flatMap((each: Json) => {
    const name = valueText(each);
    const value = valueOf(row, name);
    if (value === undefined || !isScore(value)) return [];
    const id = idOf(name, filterOf(row));
    if (!known.has(id)) known.set(id, { name, isFlag: typeof value === "boolean" });
    return [[id, Number(value)] as const];
  });
  return Object.fromEntries(found);
}

function rowOf(
  row: JsonObject,
  { at, noted }: { readonly at: string; readonly noted: Noted },
): ResultRow {
  const doc = isJsonObject(row["doc"]) ? row["doc"] : {};
  const target = valueOf(row, "target");
  const answer = answerOf(row);
  return {
    at,
    task: null,
    candidate: null,
    // Either all documents have an id or none counts: otherwise equal documents would be named in two ways.
    id: noted.unnamed === 0 ? (documentId(doc) ?? null) : null,
    input: askedOf(doc, target),
    repeat: null,
    prompt: promptOf(row),
    target: target === undefined ? null : valueText(target),
    output: answer.said,
    result: { kind: "scored" },
    scores: {
      ...scoresOf(row, noted.metrics),
      ...noted.further.get(valueText(valueOf(row, "doc_id")))?.scores,
    },
    explanation: answer.taken,
    fields: {},
    usage: null,
    latencyMs: null,
  };
}

/** The document without fields that hold the answer, so that a corrected label keeps its case. */
function askedOf(doc: JsonObject, target: Json | undefined): JsonObject {
  if (target === undefined) return doc;
  const answer = valueText(target);
  const asked = Object.entries(doc).filter(([, value]) => valueText(value) !== answer);
  // Every field is part of the answer: the task requests the probability of a text.
  return asked.length === 0 ? doc : Object.fromEntries(asked);
}

function promptOf(row: JsonObject): string | null {
  const args = row["arguments"];
  const first = isJsonObject(args) ? args["gen_args_0"] : undefined;
  const prompt = isJsonObject(first) ? valueOf(first, "arg_0") : undefined;
  return prompt === undefined ? null : valueText(prompt);
}

/** The answer, and the filtered text if it differs. For multiple choice: the likelihood of each choice. */
function answerOf(row: JsonObject): {
  readonly said: string | null;
  readonly taken: string | null;
} {
  const filtered = onlyOne(row["filtered_resps"]);
  const said = onlyOne(onlyOne(row["resps"]));
  if (typeof said !== "string")
    return { said: filtered === undefined ? null : valueText(filtered), taken: null };
  const isSame = filtered === undefined || valueText(filtered) === said;
  return { said, taken: isSame ? null : `${filterOf(row)}: ${valueText(filtered)}` };
}

/** The value of a list with one value; otherwise the list. */
function onlyOne(value: Json | undefined): Json | undefined {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}
