import { type Command, InvalidArgumentError, Option } from "commander";
import { readShard } from "../model/shard.ts";
import { collectPairs, pythonOption, sandboxOption, strictOption } from "./options.ts";

/** The end of the help of `regrade run`. */
export const runExamples = `
Examples:
  regrade run evals/support.yaml --baseline runs/main
  regrade run evals/support.yaml --report                  and report.html, which 'regrade view' opens too
  regrade run evals/support.yaml --policy-from origin/main   by main's rules, and by the change's own
  regrade run evals/support.yaml --task "qa*" --candidate app
  regrade run evals/support.yaml --case c42 --case "billing-*"    these cases alone
  regrade run evals/support.yaml --failed                  what broke or failed in the last run, again
  regrade run evals/support.yaml --max-samples 50          a quick look: the same 50 cases each time
  regrade run evals/support.yaml --dry-run                 what would it cost?
  regrade run evals/support.yaml --shard 2/4 --out runs/shard-2   the second of four machines
  regrade run evals/support.yaml --out runs/today          then, after an interruption:
  regrade run evals/support.yaml --out runs/today --resume
  regrade run --results out.json --format promptfoo --baseline runs/main   what another tool recorded
`;

/** Adds the flags that go before the manifest's `run`. */
export function withFlagChoices(command: Command): Command {
  return command
    .option(
      "--max-samples <n>",
      "only so many cases of each task, chosen by a seeded draw: the same ones in every run",
      readCount,
    )
    .option("--repeats <n>", "so many samples of each case, whatever the tasks say", readCount)
    .option(
      "--metadata <key=value>",
      "an identifier of your own for run.json (repeatable)",
      collectPairs,
      {},
    );
}

function readCount(value: string): number {
  const count = Number(value);
  if (/^[1-9][0-9]*$/.test(value) && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError("Give a whole number of 1 or more.");
}

/** A plan has no tests. */
export function junitOption(): Option {
  const description = "write all runs as JUnit XML too, for tools that show tests";
  return new Option("--junit <file>", description).conflicts("dryRun");
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

/** Adds the flags that say how strictly suites are read, and how graders are run. */
export function withGraderFlags(command: Command): Command {
  return command.addOption(strictOption()).addOption(sandboxOption()).addOption(pythonOption());
}
