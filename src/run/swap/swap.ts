import { asksModels } from "../../model/definition/graders.ts";
import type { BatchRecord } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import type { SwapTest } from "../../model/outcomes/compared.ts";
import { defaultAlpha, type Gate } from "../../model/definition/gate.ts";
import { visitCells, type Cell } from "../../gate/pairing/sides.ts";
import { statistics } from "../../stats/statistics.ts";
import { count } from "../../report/words/figures.ts";
import { baselineSide, conclude, type Baseline } from "../../verdict/conclude.ts";
import { describeTasks } from "../../verdict/describe.ts";
import type { Prepared } from "../../suite/prepare.ts";
import type { RunContext } from "../context.ts";
import { isOver } from "../grade-again/samples.ts";
import { readArms } from "./arms.ts";
import { openEvaluator } from "./evaluate.ts";

/** A run whose samples are all graded, and its baseline. */
interface SwappableMetric {
  readonly prepared: Prepared;
  readonly baseline: Baseline;
  readonly batches: readonly BatchRecord[];
}

/**
 * Tests metrics that a batch grader returned for all cases together, which have no scores by case. If such a metric
 * dropped by at least what a rule allows, base and head are swapped within some of the cases, and both mixed sides are
 * graded again: the share of swaps with as large a drop tells whether this one may be chance. Graders that ask models are
 * excluded (some hundred calls), and graders that could not grade everything. Candidates are not asked.
 */
export async function testSwaps(
  run: SwappableMetric,
  context: RunContext,
): Promise<{ readonly baseline: Baseline; readonly pending: boolean }> {
  const { baseline } = run;
  // A pooled baseline has no single run that could be swapped with.
  if (baseline.kind === "none" || baseline.pool) return { baseline, pending: false };
  const { open, judged } = findOpen(run, context);
  if (open.length === 0) return { baseline, pending: false };
  const swaps: SwapTest[] = [];
  for (const cell of visitCells(judged)) {
    const asked = open.filter(({ task, candidate }) => isAt(cell, task, candidate));
    const metrics = [...new Set(asked.map(({ metric }) => metric))];
    if (metrics.length > 0) swaps.push(...(await testCell({ run, cell, metrics }, context)));
    if (isOver(context)) return { baseline, pending: true };
  }
  return { baseline: swaps.length === 0 ? baseline : { ...baseline, swaps }, pending: false };
}

function isAt(cell: Cell, task: string, candidate: string): boolean {
  return cell.task === task && cell.candidate === candidate;
}

/** The drops from the baseline that the gate found but can't prove. */
function findOpen({ prepared, baseline, batches }: SwappableMetric, context: RunContext) {
  const { suite, notSelected: leftOut } = prepared;
  const { ledger } = context;
  const tasks = describeTasks(prepared.tasks, batches);
  const candidates = context.candidates.map(({ id }) => id);
  const ended = { status: "completed", stopped: undefined } as const;
  const head = { ...ended, gate: suite.gate, tasks, candidates, leftOut, ledger, batches };
  const { gate } = conclude(head, baseline, 0);
  const open = gate.rules.filter(
    ({ code, against }: RuleResult) => code === "not_provable" && against === undefined,
  );
  const judged = {
    head: { ledger, tasks, candidates },
    baseline: baselineSide(baseline, tasks),
    leftOut,
  };
  return { open, judged };
}

async function testCell(
  {
    run,
    cell,
    metrics,
  }: { readonly run: SwappableMetric; readonly cell: Cell; readonly metrics: readonly string[] },
  context: RunContext,
): Promise<readonly SwapTest[]> {
  const task = run.prepared.tasks.find(({ spec }) => spec.id === cell.task);
  const gradeBatch = task?.grader.gradeBatch;
  const { baseline } = run;
  if (task === undefined || gradeBatch === undefined || baseline.kind === "none") return [];
  if (asksModels(task.spec.grader) || task.grader.batchPart !== undefined) return [];
  const arms = await readArms({ cell, task, baseline }, context);
  if (arms === undefined) return [];
  const swaps = swapsFor(run.prepared.suite.gate, arms.lines, run.prepared.tasks.length);
  const text = `${cell.task}, ${cell.candidate}: up to ${count(2 * swaps + 2)} more gradings by grade_batch, with base and head swapped in some of the cases, tell whether the drop of ${metrics.join(", ")} may be chance`;
  context.tools.report({ kind: "note", text });
  const about = { task: cell.task, candidate: cell.candidate };
  const evaluator = openEvaluator({ arms, gradeBatch, about, metrics }, context);
  const tests: SwapTest[] = [];
  for (const metric of metrics) {
    const { cases, clusters } = arms;
    const evaluate = evaluator.of(metric);
    const found = await evaluator.guard(() =>
      statistics.armSwap({ evaluate, cases, clusters, swaps }),
    );
    if (found === undefined) return tests;
    const { delta, pLess, pGreater, exact } = found;
    const p = { p_less: pLess, p_greater: pGreater, stderr: evaluator.spread(metric) };
    tests.push({ ...about, metric, delta, ...p, swaps: evaluator.count(metric), exact });
  }
  return tests;
}

const usualSwaps = 199;
/** Limit of graded samples, unless the resulting number of swaps could prove nothing. */
const mostGraded = 4_000_000;

/** Number of swaps: enough that a p-value can fall below alpha after Holm's adjustment. */
function swapsFor(gate: Gate, lines: number, tasks: number): number {
  const rules = gate === "none" ? [] : (gate.rules ?? []);
  const alphas = rules.flatMap(({ alpha }) => alpha ?? []);
  const usual = gate === "none" ? undefined : gate.alpha;
  const alpha = Math.min(usual ?? defaultAlpha, ...alphas);
  const least = Math.min(1999, Math.ceil((2 * (rules.length + tasks)) / Math.max(alpha, 0.001)));
  return Math.max(least, Math.min(usualSwaps, Math.floor(mostGraded / (2 * Math.max(1, lines)))));
}
