import { nearest } from "../../base/nearest.ts";
import { at, isPresent, type Part, placeOf, textOf } from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import { type Traced, traced, tracedFields } from "../origin.ts";
import {
  refuseValue,
  flagOf,
  fullScalar,
  isGiven,
  mappingList,
  mappingOf,
  refuseKey,
  tellIdle,
  wholeNumber,
  type WazaEval,
} from "./eval.ts";
import { type Executor, readExecutor } from "./executor.ts";
import { modelNamed } from "./judge-model.ts";
import { projectJudge } from "./project.ts";
import { checkSkills } from "./skills.ts";
import { keysSinceE3 } from "./era.ts";

/** Settings of `config` that affect a run. */
export interface WazaConfig {
  readonly trials: number;
  /** If above 1, a task is run this many times, and passes if one answer does. */
  readonly attempts: number;
  readonly executor: Executor;
  readonly run: Traced | undefined;
}

const known = [
  "trials_per_task",
  "timeout_seconds",
  "parallel",
  "max_workers",
  "workers",
  "fail_fast",
  "executor",
  "model",
  "max_attempts",
  "group_by",
  "judge_model",
  "skill_directories",
  "required_skills",
  "mcp_servers",
  ...keysSinceE3,
];

/** Reads `config`. Keys that are not available here are refused; keys without effect are reported. */
export async function readConfig(file: WazaEval): Promise<WazaConfig> {
  const config = mappingOf(at(file.root, "config"), { known, what: "`config`" }, file);
  if (!isGiven(config))
    refuseValue(config, "a mapping with trials_per_task, executor and model", file);
  const trials = counted(at(config, "trials_per_task"), file);
  counted(at(config, "timeout_seconds"), file);
  refuseElsewhere(config, file);
  await checkSkills(config, file);
  return {
    trials,
    attempts: attemptsIn(at(config, "max_attempts"), trials, file),
    executor: readExecutor(config, file),
    run: readRun(config, await projectJudge(file), file),
  };
}

/** A count without which waza's Go versions refuse the file. */
function counted(part: Part, file: WazaEval): number {
  const count = wholeNumber(part, 1, file);
  if (!isGiven(part) && file.era !== "E0") refuseValue(part, "a whole number of at least 1", file);
  return count ?? 1;
}

/**
 * waza runs a task again until it passes, and shows only the last attempt. Here all attempts are run and kept, and the
 * task passes if one of them does, which is as likely.
 */
function attemptsIn(part: Part, trials: number, file: WazaEval): number {
  const attempts = wholeNumber(part, 1, file) ?? 1;
  if (attempts === 1 || trials === 1) return attempts;
  refuseKey(
    part,
    "Together with trials_per_task it hides how often a task fails. Remove one of the two: with trials_per_task: 1 a task passes if one of max_attempts answers does; without max_attempts every trial must pass.",
    file,
  );
  return 1;
}

/** Refuses features that are not available here, by name. */
function refuseElsewhere(config: Part, file: WazaEval): void {
  for (const key of [
    "instruction_files",
    "trigger_skill_routing",
    "disabled_skills",
    "reasoning_effort",
    "judge_reasoning_effort",
  ])
    refuseKey(
      at(config, key),
      "Describe the agent in a manifest with `uses:` this file and `candidates`.",
      file,
    );
  if (flagOf(at(config, "fail_fast"), file))
    tellIdle(at(config, "fail_fast"), "every task runs, so that runs can be compared", file);
  const groups = at(config, "group_by");
  // A report in waza's format always groups by model.
  if (isGiven(groups) && textOf(groups) !== "model")
    tellIdle(at(config, "group_by"), "results of each candidate stand on their own", file);
  if (isGiven(at(config, "mcp_servers")))
    tellIdle(at(config, "mcp_servers"), "waza reads it and never starts them", file);
}

const mostConcurrent = 25;
const usualWorkers = 4;

function readRun(config: Part, shared: Part | undefined, file: WazaEval): Traced | undefined {
  const parallel = at(config, "parallel");
  const isParallel = flagOf(parallel, file);
  const workers = at(config, isPresent(at(config, "workers")) ? "workers" : "max_workers");
  const count = wholeNumber(workers, 1, file) ?? usualWorkers;
  const own = at(config, "judge_model");
  const named = isGiven(own) ? own : (shared ?? own);
  const model = modelNamed(named, file);
  const judge = model === undefined ? undefined : traced(model, placeOf(named));
  const concurrency = isParallel
    ? traced(Math.min(count, mostConcurrent), placeOf(parallel))
    : undefined;
  if (judge === undefined && concurrency === undefined) return undefined;
  return tracedFields({ judge_model: judge, concurrency }, placeOf(config));
}

/** Refuses top-level keys that only the newest versions have, and hooks. */
export function refuseRootKeys(file: WazaEval): void {
  const { root } = file;
  refuseKey(
    at(root, "hooks"),
    "Regrade starts no programs beside the agent: put the commands into the workflow, as steps before and after this one.",
    file,
  );
  for (const key of ["scenario", "mcp_mocks", "command_mocks"])
    refuseKey(
      at(root, key),
      "Run this file with waza, and gate its results: regrade run --results results.json --format waza.",
      file,
    );
}

/**
 * Warns about settings without effect: those that depend on a missing key, and those that concern waza's own program.
 */
export function tellIdleKeys(file: WazaEval): void {
  const { root } = file;
  const hasTable = isGiven(at(root, "tasks_from"));
  for (const key of hasTable ? [] : ["inputs", "range"])
    if (isGiven(at(root, key))) tellIdle(at(root, key), "it belongs to `tasks_from`", file);
  const tasks = at(root, "tasks").value;
  if (hasTable && Array.isArray(tasks) && tasks.length > 0)
    tellIdle(at(root, "tasks"), "with `tasks_from` waza reads no task files", file);
  const config = at(root, "config");
  for (const key of ["first_event_timeout_seconds", "inject_skill_body"])
    if (isGiven(at(config, key)))
      tellIdle(at(config, key), "it is about how waza's own program starts the agent", file);
}

const metricKeys = ["name", "description", "type", "weight", "threshold", "enabled", "config"];

/**
 * waza reads this list but computes only one metric. A misspelt metric or threshold would therefore check nothing, so
 * it is refused.
 */
export function tellMetrics(file: WazaEval): void {
  const list = at(file.root, "metrics");
  const names = mappingList(list, file).flatMap((part) => {
    mappingOf(part, { known: metricKeys, what: "a metric" }, file);
    const name = fullScalar(at(part, "name"), file);
    if (name === undefined || name === "trigger_accuracy") return [];
    if (nearest(name, ["trigger_accuracy"]) === undefined) return [name];
    refuseValue(at(part, "name"), "spelt trigger_accuracy, if that is what it is to be", file);
    return [];
  });
  if (names.length > 0) file.warn(problem("waza_metrics_idle", { names }, placeOf(list)));
}
