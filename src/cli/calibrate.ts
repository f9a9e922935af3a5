import { join } from "node:path";
import { problem, Refusal } from "../model/refusal.ts";
import { exitCodes } from "../model/verdict.ts";
import { validateSuite } from "../runs.ts";
import { calibrateRuns, findRuns, runRepeatedly } from "../analyse/calibrate.ts";
import { powerOfRun, powerOfSuite } from "../analyse/power.ts";
import type { Tools } from "../tools.ts";
import { renderCalibration } from "../report/calibration.ts";
import { renderPower } from "../report/power.ts";
import type { AskedToCalibrate } from "./declare-calibrate.ts";
import type { Screen } from "./screen.ts";

type AskedFor<Command extends AskedToCalibrate["command"]> = Extract<
  AskedToCalibrate,
  { command: Command }
>;

interface Around {
  readonly screen: Screen;
  readonly tools: Tools;
}

const usualRuns = 5;
/** Where runs go that nobody gave a place. */
const ownFolder = ".regrade";

/** Judges a suite against itself. Exit 0 whatever comes out: nothing was gated. */
export async function calibrateSuite(
  asked: AskedFor<"calibrate">,
  { screen, tools }: Around,
): Promise<number> {
  const directories = await directoriesFor(asked, tools);
  screen.settle();
  if (directories === undefined) return exitCodes.interrupted;
  const calibration = await calibrateRuns(directories, tools);
  if (asked.json) screen.printJson(calibration);
  else screen.print(renderCalibration(calibration, screen.width));
  return exitCodes.pass;
}

/** The finished runs to judge, made first where a suite is named; undefined where the user stopped that. */
async function directoriesFor(
  asked: AskedFor<"calibrate">,
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
  const own = join(ownFolder, "calibrate", tools.newRunId());
  try {
    return await runRepeatedly({ manifest, runs, out: asked.out ?? own, git }, tools);
  } finally {
    // The folder is there once something has run.
    if (asked.out === undefined) await tools.keepOutOfGit(ownFolder);
  }
}

function oneSuite(paths: readonly string[]): Refusal {
  return new Refusal(problem("calibrate_one_suite", { paths: paths.join(", ") }));
}

function idle(flag: string): Refusal {
  return new Refusal(problem("calibrate_idle_flag", { flag }));
}

/** Cases and repeats by drop, of a run directory or of a manifest. */
export async function showPower(
  asked: AskedFor<"power">,
  { screen, tools }: Around,
): Promise<number> {
  const { path, power } = asked;
  const request = { drops: asked.drop, power };
  const { kind } = await tools.files.inspectPath(path);
  const report =
    kind === "directory"
      ? powerOfRun(await tools.readRun(path), request)
      : await powerOfSuite(await prepareSuite(path, tools), request);
  if (asked.json) screen.printJson(report);
  else screen.print(renderPower(report, screen.width));
  return exitCodes.pass;
}

async function prepareSuite(
  manifest: string,
  tools: Tools,
): Promise<Awaited<ReturnType<typeof validateSuite>>> {
  return validateSuite({ manifest, baseline: "none", candidates: [], tasks: [] }, tools);
}
