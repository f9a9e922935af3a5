import type { JsonObject } from "../../model/json.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import { createUsageSum, deviationOf, meanInterval, meanOrZero } from "./waza-figures.ts";
import { normalizedGain } from "./waza-impact.ts";
import { intervalPart, type TaskOutcome } from "./waza-task.ts";

/** The figures of a task that `summary` needs. */
type Counted = Pick<TaskOutcome, "isPassed" | "score" | "weighted" | "group">;

/** Figures of all tasks, added one by one. */
interface Total {
  readonly add: (task: Counted, samples: readonly Sample[]) => void;
  readonly trials: () => number;
  /** `before`: success rate without the skills; undefined if there is nothing to compare with. */
  readonly summary: (before?: number) => JsonObject;
}

/** An empty total. */
export function createTotal(): Total {
  const tasks: Counted[] = [];
  const usage = createUsageSum();
  let [trials, duration] = [0, 0];
  const rate = (): number =>
    tasks.length === 0 ? 0 : tasks.filter(({ isPassed }) => isPassed).length / tasks.length;
  return {
    add: ({ isPassed, score, weighted, group }, samples) => {
      tasks.push({ isPassed, score, weighted, group });
      trials = Math.max(trials, samples.length);
      for (const sample of samples) {
        duration += Math.round(sample.latency_ms ?? 0);
        usage.add(sample);
      }
    },
    trials: () => trials,
    summary: (before) => {
      const groups = groupStats(tasks);
      return {
        ...figuresOf(tasks),
        success_rate: rate(),
        duration_ms: duration,
        ...usage.part(),
        ...statisticsPart({ tasks, trials, gain: gainOf(before, rate()) }),
        ...(groups !== undefined && { groups: [...groups] }),
      };
    },
  };
}

function gainOf(before: number | undefined, after: number): number | undefined {
  return before === undefined ? undefined : normalizedGain(before, after);
}

function figuresOf(tasks: readonly Counted[]): JsonObject {
  const scores = tasks.map(({ score }) => score);
  const passed = tasks.filter(({ isPassed }) => isPassed).length;
  return {
    total_tests: tasks.length,
    succeeded: passed,
    failed: tasks.length - passed,
    // In waza no task is an error or skipped.
    errors: 0,
    skipped: 0,
    aggregate_score: meanOrZero(scores),
    weighted_score: meanOrZero(tasks.map(({ weighted }) => weighted)),
    min_score: scores.reduce((least, score) => Math.min(least, score), 1),
    max_score: scores.reduce((most, score) => Math.max(most, score), 0),
    std_dev: deviationOf(scores),
  };
}

interface Statistics {
  readonly tasks: readonly Counted[];
  readonly trials: number;
  readonly gain: number | undefined;
}

function statisticsPart({ tasks, trials, gain }: Statistics): JsonObject {
  const hasInterval = trials > 1 && tasks.length > 1;
  if (!hasInterval && gain === undefined) return {};
  const weighted = tasks.map((task) => task.weighted);
  return {
    statistics: {
      ...(hasInterval && intervalPart(meanInterval(weighted))),
      ...(gain !== undefined && { normalized_gain: gain }),
    },
  };
}

/** `groups` in the order of their first task; undefined if no task belongs to a group. */
function groupStats(tasks: readonly Counted[]): readonly JsonObject[] | undefined {
  const groups = Map.groupBy(
    tasks.filter(({ group }) => group !== ""),
    ({ group }) => group,
  );
  if (groups.size === 0) return undefined;
  return [...groups].map(([name, members]) => ({
    name,
    passed: members.filter(({ isPassed }) => isPassed).length,
    total: members.length,
    avg_score: meanOrZero(members.map(({ score }) => score)),
  }));
}
