import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { readShard, type ShardChoice } from "../model/shard.ts";
import { type AskedToCalibrate, declareCalibrate, declarePower } from "./declare-calibrate.ts";
import { type AskedOfMaking, declareImport, declareRerun, withChoices } from "./declare-making.ts";
import { givenIn, resultsFlagsIn, type ResultsFlags, withResults } from "./declare-results.ts";
import {
  type AskedOfRuns,
  declareCompare,
  declareMerge,
  declareReport,
  declareShow,
} from "./declare-runs.ts";

/** What the user asked for, as data: the front door acts on it. */
export type Asked =
  | ({ readonly command: "run"; readonly suites: readonly string[] } & RunFlags)
  | ({ readonly command: "validate"; readonly suites: readonly string[] } & ValidateFlags)
  | AskedOfRuns
  | AskedOfMaking
  | AskedToCalibrate
  | ({ readonly command: "init"; readonly directory: string } & InitFlags)
  | ({ readonly command: "doctor" } & DoctorFlags)
  /** Help, the version, or a mistake in the arguments: the text has been handed to `write` or `complain`. */
  | { readonly command: "none"; readonly exitCode: 0 | 2 };

export interface RunFlags extends ResultsFlags {
  /** Flags that were given and mean nothing beside results, or without them. */
  readonly idle: { readonly suites: readonly string[]; readonly results: readonly string[] };
  readonly out: string | undefined;
  /** A run directory, several that are taken together, or `none`; none of these: what the manifest says. */
  readonly baseline: readonly string[];
  /** A git ref, or a folder, whose policy judges. */
  readonly policyFrom: string | undefined;
  readonly candidate: readonly string[];
  readonly task: readonly string[];
  readonly shard: ShardChoice | undefined;
  /** A seeded subset of each task's cases, of so many. */
  readonly maxSamples: number | undefined;
  readonly repeats: number | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly resume: boolean;
  /** Whether answers of earlier runs may stand for new ones. */
  readonly cache: boolean;
  /** The folder of those answers; undefined: the user's own cache folder. */
  readonly cachePath: string | undefined;
  /** Prepare, tell what would be done and what it may cost, and stop there. */
  readonly dryRun: boolean;
  readonly sandbox: "auto" | "required" | "off";
  readonly python: string;
  /** A file for JUnit XML of all runs. */
  readonly junit: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

export interface ValidateFlags {
  readonly python: string;
  readonly quiet: boolean;
}

export interface DoctorFlags {
  readonly sandbox: "auto" | "required" | "off";
  readonly python: string;
  readonly json: boolean;
}

/** undefined: asked for, or chosen by default. */
export interface InitFlags {
  readonly yes: boolean;
  readonly name?: string;
  readonly candidate?: string;
  readonly dataset?: string;
  readonly prompt?: string;
  readonly target?: string;
  readonly grader?: string;
  readonly workflow: boolean;
}

export interface Terminal {
  readonly version: string;
  readonly write: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** Reads the arguments (without node and script). */
export async function readArguments(argv: readonly string[], terminal: Terminal): Promise<Asked> {
  let asked: Asked = { command: "none", exitCode: 0 };
  const program = declareProgram(terminal, (found) => {
    asked = found;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return asked;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { command: "none", exitCode: error.exitCode === 0 ? 0 : 2 };
  }
}

function declareProgram(terminal: Terminal, found: (asked: Asked) => void): Command {
  const program = new Command("regrade")
    .description(
      "Runs evals and says, with the statistics to back it, whether a change made them worse.",
    )
    .version(terminal.version, "-V, --version")
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.complain })
    .showHelpAfterError("(regrade --help shows what there is)")
    .exitOverride()
    .addHelpText("after", examples);
  const shared = { sandbox: sandboxOption, python: pythonOption };
  declareRun(program, found);
  declareRerun(program, found, shared);
  declareValidate(program, found);
  declareCompare(program, found);
  declareReport(program, found);
  declareMerge(program, found, shared);
  declareShow(program, found);
  declareCalibrate(program, found, shared);
  declarePower(program, found, shared);
  declareInit(program, found);
  declareImport(program, found, shared);
  declareDoctor(program, found);
  return program;
}

const examples = `
Examples:
  regrade init                                             write a first suite and a workflow
  regrade validate evals/support.yaml                      is the suite all right?
  regrade run evals/support.yaml                           run it; the exit code is the verdict
  regrade run evals/support.yaml --baseline runs/main      … compared with an earlier run
  regrade run evals/*.yaml --out runs/today                several suites, each in a folder of its own
  regrade run --results out.json --max-drop 0.02           what another tool recorded, judged
  regrade compare runs/main runs/today                     the same gate on two runs, nothing run again
  regrade report runs/today                                its summary as markdown, once more
  regrade show runs/today c42                              one case: prompt, before and after, the grader's words
  regrade merge runs/shard-* --out runs/whole              shards to one run, judged once
  regrade calibrate evals/support.yaml                     is its gate right about runs that changed nothing?
  regrade power runs/today                                 how many cases prove a drop of which size?
  regrade doctor                                           can graders be held in here?

Exit codes: 0 pass or neutral, 1 fail, 2 refused (manifest, arguments), 3 inconclusive,
4 error (infrastructure, too many errors), 70 a bug in Regrade, 130 interrupted.
`;

const runExamples = `
Examples:
  regrade run evals/support.yaml --baseline runs/main
  regrade run evals/support.yaml --policy-from origin/main   by main's rules, and by the change's own
  regrade run evals/support.yaml --task "qa*" --candidate app
  regrade run evals/support.yaml --max-samples 50          a quick look: the same 50 cases each time
  regrade run evals/support.yaml --dry-run                 what would it cost?
  regrade run evals/support.yaml --shard 2/4 --out runs/shard-2   the second of four machines
  regrade run evals/support.yaml --out runs/today          then, after an interruption:
  regrade run evals/support.yaml --out runs/today --resume
  regrade run --results out.json --format promptfoo --baseline runs/main   what another tool recorded
`;

function declareRun(program: Command, found: (asked: Asked) => void): void {
  withResults(withChoices(program.command("run")))
    .description(
      "run suites and judge them, or judge results of another tool; the exit code is the worst verdict's",
    )
    .argument("[suite...]", "suite manifests (YAML or JSON)")
    .option(
      "-o, --out <dir>",
      "run directory (default: .regrade/runs/<run id>); several suites get a folder each in it",
    )
    .option(
      "-b, --baseline <dir>",
      "run directory to compare with, or 'none' (default: the manifest's gate.baseline); repeated: runs of the same input, taken together",
      collect,
      [],
    )
    .option(
      "--policy-from <ref>",
      "judge by the suite as this git ref (or folder) has it: a change can't rewrite its own rules unseen",
    )
    .option("--candidate <glob>", "only these candidates (repeatable)", collect, [])
    .option("--task <glob>", "only these tasks (repeatable)", collect, [])
    .addOption(shardOption())
    .option("--resume", "continue the interrupted run in --out: what is finished stays", false)
    .option(
      "--cache-path <dir>",
      "folder of the answers of earlier runs (default: the user's own cache folder)",
    )
    .option("--no-cache", "ask again also where an earlier run here was given the answer")
    .option(
      "--dry-run",
      "check everything, print what would run and what it may cost at most, and stop there",
      false,
    )
    .addOption(sandboxOption())
    .addOption(pythonOption())
    .addOption(junitOption())
    .option("--json", "write each run.json to standard output, one a line", false)
    .option("-q, --quiet", "no progress and no table", false)
    .addHelpText("after", runExamples)
    .action((suites: string[], flags: Omit<RunFlags, "idle">, command: Command) => {
      const idle = {
        suites: givenIn(command, idleWithResults),
        results: resultsFlagsIn(command),
      };
      found({ command: "run", suites, ...flags, idle });
    });
}

/** What makes no sense where nothing is run. */
const idleWithResults = {
  policyFrom: "--policy-from",
  shard: "--shard",
  maxSamples: "--max-samples",
  repeats: "--repeats",
  resume: "--resume",
  cache: "--no-cache",
  cachePath: "--cache-path",
  dryRun: "--dry-run",
  sandbox: "--sandbox",
  python: "--python",
} as const;

function declareValidate(program: Command, found: (asked: Asked) => void): void {
  program
    .command("validate")
    .description(
      "check everything that can be checked without running: manifest, data, graders, patterns",
    )
    .argument("<suite...>", "suite manifests (YAML or JSON)")
    .addOption(pythonOption())
    .option("-q, --quiet", "say nothing where all is well", false)
    .addHelpText(
      "after",
      `
Examples:
  regrade validate evals/support.yaml
  regrade validate evals/*.yaml --quiet                    in a hook before a commit: exit code 0 or 2
`,
    )
    .action((suites: string[], flags: ValidateFlags) =>
      found({ command: "validate", suites, ...flags }),
    );
}

function declareInit(program: Command, found: (asked: Asked) => void): void {
  program
    .command("init")
    .description("write a first suite and a workflow; asks on a terminal, overwrites nothing")
    .argument("[dir]", "folder for the suite, usually the repository's root", ".")
    .option("-y, --yes", "ask nothing: flags and defaults decide", false)
    .option("--name <name>", "the suite's name (default: the folder's)")
    .option("--dataset <file>", "JSONL or CSV file (default: a small example is written)")
    .option("--prompt <template>", "what is asked, with fields of a row: 'Answer: {{question}}'")
    .option("--target <template>", "the right answer: '{{answer}}'")
    .option("--grader <name>", "exact_match, contains, numeric or token_f1")
    .option("--candidate <what>", "'command' for a program, or a model as provider:model")
    .option("--no-workflow", "write no .github/workflows/evals.yml")
    .addHelpText(
      "after",
      `
Examples:
  regrade init                                             asks, and tells what it has written
  regrade init --yes && regrade run evals/*.yaml           an example that runs at once, offline
  regrade init --dataset data/qa.jsonl --candidate openai:gpt-4.1-mini
`,
    )
    .action((directory: string, flags: InitFlags) =>
      found({ command: "init", directory, ...flags }),
    );
}

function declareDoctor(program: Command, found: (asked: Asked) => void): void {
  program
    .command("doctor")
    .description(
      "tell what this machine offers, and let a grader try every known way out of the sandbox",
    )
    .addOption(sandboxOption())
    .addOption(pythonOption())
    .option("--json", "write the findings to standard output, as one line of JSON", false)
    .addHelpText(
      "after",
      `
Examples:
  regrade doctor
  regrade doctor --sandbox required                        exit code 4 where files and network can't be held
  regrade doctor --sandbox off                             what a grader could do without it
`,
    )
    .action((flags: DoctorFlags) => found({ command: "doctor", ...flags }));
}

/** A plan has no tests. */
function junitOption(): Option {
  const description = "write all runs as JUnit XML too, for tools that show tests";
  return new Option("--junit <file>", description).conflicts("dryRun");
}

function shardOption(): Option {
  return new Option(
    "--shard <i/n>",
    "only the i-th of n parts of the cases, with its share of budget and rates; 'regrade merge' joins them",
  ).argParser((value) => {
    const shard = readShard(value);
    if (shard !== undefined) return shard;
    throw new InvalidArgumentError("Write I/N, counted from 1: 2/4 is the second of four.");
  });
}

function sandboxOption(): Option {
  return new Option(
    "--sandbox <level>",
    "how graders are held in: as far as this machine can, fully or not run, not at all",
  )
    .choices(["auto", "required", "off"])
    .default("auto");
}

function pythonOption(): Option {
  return new Option("--python <path>", "interpreter for graders")
    .default("python3")
    .argParser(notEmpty);
}

function notEmpty(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("Name an interpreter.");
  return value;
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}
