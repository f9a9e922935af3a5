import { isRecordedKind } from "../model/definition/candidate-kinds.ts";
import { join } from "node:path";
import type { Calibration, MetricNoise, Proportion } from "../model/figures/calibration.ts";
import type { StoredRun } from "../model/ports/store.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { Verdict } from "../model/outcomes/verdict.ts";
import type { GateResult } from "../model/outcomes/rule-result.ts";
import { runSuite } from "../runs/run-suite.ts";
import { counted, difference } from "../report/words/figures.ts";
import { measuredTargets, measureNoise } from "./calibrate/noise.ts";
import { dealAnew, dealsFor, givenMetrics, pairUp, type Pairing } from "./calibrate/pairings.ts";
import { calibrateRules, keyed, proportionOf } from "./calibrate/rules.ts";
import type { Tools } from "../tools.ts";

interface CalibrateRequest {
  /** Path of the manifest. */
  readonly manifest: string;
  readonly runs: number;
  /** Parent folder of the runs, which are numbered from 1. */
  readonly out: string;
  readonly git: Run["git"];
}

/**
 * Runs a suite several times unchanged, without a baseline and without answers of earlier runs, and returns the run
 * directories; undefined if the user stopped it. Throws a Refusal if a run does not complete.
 */
export async function runRepeatedly(
  request: CalibrateRequest,
  tools: Tools,
): Promise<readonly string[] | undefined> {
  const { manifest, git, out } = request;
  if (request.runs < 2) throw new Refusal(problem("calibrate_too_few", { found: request.runs }));
  const directories = Array.from({ length: request.runs }, (_, i) => join(out, String(i + 1)));
  await refuseTaken(directories, tools);
  for (const [i, directory] of directories.entries()) {
    tools.report({ kind: "note", text: `run ${i + 1} of ${request.runs}, into ${directory}` });
    const asked = { manifest, out: directory, baseline: "none", git, publish: "failures" } as const;
    const { run } = await runSuite(
      { ...asked, candidates: [], tasks: [], resume: false, cache: false },
      tools,
    );
    if (run.status === "cancelled") return undefined;
    if (run.status === "completed") continue;
    const done = directories.slice(0, i).join(" ");
    const reason = run.stopped ?? "it was stopped";
    const found = { directory, reason, done };
    throw new Refusal(problem("calibrate_run_failed", found), { exit: 4 });
  }
  return directories;
}

/** Refuses run directories that exist already, before anything is paid for. */
async function refuseTaken(directories: readonly string[], tools: Tools): Promise<void> {
  for (const directory of directories) {
    const { kind } = await tools.files.inspectPath(directory);
    if (kind === "missing") continue;
    const found = { directory, done: `${directories.slice(0, 2).join(" ")} …` };
    throw new Refusal(problem("calibrate_out_taken", found));
  }
}

/**
 * Directories of finished runs: those named, or, if one parent directory of `calibrate` is named, the runs inside it.
 */
export async function findRuns(named: readonly string[], tools: Tools): Promise<readonly string[]> {
  const [only, ...others] = named;
  if (only === undefined || others.length > 0) return named;
  const found: string[] = [];
  for (;;) {
    const next = join(only, String(found.length + 1));
    const { kind } = await tools.files.inspectPath(join(next, "run.json"));
    if (kind !== "file") return found.length === 0 ? named : found;
    found.push(next);
  }
}

/** Judges finished runs of one suite against each other. Throws a Refusal if they can't be compared. */
export async function calibrateRuns(
  directories: readonly string[],
  tools: Tools,
): Promise<Calibration> {
  const runs: StoredRun[] = [];
  for (const directory of directories) runs.push(await tools.readRun(directory));
  refuseUnusable(runs);
  return calibrate(runs);
}

function refuseUnusable(runs: readonly StoredRun[]): void {
  const [first] = runs;
  if (first === undefined || runs.length < 2)
    throw new Refusal(problem("calibrate_too_few", { found: runs.length }));
  for (const { run, directory } of runs) {
    if (run.status === "completed") continue;
    throw new Refusal(problem("calibrate_unfinished", { directory, status: run.status }));
  }
  if (first.run.suite.gate === "none")
    throw new Refusal(problem("calibrate_no_gate", { suite: first.run.suite.name }));
  for (const [i, one] of runs.entries()) {
    const same = runs.slice(0, i).find(({ run }) => run.id === one.run.id);
    if (same === undefined) continue;
    const found = { id: one.run.id, directories: `${same.directory} and ${one.directory}` };
    throw new Refusal(problem("calibrate_same_run", found));
  }
  for (const other of runs) {
    const what = differenceOf(first.run, other.run);
    if (what === undefined) continue;
    const found = { one: first.directory, other: other.directory, what };
    throw new Refusal(problem("calibrate_other_input", found));
  }
}

