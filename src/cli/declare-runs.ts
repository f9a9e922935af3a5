import type { Command, Option } from "commander";

/** What is asked of runs that there are. */
export type AskedOfRuns =
  | ({ readonly command: "merge"; readonly directories: readonly string[] } & MergeFlags)
  | ({ readonly command: "show"; readonly run: string; readonly caseId: string } & ShowFlags);

export interface MergeFlags {
  readonly out: string;
  readonly suite: string | undefined;
  readonly baseline: string | undefined;
  readonly policyFrom: string | undefined;
  readonly sandbox: "auto" | "required" | "off";
  readonly python: string;
  readonly json: boolean;
  readonly quiet: boolean;
}

export interface ShowFlags {
  /** Of a CI run with several suites. */
  readonly suite: string | undefined;
  readonly task: string | undefined;
  readonly candidate: string | undefined;
  readonly baseline: string | undefined;
  readonly repository: string | undefined;
  readonly json: boolean;
}

type Found = (asked: AskedOfRuns) => void;

/** `regrade merge` */
export function declareMerge(
  program: Command,
  found: Found,
  shared: { readonly sandbox: () => Option; readonly python: () => Option },
): void {
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
    .option("--policy-from <ref>", "the git ref (or folder) that the shards were given")
    .addOption(shared.sandbox())
    .addOption(shared.python())
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
      found({ command: "merge", directories, ...flags }),
    );
}

/** `regrade show` */
export function declareShow(program: Command, found: Found): void {
  program
    .command("show")
    .description("show one case of a run: prompt, before and after, the grader's words")
    .argument(
      "<run>",
      "run directory, or the id of a GitHub Actions run (the number in its address)",
    )
    .argument("<case>", "the case's id")
    .option("--suite <name>", "of a CI run with several suites: only this one")
    .option("--task <id>", "only this task")
    .option("--candidate <name>", "only this candidate")
    .option(
      "-b, --baseline <dir>",
      "run directory for 'before' (default: the one that the run was compared with), or 'none'",
    )
    .option(
      "--repository <owner/name>",
      "where the CI run is (default: GITHUB_REPOSITORY, else origin)",
    )
    .option("--json", "write {sample, before} to standard output, one a line", false)
    .addHelpText(
      "after",
      `
Examples:
  regrade show runs/today c42
  regrade show 17482910432 c42                             of a CI run: GITHUB_TOKEN or GH_TOKEN is needed
  regrade show runs/today c42 --json | jq .sample.output_text
`,
    )
    .action((run: string, caseId: string, flags: ShowFlags) =>
      found({ command: "show", run, caseId, ...flags }),
    );
}
