import { extname } from "node:path";
import { ownValue } from "../model/own-value.ts";
import { readCsv } from "../dataset/csv.ts";
import { readJsonl } from "../dataset/jsonl.ts";
import type { RowRead, Rows } from "../dataset/rows.ts";
import type { Json } from "../model/json.ts";
import { problem, Refusal, type Place, type Problem } from "../model/refusal.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { Row } from "../model/outcomes/sample.ts";
import type { MetricSpec } from "../model/definition/suite.ts";
import type { Tools } from "../tools.ts";

/** A person's score for a sample, in one metric. */
export interface JudgeLabel {
  readonly task: string;
  readonly candidate: string;
  readonly caseId: string;
  readonly repeat: number;
  readonly metric: string;
  readonly labeler: string;
  readonly value: number;
  readonly place: Place;
}

export interface LabelsFound {
  readonly labels: readonly JudgeLabel[];
  readonly problems: readonly Problem[];
}

/** Reads a file of labels, as JSON lines or CSV, and lists the problems in it. */
export async function readLabels(path: string, run: Run, tools: Tools): Promise<LabelsFound> {
  const bytes = tools.files.readBytes(path);
  const rows: Rows =
    extname(path).toLowerCase() === ".csv"
      ? readCsv(bytes, path)
      : readJsonl(bytes, { file: path, needsSource: () => false });
  const labels: JudgeLabel[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for await (const batch of rows)
    for (const read of batch) {
      const found = labelsOf(read, { path, run });
      problems.push(...found.problems);
      for (const label of found.labels) {
        const key = keyOfLabel(label);
        if (seen.has(key))
          problems.push(badLabel("is there twice, by the same labeler", label.place));
        seen.add(key);
        labels.push(label);
      }
    }
  if (problems.length === 0 && labels.length === 0)
    throw new Refusal(problem("judge_labels_none", { path }));
  return { labels, problems };
}

function keyOfLabel({ task, candidate, caseId, repeat, metric, labeler }: JudgeLabel): string {
  return JSON.stringify([task, candidate, caseId, repeat, metric, labeler]);
}

/** The problem with a label. `why` continues "the label …". */
export function badLabel(why: string, place: Place): Problem {
  return problem("judge_label_bad", { why }, place);
}

function labelsOf(
  read: RowRead,
  { path, run }: { readonly path: string; readonly run: Run },
): LabelsFound {
  if (read.kind === "bad") return { labels: [], problems: [read.problem] };
  const place = { file: path, line: read.line };
  const at = placeOf(read.row, run);
  if (typeof at === "string") return { labels: [], problems: [badLabel(at, place)] };
  const { task, metrics, ...sample } = at;
  const known = metrics.flatMap((metric, i) => {
    const value = read.row[metric.id] ?? (i === 0 ? read.row["label"] : undefined);
    return isGiven(value) ? [{ metric, value }] : [];
  });
  if (known.length === 0) return { labels: [], problems: [badLabel(noValue(metrics), place)] };
  const labeler = textOf(read.row["labeler"]) ?? "";
  const labels: JudgeLabel[] = [];
  const problems: Problem[] = [];
  for (const { metric, value } of known) {
    const number = numberOf(value);
    const why = number === undefined ? "is no number" : outsideRange(number, metric);
    if (number === undefined || why !== undefined)
      problems.push(badLabel(`of \`${metric.id}\` ${why}`, place));
    else labels.push({ task, ...sample, metric: metric.id, labeler, value: number, place });
  }
  return { labels, problems };
}

function noValue(metrics: readonly MetricSpec[]): string {
  const names = new Set(["label", ...metrics.map(({ id }) => id)]);
  return `has no value: give it under ${[...names].map((id) => `\`${id}\``).join(" or ")}`;
}

function outsideRange(value: number, { range }: MetricSpec): string | undefined {
  if (range === null || (value >= range[0] - 1e-9 && value <= range[1] + 1e-9)) return undefined;
  return `is ${value}, outside of the metric's range ${range[0]} to ${range[1]}`;
}

type At = Pick<JudgeLabel, "task" | "candidate" | "caseId" | "repeat"> & {
  readonly metrics: readonly MetricSpec[];
};

/** The sample that a label is about, or the reason why it names none. */
function placeOf(row: Row, run: Run): At | string {
  const { tasks } = run.suite;
  const task = textOf(row["task"]) ?? onlyOf(Object.keys(tasks));
  if (task === undefined) return "names no `task`, of which the run has several";
  const spec = ownValue(tasks, task);
  if (spec === undefined)
    return `names the task ${JSON.stringify(task)}, which the run does not have`;
  const candidates = run.candidates.map(({ id }) => id);
  const candidate = textOf(row["candidate"]) ?? onlyOf(candidates);
  if (candidate === undefined) return "names no `candidate`, of which the run has several";
  if (!candidates.includes(candidate))
    return `names the candidate ${JSON.stringify(candidate)}, which the run does not have`;
  const caseId = textOf(row["case_id"]);
  if (caseId === undefined) return "has no `case_id`";
  const repeat = isGiven(row["repeat"])
    ? numberOf(row["repeat"])
    : spec.repeats === 1
      ? 0
      : undefined;
  if (repeat === undefined)
    return `names no \`repeat\`, of which a case has ${spec.repeats}, from 0`;
  return { task, candidate, caseId, repeat, metrics: spec.metrics };
}

function onlyOf(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

function isGiven(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && value !== "";
}

function textOf(value: Json | undefined): string | undefined {
  if (!isGiven(value)) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The value as a number. CSV has only texts; true and false count as 1 and 0. */
function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === "true" || value === "false") return value === "true" ? 1 : 0;
  const number =
    typeof value === "number"
      ? value
      : typeof value === "string" && value.trim() !== ""
        ? Number(value)
        : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
