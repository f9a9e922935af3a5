import { isJsonObject } from "../model/json.ts";
import { readField, valueText } from "../base/fields.ts";
import type { Sample } from "../model/outcomes/sample.ts";
import type { Task } from "../model/definition/suite.ts";
import { callsTools } from "../model/models/transcript.ts";
import type { CountedMessage, Evidence, GraderFailure } from "../gate/symptoms.ts";
import { promptTemplateOf } from "../prompt/messages.ts";
import { templateFields } from "../prompt/template.ts";

/** Collects facts about the task's set-up from samples, in one pass. */
export interface EvidenceCollector {
  readonly add: (sample: Sample) => void;
  readonly of: (task: string, candidate: string) => Evidence | undefined;
}

interface Counts {
  looked: number;
  answered: number;
  unanswered?: Quoted;
  nothingExtracted: number;
  formatUnmet?: Quoted;
  targetsEmpty: number;
  otherCase: number;
  sameNumber: number;
  readonly emptyFields: Map<string, number>;
  readonly failures: Map<string, GraderFailure & Quoted>;
  scoredUnanswered?: Quoted;
  readonly parts: Map<string, Quoted>;
}

/**
 * A message, with the number of samples that have one of its kind. The message is that of the sample that comes first
 * in the suite, because samples end in any order.
 */
type Quoted = CountedMessage & { readonly at: number };

function quoted(known: Quoted | undefined, message: string, { sample_index: at }: Sample): Quoted {
  const count = (known?.count ?? 0) + 1;
  return known === undefined || at < known.at ? { count, message, at } : { ...known, count };
}

function toldOf(found: Quoted): CountedMessage {
  return { count: found.count, message: found.message };
}

/** A collector without evidence. */
export function createEvidence(tasks: readonly Task[]): EvidenceCollector {
  const specs = new Map(tasks.map((task) => [task.id, { task, fields: promptFields(task) }]));
  const counts = new Map<string, Counts>();
  return {
    add: (sample) => {
      const spec = specs.get(sample.task_id);
      if (spec === undefined) return;
      const key = keyOf(sample.task_id, sample.model);
      const found = counts.get(key) ?? noCounts();
      counts.set(key, found);
      countSample(found, sample, spec);
    },
    of: (task, candidate) => {
      const found = counts.get(keyOf(task, candidate));
      return found && evidenceOf(found);
    },
  };
}

function evidenceOf({
  unanswered,
  formatUnmet,
  scoredUnanswered,
  emptyFields,
  failures,
  parts,
  ...counts
}: Counts): Evidence {
  const named = [...parts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...counts,
    ...(named.length > 0 && {
      parts: Object.fromEntries(named.map(([name, found]) => [name, toldOf(found)])),
    }),
    unanswered: unanswered === undefined ? null : toldOf(unanswered),
    ...(formatUnmet && { formatUnmet: toldOf(formatUnmet) }),
    ...(scoredUnanswered && { scoredUnanswered: toldOf(scoredUnanswered) }),
    emptyFields: Object.fromEntries([...emptyFields].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    failures: [...failures.values()]
      .toSorted((a, b) => b.count - a.count || a.at - b.at)
      .map(({ type, fault, count, message }) => ({ type, fault, count, message })),
  };
}

function noCounts(): Counts {
  const none = { looked: 0, answered: 0, nothingExtracted: 0, targetsEmpty: 0 };
  const empty = { emptyFields: new Map(), failures: new Map(), parts: new Map() };
  return { ...none, ...empty, otherCase: 0, sameNumber: 0 };
}

function keyOf(task: string, candidate: string): string {
  return JSON.stringify([task, candidate]);
}

function promptFields(task: Task): readonly string[] {
  return [...templateFields(promptTemplateOf(task)).names];
}

function countSample(
  counts: Counts,
  sample: Sample,
  { task, fields }: { readonly task: Task; readonly fields: readonly string[] },
): void {
  counts.looked += 1;
  for (const field of fields) {
    const isEmpty = valueText(readField(sample.dataset_row, field)).trim() === "";
    if (isEmpty) counts.emptyFields.set(field, (counts.emptyFields.get(field) ?? 0) + 1);
  }
  if (task.target_template !== undefined && (sample.target ?? "").trim() === "")
    counts.targetsEmpty += 1;
  countFailure(counts, sample);
  countParts(counts, sample, task);
  if (sample.output_text === null || sample.error?.stage === "extract") return;
  counts.answered += 1;
  countFormat(counts, sample);
  if (sample.extracted_output === null)
    counts.nothingExtracted += callsTools(sample.transcript) ? 0 : 1;
  else if (sample.scores[task.metrics[0]?.id ?? ""] === 0) countNearMiss(counts, sample);
}

function countFormat(counts: Counts, sample: Sample): void {
  const { format_error: found } = sample;
  if (found !== undefined) counts.formatUnmet = quoted(counts.formatUnmet, found, sample);
}

function countFailure(counts: Counts, sample: Sample): void {
  const { error } = sample;
  if (error === null) return countIgnored(counts, sample);
  const { stage, fault, type, message } = error;
  if (stage === "generate") counts.unanswered = quoted(counts.unanswered, message, sample);
  if (stage !== "grade" || fault === "candidate") return;
  const { failures } = counts;
  failures.set(type, { type, fault, ...quoted(failures.get(type), message, sample) });
}

/** Counts the graders of several that found no valid result, though others did. */
function countParts(counts: Counts, sample: Sample, { grader }: Task): void {
  for (const { name } of grader.type === "several" ? grader.graders : []) {
    const own = sample.judge?.[name];
    if (!isJsonObject(own) || own["invalid"] !== true) continue;
    const { error } = own;
    const message = isJsonObject(error) ? error["message"] : undefined;
    const said = typeof message === "string" ? message : "";
    counts.parts.set(name, quoted(counts.parts.get(name), said, sample));
  }
}

/** Counts samples that a grader scored although no model that it asked answered. */
function countIgnored(counts: Counts, sample: Sample): void {
  const calls = sample.model_calls ?? [];
  const refusals = calls.flatMap(({ error }) => error ?? []);
  const [first] = refusals;
  if (first === undefined || refusals.length < calls.length) return;
  counts.scoredUnanswered = quoted(counts.scoredUnanswered, first, sample);
}

/** Counts answers that a person would have accepted. */
function countNearMiss(counts: Counts, { extracted_output, target }: Sample): void {
  const [answer, wanted] = [(extracted_output ?? "").trim(), (target ?? "").trim()];
  if (answer === wanted || wanted === "") return;
  if (answer.toLowerCase() === wanted.toLowerCase()) counts.otherCase += 1;
  else if (isNumber(answer) && isNumber(wanted) && numberOf(answer) === numberOf(wanted))
    counts.sameNumber += 1;
}

function isNumber(text: string): boolean {
  return text.length <= 15 && /^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/.test(text);
}

function numberOf(text: string): number {
  return Number(text.replaceAll(",", ""));
}
