import { ownValue } from "../../model/own-value.ts";
import { plural } from "../../model/number-words.ts";
import type { LedgerGroup } from "../../model/figures/ledger.ts";
import type { RunTask } from "../../model/outcomes/run.ts";
import type { DecisivePart, RegradedTask } from "../../model/outcomes/compared.ts";
import type { SampleReader } from "../../model/ports/store.ts";
import type { Gate } from "../../model/definition/gate.ts";
import { changedFingerprints, pairCandidates } from "../../gate/pairing/sides.ts";
import { count } from "../../report/words/figures.ts";
import { baselineSide, type Baseline } from "../../verdict/conclude.ts";
import type { PreparedTask } from "../../suite/opening/open-task.ts";
import { newestOf } from "../../verdict/pool/read.ts";
import type { Prepared } from "../../suite/prepare.ts";
import type { RunContext } from "../context.ts";
import { regradeBatch } from "./batch.ts";
import { regradeSamples } from "./samples.ts";

interface Regrading {
  /** The baseline with its regraded tasks. */
  readonly baseline: Baseline;
  /** True if regrading was interrupted: resuming the run continues it. */
  readonly pending: boolean;
}

/** The outputs of a task and candidate, graded again, or why they are not. `lost`: some are missing, or can't be graded. */
export type GroupRegraded =
  | { readonly kind: "regraded"; readonly group: LedgerGroup; readonly differ: number }
  | { readonly kind: "lost" }
  | { readonly kind: "cut" };

/**
 * If a task's grader, judge or extraction differs from the baseline's, grades the baseline's stored outputs with this
 * run's: then one grader has graded both sides, and they can be compared. If outputs are missing, the task stays not
 * comparable. Candidates are not asked.
 */
export async function regradeBaseline(
  { tasks, suite, notSelected }: Pick<Prepared, "tasks" | "suite" | "notSelected">,
  baseline: Baseline,
  context: RunContext,
): Promise<Regrading> {
  if (baseline.kind === "none" || !comparesSides(suite.gate)) return { baseline, pending: false };
  const wanted = tasks.flatMap((task) => tasksToRegrade(task, baseline));
  if (wanted.length === 0) return { baseline, pending: false };
  if (baseline.pool !== undefined)
    return regradeNewest({ tasks, suite, notSelected }, baseline, context);
  const texts = await baseline.stored.fetchTexts?.();
  if (texts?.kind === "gone") context.tools.report({ kind: "note", text: texts.reason });
  const candidates = comparedCandidates(baseline, { context, leftOut: notSelected });
  const reader = await context.tools.openSamples(baseline.stored.directory);
  const found: { task: RegradedTask; groups: readonly LedgerGroup[] }[] = [];
  try {
    for (const each of wanted) {
      const done = await regradeTask({ ...each, candidates, baseline, reader }, context);
      if (done === "cut") return { baseline, pending: true };
      if (done !== "lost") found.push(done);
    }
  } finally {
    await reader.close();
  }
  if (found.length === 0) return { baseline, pending: false };
  const regraded = {
    tasks: found.map(({ task }) => task),
    groups: found.flatMap(({ groups }) => groups),
  };
  return { baseline: { ...baseline, regraded }, pending: false };
}

/**
 * Of pooled runs, only the newest is graded again and becomes the baseline: this costs as much as any other baseline. If
 * its outputs are missing, the runs stay pooled, and the task is not compared.
 */
async function regradeNewest(
  run: Parameters<typeof regradeBaseline>[0],
  baseline: Found,
  context: RunContext,
): Promise<Regrading> {
  const newest = newestOf(baseline);
  const text = `runs that are taken together as a baseline are not all graded again: the newest of them, ${newest.source}, is, and stands alone`;
  context.tools.report({ kind: "note", text });
  const done = await regradeBaseline(run, newest, context);
  const isDone = done.baseline.kind === "run" && done.baseline.regraded !== undefined;
  return isDone || done.pending ? done : { baseline, pending: false };
}

