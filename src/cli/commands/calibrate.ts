import { type Command, InvalidArgumentError } from "commander";
import { extname, join } from "node:path";
import { calibrateRuns, findRuns, runRepeatedly } from "../../analyse/calibrate.ts";
import { calibrateJudge } from "../../analyse/judge-calibration.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { renderJudgeCalibration } from "../../report/terminal/judge-calibration.ts";
import { renderCalibration } from "../../report/terminal/calibration.ts";
import type { Tools } from "../../tools.ts";
import { toolsFor, type Chosen, type CliContext } from "../context.ts";
import { runNamed } from "../latest.ts";
import { pythonOption, sandboxOption, type GraderFlags } from "../options.ts";
import type { PrintFlags } from "../print-run.ts";

interface CalibrateFlags extends GraderFlags, PrintFlags {
  readonly paths: readonly string[];
  /** undefined: 5, if a suite is named. */
  readonly runs: number | undefined;
  readonly out: string | undefined;
  /** A file with people's labels. */
  readonly judge: string | undefined;
  /** The file in which the judge's calibration is kept. */
  readonly write: string | undefined;
}

const usualRuns = 5;

/** Declares `regrade calibrate`, which runs a suite against itself. */
export function declareCalibrate(program: Command, chosen: Chosen): void {
  program
    .command("calibrate")
    .description(
      "run a suite against itself: how often its gate is wrong, which drops it can detect, what to change",
    )
    .argument("<suite-or-dir...>", "one suite manifest, or directories of its finished runs")
    .option("--runs <n>", "how often to run it (default: 5)", wholeAbove1)
    .option("-o, --out <dir>", "folder for the runs (default: .regrade/calibrate/<run id>)")
    .option("--judge <labels>", "compare a run's scores with people's labels (JSON lines or CSV)")
    .option("--write <file>", "with --judge: keep the result for later runs (a .json file)")
    .addOption(sandboxOption())
    .addOption(pythonOption())
    .option("--json", "write the figures to standard output as one line of JSON", false)
    .option("-q, --quiet", "no progress", false)
    .addHelpText(
      "after",
      `
The runs are compared in every order, by the functions that judge a run. Answers of earlier runs are never used:
5 runs cost 5 times as much as one ('regrade run --dry-run' says how much that is).

Examples:
  regrade calibrate evals/support.yaml                     5 runs, then: can this gate be trusted?
  regrade calibrate evals/support.yaml --runs 8 --out runs/calibration
  regrade calibrate runs/calibration                       the same figures again, nothing is run
  regrade calibrate runs/mon runs/tue runs/wed             runs of one suite that were made anyway
  regrade calibrate runs/today --judge labels.jsonl        can this judge be trusted? agreement, bias, corrected mean
  regrade calibrate runs/today --judge labels.jsonl --write evals/judge.json   keep it: 'judge_calibration: judge.json' in the suite
  regrade calibrate runs/next --judge evals/judge.json     by what was kept: the corrected mean of another run
  regrade calibrate runs/calibration --json | jq .rules[].detects
`,
    )
    .action((paths: string[], flags: Omit<CalibrateFlags, "paths">) =>
      chosen((context) => calibrateSuite({ paths, ...flags }, context)),
    );
}

function wholeAbove1(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= 2) return value;
  throw new InvalidArgumentError("Give a whole number of at least 2.");
}

/** Judges a suite against itself. The exit code is 0 whatever the result, because nothing is gated. */
async function calibrateSuite(written: CalibrateFlags, context: CliContext): Promise<number> {
  const { screen } = context;
  const tools = toolsFor(written, context);
  const paths: string[] = [];
  for (const path of written.paths) paths.push(await runNamed(path, tools));
  if (written.judge !== undefined)
    return showJudge({ ...written, paths, judge: written.judge }, { tools, screen });
  if (written.write !== undefined)
    throw new Refusal(problem("judge_write_idle", { why: "--judge is not given" }));
  const asked = { ...written, paths };
  const directories = await directoriesFor(asked, tools);
  screen.settle();
  if (directories === undefined) return exitCodes.interrupted;
  const calibration = await calibrateRuns(directories, tools);
  if (asked.json) screen.printJson(calibration);
  else screen.print(renderCalibration(calibration, screen.width));
  return exitCodes.pass;
}

/** Compares a judge's scores with people's labels. Nothing is run or gated. */
async function showJudge(
  { paths, judge, runs, out, json, write }: CalibrateFlags & { readonly judge: string },
  { tools, screen }: { readonly tools: Tools; readonly screen: CliContext["screen"] },
): Promise<number> {
  if (runs !== undefined) throw idle("--runs");
  if (out !== undefined) throw idle("--out");
  const [directory, ...others] = paths;
  const kind = directory && (await tools.files.inspectPath(directory)).kind;
  if (directory === undefined || others.length > 0 || kind === "file")
    throw new Refusal(problem("judge_one_run", { paths: paths.join(", ") }));
  if (write !== undefined && extname(write).toLowerCase() !== ".json")
    throw new Refusal(problem("judge_write_name", { path: write }));
  const found = await calibrateJudge(directory, judge, tools);
  if (write !== undefined) await keep(found, write, tools);
  screen.settle();
  if (json) screen.printJson(found);
  else screen.print(renderJudgeCalibration(found, screen.width));
  return exitCodes.pass;
}

/** Keeps a calibration for later runs. */
async function keep(
  found: Awaited<ReturnType<typeof calibrateJudge>>,
  file: string,
  tools: Tools,
): Promise<void> {
  if (found.format === "regrade.judge-applied/1")
    throw new Refusal(problem("judge_write_idle", { why: "--judge names what was kept already" }));
  async function* pieces(): AsyncGenerator<string> {
    yield `${JSON.stringify(found, undefined, 2)}\n`;
  }
  await tools.writeText(file, pieces());
  const text = `Kept in ${file}: the suite names it as 'judge_calibration', a path from its own folder.`;
  tools.report({ kind: "note", text });
}

/** The finished runs to judge. If a suite is named, they are made first; undefined if the user stopped that. */
async function directoriesFor(
  asked: CalibrateFlags,
  tools: Tools,
): Promise<readonly string[] | undefined> {
  const { paths, runs = usualRuns } = asked;
  const kinds = await Promise.all(
    paths.map(async (path) => (await tools.files.inspectPath(path)).kind),
  );
  if (kinds.includes("directory") || (paths.length > 1 && !kinds.includes("file"))) {
    if (kinds.includes("file")) throw oneSuite(paths);
    if (asked.runs !== undefined) throw idle("--runs");
    if (asked.out !== undefined) throw idle("--out");
    return findRuns(paths, tools);
  }
  const [manifest, ...others] = paths;
  if (manifest === undefined || others.length > 0) throw oneSuite(paths);
  const git = { ...(await tools.readGitHead()), base_sha: null };
  const { folder: ownFolder } = await tools.findOwnRuns();
  const own = join(ownFolder, "calibrate", tools.newRunId());
  try {
    return await runRepeatedly({ manifest, runs, out: asked.out ?? own, git }, tools);
  } finally {
    // The folder exists once something has run.
    if (asked.out === undefined) await tools.keepOutOfGit(ownFolder);
  }
}

function oneSuite(paths: readonly string[]): Refusal {
  return new Refusal(problem("calibrate_one_suite", { paths: paths.join(", ") }));
}

function idle(flag: string): Refusal {
  return new Refusal(problem("calibrate_idle_flag", { flag }));
}
