import { isNumberText } from "../fields.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { Scores } from "../../model/outcomes/sample.ts";
import { metricId } from "../metric-id.ts";
import type { RecordReader } from "../record.ts";
import type { KnownMetric } from "../tool-metrics.ts";

/** The grades of Inspect's own scorers (correct, partial, incorrect, no answer), with Inspect's numbers for them. */
const grades = new Map([
  ["C", 1],
  ["P", 0.5],
  ["I", 0],
  ["N", 0],
]);

/** Words that Inspect reads as numbers. */
const words = new Map([
  ["yes", 1],
  ["true", 1],
  ["no", 0],
  ["false", 0],
]);

/** A scorer's name, or `scorer.key` if the scorer gives several scores. */
export function inspectMetricId(scorer: string, key?: string): string {
  return metricId(key === undefined ? scorer : `${scorer}.${key}`);
}

/** The scores of a sample by metric. Scores without a value are left out: the scorer could not decide. */
export function scoresOf(
  record: RecordReader,
  wanted: readonly string[],
): { readonly scores: Scores; readonly known: KnownMetric } {
  const scores: Record<string, number> = {};
  const graded = new Set<string>();
  const put = (id: string, value: Json, field: string): void => {
    if (value === null) return;
    if (Object.hasOwn(scores, id)) {
      const said = { found: `a second '${id}'`, expected: "another name" };
      record.complain(field, said);
    }
    const number = numberOf(value);
    if (number !== undefined) scores[id] = number;
    else if (wanted.length === 0 || wanted.includes(id))
      record.complain(field, { found: shown(value), expected });
    if (typeof value !== "number") graded.add(id);
  };
  for (const [scorer, score] of Object.entries(record.object("scores") ?? {})) {
    const value = isJsonObject(score) ? (score["value"] ?? null) : null;
    const field = `scores.${scorer}.value`;
    if (typeof value !== "object" || value === null) put(inspectMetricId(scorer), value, field);
    else
      for (const [key, each] of Object.entries(value))
        put(inspectMetricId(scorer, key), each, `${field}.${key}`);
  }
  // Grades and truth values have a range; other numbers have none.
  return { scores, known: (id) => (graded.has(id) ? { range: [0, 1] } : undefined) };
}

const expected =
  "a number, a truth value or one of C, P, I and N (or name other metrics with --metric)";

function numberOf(value: Json): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  if (grades.has(value)) return grades.get(value);
  const word = words.get(value.toLowerCase());
  if (word !== undefined) return word;
  return isNumberText(value.trim()) ? Number(value) : undefined;
}

function shown(value: Json): string {
  return JSON.stringify(value).slice(0, 60);
}
