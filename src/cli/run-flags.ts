import { type Command, InvalidArgumentError, Option } from "commander";
import type { JsonObject } from "../model/json.ts";
import { readConcurrency, readSetting, type Overrides } from "../model/definition/overrides.ts";
import { readShard } from "../model/outcomes/shard.ts";
import { collect, collectPairs, pythonOption, sandboxOption, strictOption } from "./options.ts";

/** Examples at the end of the help of `regrade run`. */
export const runExamples = `
Examples:
  regrade run evals/support.yaml --baseline runs/main
  regrade run evals/support.yaml --report                  and report.html, which 'regrade view' opens too
  regrade run evals/support.yaml --policy-from origin/main   by main's rules, and by the change's own
  regrade run evals/support.yaml --task "qa*" --candidate app
  regrade run evals/support.yaml --case c42 --case "billing-*"    these cases alone
  regrade run evals/support.yaml --failed                  what broke or failed in the last run, again
  regrade run evals/support.yaml --model openai:gpt-5.4-mini --generation temperature=0   another model, just now
  regrade run evals/support.yaml --watch --failed          while you mend it
  regrade run evals/support.yaml --max-samples 50          a quick look: the same 50 cases each time
  regrade run evals/support.yaml --dry-run                 what would it cost?
  regrade run evals/support.yaml --shard 2/4 --out runs/shard-2   the second of four machines
  regrade run evals/support.yaml --out runs/today          then, after an interruption:
  regrade run evals/support.yaml --out runs/today --resume
  regrade run --results out.json --format promptfoo --baseline runs/main   what another tool recorded
`;

/** Adds the flags that take precedence over the manifest's `run`. */
export function withFlagChoices(command: Command): Command {
  return command
    .option(
      "--max-samples <n>",
      "only this many cases of each task, chosen at random with a fixed seed: the same ones in every run",
      readCount,
    )
    .option(
      "--repeats <n>",
      "this many samples of each case, instead of each task's own number",
      readCount,
    )
    .option(
      "--metadata <key=value>",
      "an identifier of your own for run.json (repeatable)",
      collectPairs,
      {},
    );
}

/** Flags whose values override the manifest's. */
export interface OverrideFlags {
  readonly model: readonly string[];
  readonly judgeModel: string | undefined;
  readonly embeddingModel: string | undefined;
  readonly concurrency: number | "auto" | undefined;
  readonly generation: JsonObject;
}

export function withOverrideFlags(command: Command): Command {
  return command
    .option(
      "-m, --model <provider:model>",
      "judge this model in place of the manifest's candidates (repeatable); if there is one candidate slot, it keeps its name",
      collect,
      [],
    )
    .option("--judge-model <provider:model>", "the judge model, instead of run.judge_model")
    .option(
      "--embedding-model <provider:model>",
      "the embedding model, instead of run.embedding_model",
    )
    .option(
      "--concurrency <n>",
      "number of requests in flight, 1 to 25, shared by the candidates; or auto",
      concurrencyIn,
    )
    .option(
      "--generation <key=value>",
      "a setting of model calls, such as temperature=0 or reasoning.effort=low (repeatable)",
      collectSettings,
      {},
    );
}

/** The overrides that were given; undefined if there are none. */
export function overridesIn(flags: OverrideFlags): Overrides | undefined {
  const { model, judgeModel, embeddingModel, concurrency, generation } = flags;
  const given: Overrides = {
    ...(model.length > 0 && { models: model }),
    ...(judgeModel !== undefined && { judge_model: judgeModel }),
    ...(embeddingModel !== undefined && { embedding_model: embeddingModel }),
    ...(concurrency !== undefined && { concurrency }),
    ...(Object.keys(generation).length > 0 && { generation }),
  };
  return Object.keys(given).length === 0 ? undefined : given;
}

function concurrencyIn(text: string): number | "auto" {
  const value = readConcurrency(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError("Give a whole number from 1 to 25, or auto.");
}

function collectSettings(text: string, before: JsonObject): JsonObject {
  const setting = readSetting(text);
  if (setting === undefined)
    throw new InvalidArgumentError("Write it as KEY=VALUE, such as temperature=0.");
  return { ...before, [setting[0]]: setting[1] };
}

function readCount(value: string): number {
  const count = Number(value);
  if (/^[1-9][0-9]*$/.test(value) && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError("Give a whole number of 1 or more.");
}

/** Option `--junit`. It is not for plans, which have no tests. */
export function junitOption(): Option {
  const description = "write all runs as JUnit XML too, for tools that show tests";
  return new Option("--junit <file>", description).conflicts("dryRun");
}

/** Option `--watch`. Each run gets a separate directory. */
export function watchOption(): Option {
  const description = "run again whenever a file of the repository changes, until Ctrl-C";
  return new Option("--watch", description)
    .default(false)
    .conflicts(["dryRun", "out", "shard", "resume", "policyFrom"]);
}

export function pageOption(): Option {
  const description =
    "write report.html into the run directory too: one file with every case, for a browser";
  return new Option("--report", description).default(false).conflicts("dryRun");
}

export function shardOption(): Option {
  return new Option(
    "--shard <i/n>",
    "only the i-th of n parts of the cases, with its share of budget and rates; 'regrade merge' joins them",
  ).argParser((value) => {
    const shard = readShard(value);
    if (shard !== undefined) return shard;
    throw new InvalidArgumentError("Write I/N, counted from 1: 2/4 is the second of four.");
  });
}

/** Adds the flags for strictness and for running graders. */
export function withGraderFlags(command: Command): Command {
  return command.addOption(strictOption()).addOption(sandboxOption()).addOption(pythonOption());
}