/**
 * Whether a rule compares the two sides. Rules on values alone need no baseline, so it is not graded in vain: a judge
 * may cost money.
 */
function comparesSides(gate: Gate): boolean {
  if (gate === "none") return false;
  const { rules = [] } = gate;
  if (gate.max_drop !== undefined || rules.length === 0) return true;
  return rules.some(({ max_drop, max_rise }) => max_drop !== undefined || max_rise !== undefined);
}

type Found = Extract<Baseline, { readonly kind: "run" }>;

interface Wanted {
  readonly task: PreparedTask;
  readonly parts: readonly DecisivePart[];
}

function tasksToRegrade(task: PreparedTask, { stored }: Found): readonly Wanted[] {
  const { spec, fingerprint } = task;
  const base: RunTask | undefined = ownValue(stored.run.suite.tasks, spec.id);
  const parts = base === undefined ? [] : changedFingerprints(fingerprint, base.fingerprint);
  return parts.length === 0 ? [] : [{ task, parts }];
}

/** The baseline's names of the candidates that this run's are compared with. */
function comparedCandidates(
  baseline: Found,
  { context, leftOut }: { context: RunContext; leftOut: Prepared["notSelected"] },
): readonly string[] {
  const { ledger } = context;
  const candidates = context.candidates.map(({ id }) => id);
  const head = { ledger, tasks: {}, candidates };
  return [...pairCandidates({ head, baseline: baselineSide(baseline, {}), leftOut }).values()];
}

/** A task whose baseline is to be graded again, for some of its candidates. */
export interface ToRegrade extends Wanted {
  readonly candidates: readonly string[];
  readonly baseline: Found;
  readonly reader: SampleReader;
}

async function regradeTask(
  work: ToRegrade,
  context: RunContext,
): Promise<{ task: RegradedTask; groups: readonly LedgerGroup[] } | "lost" | "cut"> {
  const { task, parts, candidates, baseline } = work;
  const { ledger } = baseline.stored;
  const stored = candidates.flatMap((candidate) => ledger.group(task.spec.id, candidate) ?? []);
  const samples = stored.reduce((sum, { size }) => sum + size, 0);
  const { report } = context.tools;
  report({ kind: "note", text: tellWork(task.spec.id, parts, samples) });
  const groups: LedgerGroup[] = [];
  let differ = 0;
  for (const group of stored) {
    // Graders that see single samples and graders that see all of them can't be combined here.
    if (task.grader.batchPart !== undefined) {
      report({ kind: "note", text: tellLost(task.spec.id) });
      return "lost";
    }
    const regrade = task.grader.gradeBatch === undefined ? regradeSamples : regradeBatch;
    const done = await regrade({ ...work, group }, context);
    if (done.kind === "lost") report({ kind: "note", text: tellLost(task.spec.id) });
    if (done.kind !== "regraded") return done.kind;
    groups.push(done.group);
    differ += done.differ;
  }
  if (groups.length === 0) return "lost";
  const given = groups.flatMap((group) => givenIn(group));
  return { task: { task: task.spec.id, parts, samples, differ, given }, groups };
}

function tellWork(task: string, parts: readonly DecisivePart[], samples: number): string {
  const changed = parts.map((part) => `the ${part}`).join(" and ");
  const outputs = `${count(samples)} stored ${plural(samples, "output")}`;
  return `${task}: ${changed} changed since the baseline: its ${outputs} are graded again, so that one grader has graded both sides`;
}

function tellLost(task: string): string {
  return `${task}: the baseline's outputs are not all there, or can't all be graded again: the task is not compared`;
}

function givenIn(group: LedgerGroup): readonly RegradedTask["given"][number][] {
  const ids = group.givenIds();
  if (ids.length === 0) return [];
  const metrics = Object.fromEntries(
    ids.flatMap((id) => {
      const value = group.given(id);
      return value === undefined ? [] : [[id, value]];
    }),
  );
  const dropped = ids.filter((id) => group.given(id) === undefined);
  return [{ candidate: group.candidate, metrics, dropped }];
}
