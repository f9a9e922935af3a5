import { type Command, InvalidArgumentError } from "commander";
import { powerOfRun, powerOfSuite } from "../../analyse/power.ts";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { renderPower } from "../../report/terminal/power.ts";
import { validateSuite } from "../../runs/check-suite.ts";
import type { Tools } from "../../tools.ts";
import { toolsToRead, type Chosen, type CliContext } from "../context.ts";
import { runNamed } from "../latest.ts";
import { pythonOption } from "../options.ts";

interface PowerFlags {
  /** Drops to show; empty: some that suit the metric's range. */
  readonly drop: readonly number[];
  readonly power: number;
  readonly spend: number | undefined;
  readonly python: string;
  readonly json: boolean;
}

/** Declares `regrade power`, which tells how many cases prove which drop. */
export function declarePower(program: Command, chosen: Chosen): void {
  program
    .command("power")
    .description("how many cases, or repeats, prove a drop of which size")
    .argument(
      "<suite-or-run>",
      "a run directory, 'latest', or a suite manifest that has not run yet",
    )
    .option("--drop <size>", "a drop to detect, in the metric's unit (repeatable)", collectSize, [])
    .option(
      "--power <share>",
      "how often the drop must be proven, between 0 and 1",
      shareOfOne,
      0.8,
    )
    .option(
      "--spend <calls>",
      "this many additional calls in a run: what they would achieve as cases, repeats or earlier runs",
      wholeAbove0,
    )
    .addOption(pythonOption())
    .option("--json", "write the figures to standard output as one line of JSON", false)
    .addHelpText(
      "after",
      `
A run directory knows how much its scores vary: between repeats, or since the baseline. Of a manifest that is assumed.

Examples:
  regrade power latest                                     a table of drops
  regrade power runs/today --drop 0.05 --power 0.9         5 points, 9 times in 10
  regrade power runs/today --spend 200                     where 200 further calls tell most
  regrade power evals/support.yaml                         before anything has run
`,
    )
    .action((path: string, flags: PowerFlags) =>
      chosen((context) => showPower(path, flags, context)),
    );
}

function collectSize(text: string, before: readonly number[]): number[] {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!(value > 0) || !Number.isFinite(value))
    throw new InvalidArgumentError("Give a size above 0; 5 points are 0.05.");
  return [...before, value];
}

function wholeAbove0(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("Give a whole number above 0.");
}

function shareOfOne(text: string): number {
  const value = Number(text);
  if (value > 0 && value < 1) return value;
  throw new InvalidArgumentError("Give a number between 0 and 1, as 0.8.");
}

/** Prints cases and repeats by drop, for a run directory or a manifest. */
async function showPower(
  named: string,
  { drop, power, spend, python, json }: PowerFlags,
  context: CliContext,
): Promise<number> {
  const { screen } = context;
  const tools = toolsToRead(context, python);
  const request = { drops: drop, power, spend };
  const path = await runNamed(named, tools);
  const { kind } = await tools.files.inspectPath(path);
  const report =
    kind === "directory"
      ? powerOfRun(await tools.readRun(path), request)
      : await powerOfSuite(await prepareSuite(path, tools), request);
  if (json) screen.printJson(report);
  else screen.print(renderPower(report, screen.width));
  return exitCodes.pass;
}

async function prepareSuite(
  manifest: string,
  tools: Tools,
): Promise<Awaited<ReturnType<typeof validateSuite>>> {
  return validateSuite({ manifest, baseline: "none", candidates: [], tasks: [] }, tools);
}