/**
 * The difference that prevents two runs from being repetitions; recordings may differ, because they may come from
 * repeated runs.
 */
function differenceOf(one: Run, other: Run): string | undefined {
  if (one.suite.name !== other.suite.name) return "their names";
  if (one.suite.version !== other.suite.version) return "their tasks, data or graders";
  if (JSON.stringify(one.suite.gate) !== JSON.stringify(other.suite.gate)) return "their rules";
  if (JSON.stringify(one.candidates) !== JSON.stringify(other.candidates))
    return "their candidates";
  const recorded = one.candidates.every(({ kind }) => isRecordedKind(kind));
  return one.input_hash === other.input_hash || recorded
    ? undefined
    : "their candidates or settings";
}

/**
 * Measures how often the gate is wrong about runs without a change, which drops it can detect, and gives advice. Pure:
 * the same runs in the same order give the same figures. Needs two runs of one suite.
 */
function calibrate(runs: readonly StoredRun[]): Calibration {
  const pairings = pairUp(runs);
  const dealt = dealAnew(runs, dealsFor(runs, pairings));
  const targets = measuredTargets(pairings.flatMap(({ gate }) => rulesOf(gate)));
  const noise = targets.flatMap((target) => measureNoise(runs, target) ?? []);
  const rules = calibrateRules({ runs, pairings, dealt, noise });
  return {
    format: "regrade.calibration/1",
    suite: runs[0]?.run.suite.name ?? "",
    runs: runs.map(({ run, directory }) => ({ id: run.id, directory })),
    verdicts: countVerdicts(pairings),
    alarms: failures(pairings.map(({ gate }) => gate)),
    dealt: dealt.length === 0 ? null : failures(dealt),
    rules,
    noise,
    notes: [...notesOn(runs, noise), ...givenMetrics(runs, pairings).map(givenNote)],
  };
}

function rulesOf(gate: GateResult): readonly GateResult["rules"][number][] {
  return keyed(gate).map(([, rule]) => rule);
}

function countVerdicts(pairings: readonly Pairing[]): Readonly<Record<Verdict, number>> {
  const counts = { error: 0, fail: 0, inconclusive: 0, pass: 0, neutral: 0 };
  for (const { gate } of pairings) counts[gate.verdict] += 1;
  return counts;
}

function failures(gates: readonly GateResult[]): Proportion {
  return proportionOf(gates.filter(({ verdict }) => verdict === "fail").length, gates.length);
}

function givenNote(metric: string): string {
  return `\`${metric}\` is a number that grade_batch returned for all cases together: no drop of it can be proven, and its answers can't be dealt anew to other runs.`;
}

/**
 * Limit of the ratio of two variances. Chance exceeds it about 1 time in 20 with two runs, and hardly ever with more.
 */
const clearlyMore = 4;

function notesOn(runs: readonly StoredRun[], noise: readonly MetricNoise[]): readonly string[] {
  const pairs = runs.length * (runs.length - 1);
  const recorded = runs[0]?.run.candidates.filter(({ kind }) => isRecordedKind(kind)) ?? [];
  return [
    `${runs.length} runs make ${pairs} ordered pairs, which share runs. With so few runs the rate is rough, and its interval is too narrow, because it is computed as if the ${pairs} pairs were independent.`,
    "Dealing answers anew to two runs treats cases as independent of each other: differences between whole runs show only in the pairs.",
    ...(recorded.length === 0
      ? []
      : [
          `${recorded.map(({ id }) => `\`${id}\``).join(", ")} answers from a recording, which is the same each time: these figures describe only the grader, unless each run had a separate recording.`,
        ]),
    ...noise.flatMap(runEffect),
  ];
}

/**
 * Notes on metrics that differ between whole runs by more than the noise of single cases: another model version,
 * another load, a clock.
 */
function runEffect(noise: MetricNoise): readonly string[] {
  const { task, metric, unit, run_sd: found, expected_sd: expected } = noise;
  if (found === null || expected === null || expected === 0) return [];
  if (found ** 2 <= clearlyMore * expected ** 2) return [];
  const figures = [found, expected].map((sd) => difference(sd, unit).replace("+", ""));
  return [
    `${task}/${metric} differs more between runs (standard deviation ${figures[0]}) than the noise of its ${counted(noise.cases, "case")} explains (${figures[1]}): whole runs differ, which shows in the pairs but not in answers dealt anew.`,
  ];
}
