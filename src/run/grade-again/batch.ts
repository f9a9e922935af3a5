import { createLedger } from "../../ledger/ledger.ts";
import type { BatchGraded, SampleUpdate } from "../../model/grading.ts";
import { outcomeOf, usageOfCalls } from "../../model/outcomes/sample.ts";
import type { Sample, ScoreRow } from "../../model/outcomes/sample.ts";
import { batchSample } from "../batch.ts";
import { beforeBatch, openIn, sortMetrics } from "../../verdict/batch-result.ts";
import type { RunContext } from "../context.ts";
import type { GroupRegraded } from "./regrade.ts";
import { isOver, isSameScore, readStored, type GroupToRegrade } from "./samples.ts";

/** Grades the stored outputs of a task and candidate again, all together. If that fails, none of them is regraded. */
export async function regradeBatch(
  work: GroupToRegrade,
  context: RunContext,
): Promise<GroupRegraded> {
  const { group, task } = work;
  const { tools, totals } = context;
  const { gradeBatch } = task.grader;
  if (gradeBatch === undefined) return { kind: "lost" };
  const feed: Feed = { lost: false, rows: [] };
  const started = tools.now();
  const about = { task: group.task, candidate: group.candidate };
  // Several graders read the samples one after the other, each from the start.
  const samples = {
    [Symbol.asyncIterator]: () => {
      feed.lost = false;
      feed.rows.length = 0;
      return linesOf(work, context, feed);
    },
  };
  const graded = await gradeBatch(about, samples);
  totals.addGradeMs(tools.now() - started);
  totals.addJudgeUsage(usageOfCalls(graded.modelCalls));
  if (isOver(context)) return { kind: "cut" };
  const isWhole = !feed.lost && feed.rows.length === group.size;
  return isWhole && graded.kind === "graded"
    ? applyResult(work, graded, feed.rows)
    : { kind: "lost" };
}

/** The samples passed to the grader so far. */
interface Feed {
  lost: boolean;
  readonly rows: FedRow[];
}

/** A sample's row before any grade; `id`: the sample's id, if the grader received it. */
interface FedRow {
  readonly id: string | undefined;
  readonly row: ScoreRow;
}

async function* linesOf(
  work: GroupToRegrade,
  context: RunContext,
  feed: Feed,
): AsyncGenerator<string> {
  for (let i = 0; i < work.group.size; i += 1) {
    const found = isOver(context) ? "lost" : await readForBatch(i, work, context);
    if (found === "lost") {
      feed.lost = true;
      return;
    }
    feed.rows.push({ id: found.sample?.id, row: found.row });
    if (found.sample !== undefined) yield JSON.stringify(batchSample(found.sample));
  }
}

/** A stored sample before the batch grader has seen it; undefined if it has nothing to grade. */
interface ForBatch {
  readonly row: ScoreRow;
  readonly sample: Sample | undefined;
}

/** Reads a sample of the baseline with this run's extraction and target. */
export async function readForBatch(
  i: number,
  work: Pick<GroupToRegrade, "group" | "reader" | "task">,
  context: RunContext,
): Promise<ForBatch | "lost"> {
  const stored = await readStored(i, work, context);
  if (stored.kind === "lost") return "lost";
  const row = { ...stored.row, scores: {} };
  const target = work.task.renderTarget(stored.sample.dataset_row);
  if (stored.kind === "kept") {
    const isGiven = outcomeOf(stored.sample) === "failed";
    return { row, sample: isGiven ? { ...stored.sample, target } : undefined };
  }
  const extracted = await work.task.extract(stored.output, stored.sample.transcript);
  if (extracted.kind === "ungraded")
    return { row: { ...row, outcome: "ungraded" }, sample: undefined };
  const {
    targets: _,
    extracted_fields: __,
    ...before
  } = beforeBatch(stored.sample, extracted.text, undefined);
  const targets = work.task.renderTargets(stored.sample.dataset_row);
  const fields = extracted.fields && { extracted_fields: extracted.fields };
  const sample = { ...before, ...fields, target, ...(targets && { targets }) };
  return { row: { ...row, outcome: "scored" }, sample };
}

function applyResult(
  { group, task }: GroupToRegrade,
  graded: Extract<BatchGraded, { readonly kind: "graded" }>,
  rows: readonly FedRow[],
): GroupRegraded {
  const updates = Map.groupBy(graded.updates, (update) => update.sample_id);
  const ledger = createLedger();
  let differ = 0;
  for (const [i, fed] of rows.entries()) {
    const row = withGiven(fed, updates.get(fed.id ?? "") ?? []);
    if (!isSameScore(group.row(i), row)) differ += 1;
    ledger.add(row);
  }
  const { metrics, dropped } = sortMetrics(graded.metrics, task.spec.metrics, openIn(task.spec));
  ledger.give({ task: group.task, candidate: group.candidate, metrics, dropped });
  const regraded = ledger.group(group.task, group.candidate);
  return regraded === undefined ? { kind: "lost" } : { kind: "regraded", group: regraded, differ };
}

function withGiven({ id, row }: FedRow, updates: readonly SampleUpdate[]): ScoreRow {
  if (id === undefined || row.outcome !== "scored") return row;
  const scores = new Map<string, number>();
  for (const update of updates)
    for (const [metric, score] of Object.entries(update.scores ?? {})) scores.set(metric, score);
  return { ...row, scores: Object.fromEntries(scores) };
}
