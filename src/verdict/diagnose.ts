import { crash } from "../model/outcomes/compared.ts";
import {
  batchGraders,
  isAggregate,
  isMetricOf,
  singleGraders,
} from "../model/definition/graders.ts";
import type { Ledger, LedgerGroup } from "../model/figures/ledger.ts";
import { isSampleMetric, valueRange } from "../model/definition/metric.ts";
import type { Diagnosis } from "../model/outcomes/diagnosis.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { Sample } from "../model/outcomes/sample.ts";
import type { MetricSpec, Task } from "../model/definition/suite.ts";
import type { UnexpectedScore } from "../model/outcomes/symptom.ts";
import { describeSymptom } from "../report/words/symptoms.ts";
import { findUnexpectedScores, findSymptoms, type TaskFacts } from "../gate/symptoms.ts";
import { createEvidence } from "./evidence.ts";
import type { EvidenceCollector } from "./evidence.ts";

interface DiagnosisSources {
  readonly directory: string;
  readonly tasks: readonly Task[];
  readonly ledger: Ledger;
  readonly visitSamples: (directory: string) => AsyncIterable<Sample>;
}

/** Number of inspected samples: enough to find a common problem, few enough to be fast. */
const lookedAt = 1000;
/** Limit if some samples failed: more are inspected, for a meaningful count. */
const lookedAtInTrouble = 20_000;
/** More messages would hide the rest of the log. */
const toldAtMost = 10;

/**
 * Problems of the set-up that the run itself shows: a grader that never scores, fields that are always empty, and so on.
 */
export async function diagnose(
  run: Pick<Run, "status" | "cases">,
  sources: DiagnosisSources,
): Promise<readonly Diagnosis[]> {
  if (run.status !== "completed") return [];
  const evidence = await collect(run, sources);
  const specs = new Map(sources.tasks.map((task) => [task.id, task]));
  const found = sources.ledger.groups().flatMap((group): readonly Diagnosis[] => {
    const task = specs.get(group.task);
    const facts = task && factsOf(group, task, evidence);
    const at = { task: group.task, candidate: group.candidate };
    return facts === undefined
      ? []
      : findSymptoms(facts).map((symptom) => describeSymptom(symptom, at));
  });
  return found.slice(0, toldAtMost);
}

/** Leaves out failures that are reported as new crashes. */
export function withoutCrashes(
  found: readonly Diagnosis[],
  causes: readonly Diagnosis[],
): readonly Diagnosis[] {
  const told = causes.filter(({ symptom }) => symptom === crash);
  return found.filter(
    ({ symptom, task, candidate }) =>
      symptom !== "candidate_failed" ||
      !told.some((one) => one.task === task && one.candidate === candidate),
  );
}

async function collect(
  { cases }: Pick<Run, "cases">,
  { directory, tasks, visitSamples }: DiagnosisSources,
): Promise<EvidenceCollector> {
  const evidence = createEvidence(tasks);
  const trouble = cases.invalid + cases.failed + cases.ungraded > 0;
  let left = trouble ? lookedAtInTrouble : lookedAt;
  for await (const sample of visitSamples(directory)) {
    evidence.add(sample);
    left -= 1;
    if (left === 0) break;
  }
  return evidence;
}

function factsOf(
  group: LedgerGroup,
  task: Task,
  collected: EvidenceCollector,
): TaskFacts | undefined {
  const evidence = collected.of(group.task, group.candidate);
  if (evidence === undefined) return undefined;
  return {
    task: group.task,
    candidate: group.candidate,
    grader: task.grader.type,
    calls: isAllAggregate(task) ? "grade_batch" : "grade",
    extraction: task.output_extraction.type,
    declared: isAllAggregate(task) ? [] : declaredOf(task),
    scores: scoresOf(group),
    strays: task.metrics.flatMap((metric) => strayOf(group, metric) ?? []),
    evidence,
  };
}

function isAllAggregate({ grader }: Task): boolean {
  return singleGraders(grader).every(isAggregate);
}

/** The task's declared metrics that samples contain: neither those of batch graders nor Regrade's measurements. */
function declaredOf({ grader, metrics }: Task): readonly MetricSpec[] {
  const batches = batchGraders(grader);
  return metrics.filter(
    ({ id }) => !isSampleMetric(id) && !batches.some((named) => isMetricOf(named, id)),
  );
}

/**
 * Scores that contradict the metric's declaration. A number given for the whole group replaces its samples' scores, and
 * has its own scale.
 */
function strayOf(group: LedgerGroup, metric: MetricSpec): UnexpectedScore | undefined {
  const given = group.given(metric.id);
  if (given === undefined) return findUnexpectedScores(metric, ownScores(group, metric.id));
  const whole = { id: metric.id, range: valueRange(metric), scale: null };
  const stray = findUnexpectedScores(whole, [given]);
  return stray && { ...stray, count: null };
}

function ownScores(group: LedgerGroup, id: string): readonly number[] {
  const scores: number[] = [];
  for (let i = 0; i < group.size; i += 1) {
    const score = group.score(i, id);
    if (score !== undefined) scores.push(score);
  }
  return scores;
}

function scoresOf(group: LedgerGroup): TaskFacts["scores"] {
  const counted = group.scoreIds().map((id) => {
    const scores = ownScores(group, id);
    const zeros = scores.filter((score) => score === 0).length;
    const [low, high] = extremes(scores);
    return [id, { scored: scores.length, zeros, low, high }] as const;
  });
  return Object.fromEntries(counted.filter(([, { scored }]) => scored > 0));
}

/** Avoids spread arguments: there may be a million scores. */
function extremes(scores: readonly number[]): readonly [number, number] {
  return scores.reduce<readonly [number, number]>(
    ([low, high], score) => [Math.min(low, score), Math.max(high, score)],
    [Infinity, -Infinity],
  );
}
