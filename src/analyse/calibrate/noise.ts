import { ownValue } from "../../model/own-value.ts";
import type { MetricPlace } from "../../model/place.ts";
import type { FlickeringCase, MetricNoise } from "../../model/figures/calibration.ts";
import { countedScore, substituteScores } from "../../model/outcomes/counted-score.ts";
import type { LedgerGroup } from "../../model/figures/ledger.ts";
import { withSampleMetrics } from "../../model/definition/metric.ts";
import type { StoredRun } from "../../model/ports/store.ts";
import { changedCasesKept } from "../../model/outcomes/rule-result.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import { caseScores, casesOf } from "../../stats/aggregates/cases.ts";
import { statistics } from "../../stats/statistics.ts";
import { unitOf } from "../../report/words/figures.ts";

/** The metrics that rules apply to, each once, in the rules' order. */
export function measuredTargets(rules: readonly MetricPlace[]): readonly MetricPlace[] {
  const targets = new Map(
    rules.map(({ task, candidate, metric }): [string, MetricPlace] => [
      JSON.stringify([task, candidate, metric]),
      { task, candidate, metric },
    ]),
  );
  return [...targets.values()];
}

/** Variation of a metric over runs of the same suite; undefined if no case has a score in all of them. */
export function measureNoise(
  runs: readonly StoredRun[],
  target: MetricPlace,
): MetricNoise | undefined {
  const [first] = runs;
  const spec = first && specOf(first, target);
  if (first === undefined || spec === undefined) return undefined;
  const groups = runs.map(({ ledger }) => ledger.group(target.task, target.candidate));
  // A batch grader's number for all cases together says nothing about a single case.
  if (groups.some((group) => group?.given(target.metric) !== undefined)) return undefined;
  const scores = scoresByCase(groups, spec);
  if (scores.length === 0) return undefined;
  const values = runs.map((_, at) => statistics.mean(scores.map(({ byRun }) => byRun[at] ?? 0)));
  const repeats = ownValue(first.run.suite.tasks, target.task)?.repeats ?? 1;
  const found = varianceOf(scores);
  const flickering = scores.filter(({ byRun }) => byRun.some((score) => score !== byRun[0]));
  return {
    ...target,
    unit: unitOf(first.run, target),
    cases: scores.length,
    repeats,
    values,
    between: found?.between ?? null,
    within: found?.within ?? null,
    run_sd: values.length < 2 ? null : standardDeviation(values),
    expected_sd: found === undefined ? null : expectedSd(found.within, scores),
    flickering: { count: flickering.length, cases: mostVaried(flickering) },
    steady: countSteady(scores, spec),
  };
}

function specOf({ run }: StoredRun, { task, metric }: MetricPlace): MetricSpec | undefined {
  const own = ownValue(run.suite.tasks, task)?.metrics ?? [];
  return withSampleMetrics(own).find(({ id }) => id === metric);
}

/** Scores of a case: its mean in each run, and one value per sample. */
interface CaseScores {
  readonly caseId: string;
  readonly byRun: readonly number[];
  readonly samples: readonly number[];
}

function scoresByCase(
  groups: readonly (LedgerGroup | undefined)[],
  spec: MetricSpec,
): readonly CaseScores[] {
  const present = groups.filter((group) => group !== undefined);
  const substitutes = substituteScores(spec, present);
  const found = new Map<string, { byRun: number[]; samples: number[] }>();
  for (const group of present) {
    const cases = casesOf(group);
    const sampleScore = (i: number): number | undefined =>
      countedScore(group, i, { id: spec.id, substitutes });
    const reduced = caseScores(cases, sampleScore, spec.reducer);
    for (const [c, score] of reduced.entries()) {
      if (!Number.isFinite(score)) continue;
      const samples = [...cases.samples.subarray(cases.starts[c], cases.starts[c + 1])];
      const caseId = group.caseId(samples[0] ?? 0);
      const known = found.get(caseId) ?? { byRun: [], samples: [] };
      found.set(caseId, known);
      known.byRun.push(score);
      // A reducer other than the mean makes one score from all repeats of a case, so only whole runs repeat it.
      const plain = (spec.reducer?.kind ?? "mean") === "mean";
      known.samples.push(...(plain ? samples.flatMap((i) => sampleScore(i) ?? []) : [score]));
    }
  }
  return [...found]
    .filter(([, { byRun }]) => byRun.length === groups.length)
    .map(([caseId, { byRun, samples }]) => ({ caseId, byRun, samples }));
}

function varianceOf(
  scores: readonly CaseScores[],
): { readonly between: number; readonly within: number } | undefined {
  if (scores.length < 2) return undefined;
  const { between, within } = statistics.varianceComponents(scores.map(({ samples }) => samples));
  return between === undefined || within === undefined ? undefined : { between, within };
}

/** Standard deviation of a run's mean, if the noise of its cases alone moves it. */
function expectedSd(within: number, scores: readonly CaseScores[]): number {
  const runs = scores[0]?.byRun.length ?? 1;
  const samples = statistics.mean(scores.map((one) => one.samples.length)) / runs;
  return Math.sqrt(within / samples / scores.length);
}

/** The sample standard deviation. */
function standardDeviation(values: readonly number[]): number {
  const centre = statistics.mean(values);
  const squares = values.map((value) => (value - centre) ** 2);
  return Math.sqrt((statistics.mean(squares) * values.length) / (values.length - 1));
}

function mostVaried(cases: readonly CaseScores[]): readonly FlickeringCase[] {
  return cases
    .map(({ caseId, byRun }) => ({ case_id: caseId, scores: byRun, by: standardDeviation(byRun) }))
    .toSorted((a, b) => (a.by === b.by ? (a.case_id < b.case_id ? -1 : 1) : b.by - a.by))
    .slice(0, changedCasesKept)
    .map(({ case_id, scores }) => ({ case_id, scores }));
}

function countSteady(
  scores: readonly CaseScores[],
  { range, higher_is_better }: MetricSpec,
): number | null {
  const good = range?.[higher_is_better ? 1 : 0];
  if (good === undefined) return null;
  return scores.filter(({ byRun }) => byRun.every((score) => score === good)).length;
}
