import { isDeepStrictEqual } from "node:util";
import { createLedger } from "../../ledger/ledger.ts";
import type { LedgerGroup } from "../../model/figures/ledger.ts";
import { usageOfCalls } from "../../model/outcomes/sample.ts";
import type { Sample, ScoreRow } from "../../model/outcomes/sample.ts";
import { createReorderBuffer } from "../../base/ordered-map.ts";
import { forEachConcurrently } from "../../base/semaphore.ts";
import { graderSample } from "../../prompt/item.ts";
import { otherIn } from "../other-answers.ts";
import { sampleIdFor } from "../plan.ts";
import type { RunContext } from "../context.ts";
import type { GroupRegraded, ToRegrade } from "./regrade.ts";

/** The samples of a task and candidate. */
export type GroupToRegrade = ToRegrade & { readonly group: LedgerGroup };

/** Limit of outputs that wait for their grade: enough to keep the graders busy, few enough to hold in memory. */
const atOnce = 256;

/** Grades the stored outputs of a task and candidate again, one by one. */
export async function regradeSamples(
  work: GroupToRegrade,
  context: RunContext,
): Promise<GroupRegraded> {
  const { group } = work;
  const ledger = createLedger();
  const inOrder = createReorderBuffer(ledger.add);
  let [differ, lost] = [0, 0];
  const regrade = async (i: number): Promise<void> => {
    const before = group.row(i);
    const after = lost > 0 || isOver(context) ? "lost" : await regradeOne(i, work, context);
    if (after === "lost") lost += 1;
    else if (!isSameScore(before, after)) differ += 1;
    inOrder.put(i, after === "lost" ? before : after);
  };
  await forEachConcurrently([positionsOf(group)], atOnce, regrade);
  inOrder.flush();
  if (isOver(context)) return { kind: "cut" };
  const regraded = ledger.group(group.task, group.candidate);
  return lost > 0 || regraded === undefined
    ? { kind: "lost" }
    : { kind: "regraded", group: regraded, differ };
}

function* positionsOf({ size }: LedgerGroup): Generator<number> {
  for (let i = 0; i < size; i += 1) yield i;
}

/** True if the user or a limit has stopped the run. */
export function isOver({ tools, stopSignal }: RunContext): boolean {
  return tools.signal.aborted || stopSignal.cause() !== undefined;
}

/** True if a sample has the same scores and outcome for every rule. */
export function isSameScore(one: ScoreRow, other: ScoreRow): boolean {
  return one.outcome === other.outcome && isDeepStrictEqual({ ...one.scores }, { ...other.scores });
}

async function regradeOne(
  i: number,
  work: GroupToRegrade,
  context: RunContext,
): Promise<ScoreRow | "lost"> {
  const stored = await readStored(i, work, context);
  if (stored.kind !== "output") return stored.kind === "lost" ? "lost" : stored.row;
  const { row, sample, output } = stored;
  const { extract, grader, buildItem, renderTarget, renderTargets } = work.task;
  const extracted = await extract(output, sample.transcript);
  if (extracted.kind === "ungraded") return { ...row, outcome: "ungraded", scores: {} };
  const { id, model, prompt, task_id, run_id, dataset_row, messages, transcript } = sample;
  const { workspace, usage, latency_ms: latencyMs } = sample;
  const started = context.tools.now();
  const graded = await grader.grade(
    graderSample({
      outputText: output,
      extractedOutput: extracted.text,
      extractedFields: extracted.fields,
      targets: renderTargets(dataset_row),
      model,
      prompt,
      taskId: task_id,
      runId: run_id,
      sampleId: id,
      messages,
      transcript,
      workspace,
      usage,
      latencyMs,
    }),
    buildItem(dataset_row, { prompt, target: renderTarget(dataset_row) }),
    async (candidate) => {
      const identity = [row.task, candidate, row.case_id, row.repeat];
      const other = sampleIdFor(context.tools.files.hashText)(identity);
      return otherIn(await work.reader.read(other));
    },
  );
  context.totals.addGradeMs(context.tools.now() - started);
  context.totals.addJudgeUsage(usageOfCalls(graded.modelCalls));
  return {
    ...row,
    outcome: graded.kind,
    scores: graded.kind === "scored" ? graded.scores : {},
  };
}

/** A sample of the baseline. `kept`: it has no output, so its outcome does not depend on the grader. */
type Stored =
  | { readonly kind: "kept"; readonly row: ScoreRow; readonly sample: Sample }
  | {
      readonly kind: "output";
      readonly row: ScoreRow;
      readonly sample: Sample;
      readonly output: string;
    }
  | { readonly kind: "lost" };

/** Reads a sample of the baseline. If its answer has not been stored, it can't be graded again. */
export async function readStored(
  i: number,
  { group, reader }: Pick<GroupToRegrade, "group" | "reader">,
  { tools }: RunContext,
): Promise<Stored> {
  const row = group.row(i);
  const identity = [row.task, row.candidate, row.case_id, row.repeat];
  const sample = await reader.read(sampleIdFor(tools.files.hashText)(identity));
  if (sample === undefined) return { kind: "lost" };
  if (sample.error?.stage === "generate") return { kind: "kept", row, sample };
  if (sample.output_text === null) return { kind: "lost" };
  return { kind: "output", row, sample, output: sample.output_text };
}
