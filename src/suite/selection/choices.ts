import type { JsonObject } from "../../model/json.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Problem } from "../../model/refusal.ts";
import { chosenCases, chosenSamples } from "../../model/outcomes/chosen.ts";
import type { Overrides } from "../../model/definition/overrides.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Suite, Task } from "../../model/definition/suite.ts";

/** Choices of a run by flags, which override the manifest's `run`. */
export interface RunChoices {
  readonly maxSamples?: number | undefined;
  /** Globs of case ids: only matching cases run, even if `max_samples` would draw others. None: all cases. */
  readonly cases?: readonly string[] | undefined;
  /** `field=glob` over rows: only matching cases run. None: all cases. */
  readonly where?: readonly string[] | undefined;
  /** One value for every task, or a value for each task id. */
  readonly repeats?: number | Readonly<Record<string, number>> | undefined;
  readonly metadata?: JsonObject | undefined;
  /** Values that replace the manifest's, and are read together with it. */
  readonly overrides?: Overrides | undefined;
}

/** The suite with this run's choices. Throws a Refusal if its tasks can't be run with them. */
export function withChoices<T extends { readonly suite: Suite }>(
  resolved: T,
  { maxSamples, cases = [], where = [], repeats, metadata, overrides }: RunChoices = {},
): T {
  const { max_samples: declared, ...suite } = resolved.suite;
  const most = cases.length + where.length > 0 ? undefined : (maxSamples ?? declared);
  const tasks = suite.tasks.map((task) => repeated(task, repeatsOf(task, repeats)));
  const problems = tasks.flatMap(reducerProblems);
  if (problems.length > 0) throw new Refusal(problems);
  const chosen: Suite = {
    ...suite,
    ...(repeats !== undefined && { tasks }),
    ...(most !== undefined && { max_samples: most }),
    ...(cases.length > 0 && { only_cases: cases }),
    ...(where.length > 0 && { only_where: where }),
    ...(overrides !== undefined && { overrides }),
    ...(metadata !== undefined && { run_metadata: { ...suite.run_metadata, ...metadata } }),
  };
  return { ...resolved, suite: chosen };
}

function repeatsOf({ id, repeats }: Task, asked: RunChoices["repeats"]): number {
  return (typeof asked === "object" ? asked[id] : asked) ?? repeats;
}

function repeated(task: Task, repeats: number): Task {
  return task.repeats === repeats ? task : { ...task, repeats };
}

/** Checks only repeats that a flag reduced; the manifest's own have been checked. */
function reducerProblems({ metrics, repeats, grader }: Task): readonly Problem[] {
  if (grader.type === "recorded") return [];
  return metrics.flatMap(({ reducer }) => {
    if (reducer === undefined || !("k" in reducer) || reducer.k <= repeats) return [];
    const name = { pass_at_k: "pass@", pass_hat_k: "pass^", at_least_k: "at_least_" }[reducer.kind];
    return [problem("reducer_repeats", { name: `${name}${reducer.k}`, k: reducer.k, repeats })];
  });
}

/** The choices of an existing run, with the repeats of each task. */
interface ChosenByTask extends RunChoices {
  readonly repeats: Readonly<Record<string, number>>;
}

/** A run's choices, by flags or manifest, so that another run can repeat them. */
export function choicesIn(run: Run): ChosenByTask {
  const repeats = Object.entries(run.suite.tasks).map(([id, task]) => [id, task.repeats] as const);
  return {
    repeats: Object.fromEntries(repeats),
    maxSamples: chosenSamples(run),
    cases: chosenCases(run),
    metadata: run.metadata,
    overrides: run.overrides,
  };
}
