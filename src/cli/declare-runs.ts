import type { Command, Option } from "commander";
import { headOfResults, type ResultsFlags, withResults } from "./declare-results.ts";
import type { Compared } from "../analyse/compare.ts";

/** What is asked of runs that there are. */
export type AskedOfRuns =
  | ({ readonly command: "compare" } & Compared & CompareFlags)
  | ({ readonly command: "report"; readonly directory: string } & ReportFlags)
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

export interface ReportFlags {
  /** A file for JUnit XML. */
  readonly junit: string | undefined;
  readonly json: boolean;
}

export interface CompareFlags extends ResultsFlags {
  readonly suite: string | undefined;
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

/** `regrade compare` */
export function declareCompare(program: Command, found: Found): void {
  withResults(program.command("compare"))
    .description(
      "judge one run against another by the rules recorded in HEAD: the same verdict as in CI",
    )
    .argument(
      "<base...>",
      "run directory of the baseline, or a file of another tool's results; several directories are runs of the same input, taken together",
    )
    .usage("[options] <base...> <head>")
    .option(
      "--suite <manifest>",
      "judge by this manifest's gate instead of the one recorded in HEAD",
    )
    .option("--json", "write the judged run.json to standard output", false)
    .addHelpText(
      "after",
      `
Examples:
  regrade compare runs/main runs/today                     what did CI say, and why?
  regrade compare runs/main runs/today --suite evals/support.yaml    … and by the rules as they are now?
  regrade compare runs/main runs/today --json | jq .gate.verdict
  regrade compare runs/main-1 runs/main-2 runs/today       … with two runs of main together
  regrade compare main.json today.json --max-drop 0.02     results of another tool, before and after
  regrade compare runs/main --results a.json b.json        … of which today's are in two files
`,
    )
    .action((directories: string[], flags: CompareFlags, command: Command) => {
      const isNamed = flags.results !== undefined;
      const [first, ...others] = isNamed ? directories : directories.slice(0, -1);
      const head = isNamed ? headOfResults : directories.at(-1);
      if (first === undefined || head === undefined)
        return command.error("error: missing required argument 'head'");
      return found({ command: "compare", base: [first, ...others], head, ...flags });
    });
}

/** `regrade report` */
export function declareReport(program: Command, found: Found): void {
  program
    .command("report")
    .description("write a run's summary.md again, and to standard output")
    .argument("<dir>", "run directory")
    .option("--junit <file>", "write the run as JUnit XML too, for tools that show tests")
    .option("--json", "write run.json to standard output, in place of the summary", false)
    .addHelpText(
      "after",
      `
Examples:
  regrade report runs/today
  regrade report runs/today >> "$GITHUB_STEP_SUMMARY"
  regrade report runs/today --junit junit.xml              for GitLab, Jenkins, Azure and their like
  regrade report runs/today --json | jq .metrics
`,
    )
    .action((directory: string, flags: ReportFlags) =>
      found({ command: "report", directory, ...flags }),
    );
}
