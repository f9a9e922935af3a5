import { type Command, InvalidArgumentError, type Option } from "commander";

export interface CalibrateFlags {
  /** undefined: 5, where there is something to run. */
  readonly runs: number | undefined;
  readonly out: string | undefined;
  readonly sandbox: "auto" | "required" | "off";
  readonly python: string;
  readonly json: boolean;
  readonly quiet: boolean;
}

export interface PowerFlags {
  /** Empty: some that suit the metric's range. */
  readonly drop: readonly number[];
  readonly power: number;
  readonly python: string;
  readonly json: boolean;
}

export type AskedToCalibrate =
  | ({ readonly command: "calibrate"; readonly paths: readonly string[] } & CalibrateFlags)
  | ({ readonly command: "power"; readonly path: string } & PowerFlags);

/** What both commands have in common with others. */
export interface SharedOptions {
  readonly sandbox: () => Option;
  readonly python: () => Option;
}

/** `regrade calibrate`: the suite against itself. */
export function declareCalibrate(
  program: Command,
  found: (asked: AskedToCalibrate) => void,
  shared: SharedOptions,
): void {
  program
    .command("calibrate")
    .description(
      "run a suite against itself: how often its gate is wrong, what it can see, what to change",
    )
    .argument("<suite-or-dir...>", "one suite manifest, or directories of its finished runs")
    .option("--runs <n>", "how often to run it (default: 5)", wholeAbove1)
    .option("-o, --out <dir>", "folder for the runs (default: .regrade/calibrate/<run id>)")
    .addOption(shared.sandbox())
    .addOption(shared.python())
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
  regrade calibrate runs/calibration --json | jq .rules[].detects
`,
    )
    .action((paths: string[], flags: CalibrateFlags) =>
      found({ ...flags, command: "calibrate", paths, runs: flags.runs, out: flags.out }),
    );
}

/** `regrade power`: how many cases prove which drop. */
export function declarePower(
  program: Command,
  found: (asked: AskedToCalibrate) => void,
  shared: SharedOptions,
): void {
  program
    .command("power")
    .description("how many cases, or repeats, prove a drop of which size")
    .argument("<suite-or-dir>", "a run directory, or a suite manifest that has not run yet")
    .option("--drop <size>", "a drop to see, in the metric's unit (repeatable)", collectSize, [])
    .option("--power <share>", "how often it is to be proven, between 0 and 1", shareOfOne, 0.8)
    .addOption(shared.python())
    .option("--json", "write the figures to standard output as one line of JSON", false)
    .addHelpText(
      "after",
      `
A run directory knows how much its scores vary: between repeats, or since the baseline. Of a manifest that is assumed.

Examples:
  regrade power runs/today                                 a table of drops
  regrade power runs/today --drop 0.05 --power 0.9         5 points, 9 times in 10
  regrade power evals/support.yaml                         before anything has run
`,
    )
    .action((path: string, flags: PowerFlags) => found({ ...flags, command: "power", path }));
}

function wholeAbove1(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= 2) return value;
  throw new InvalidArgumentError("Give a whole number of at least 2.");
}

function collectSize(text: string, before: readonly number[]): number[] {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!(value > 0) || !Number.isFinite(value))
    throw new InvalidArgumentError("Give a size above 0; 5 points are 0.05.");
  return [...before, value];
}

function shareOfOne(text: string): number {
  const value = Number(text);
  if (value > 0 && value < 1) return value;
  throw new InvalidArgumentError("Give a number between 0 and 1, as 0.8.");
}
