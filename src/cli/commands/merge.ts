import type { Command } from "commander";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { mergeShards } from "../../runs/merge-shards.ts";
import { toolsFor, withBase, type Chosen, type CliContext } from "../context.ts";
import { pythonOption, sandboxOption, type GraderFlags } from "../options.ts";
import { printFinished, type PrintFlags } from "../print-run.ts";

interface MergeFlags extends GraderFlags, PrintFlags {
  readonly out: string;
  readonly suite: string | undefined;
  readonly baseline: string | undefined;
  readonly policyFrom: string | undefined;
}

/** Declares `regrade merge`. */
export function declareMerge(program: Command, chosen: Chosen): void {
  program
    .command("merge")
    .description("join the shards of a run and judge them once: the verdict of the whole")
    .argument("<dir...>", "run directories that 'regrade run --shard' wrote, in any order")
    .requiredOption("-o, --out <dir>", "run directory of the whole")
    .option("--suite <manifest>", "the suite's manifest (default: where the shards had it)")
    .option(
      "-b, --baseline <dir>",
      "run directory to compare with, or 'none' (default: the manifest's gate.baseline)",
    )
    .option("--policy-from <ref>", "the git ref (or folder) that was given to the shards")
    .addOption(sandboxOption())
    .addOption(pythonOption())
    .option("--json", "write run.json to standard output", false)
    .option("-q, --quiet", "no progress and no table", false)
    .addHelpText(
      "after",
      `
Examples:
  regrade run evals/support.yaml --shard 1/2 --out runs/1    on one machine
  regrade run evals/support.yaml --shard 2/2 --out runs/2    on another
  regrade merge runs/1 runs/2 --out runs/whole               where both directories are

Start it in the folder where the shards were started, on the same commit. A shard that is missing, is there twice,
was stopped or is of another plan: nothing is judged, and exit code 2.
`,
    )
    .action((directories: string[], flags: MergeFlags) =>
      chosen((context) => mergeRuns(directories, flags, context)),
    );
}

/** Merges shards and judges the whole; the exit code is the verdict's. */
async function mergeRuns(
  directories: readonly string[],
  flags: MergeFlags,
  context: CliContext,
): Promise<number> {
  const tools = toolsFor(flags, context);
  const { out, suite: manifest, baseline } = flags;
  const finished = await withBase(flags, tools, (policyFrom) => {
    const request = { directories, out, manifest, baseline, policyFrom };
    return mergeShards({ ...request, publish: "failures" }, tools);
  });
  printFinished(finished, flags, context);
  if (finished.run.status === "cancelled") return exitCodes.interrupted;
  return exitCodes[finished.run.gate.verdict];
}
