import type { Command } from "commander";
import { compareRuns, brokenTexts, type Compared } from "../../analyse/compare.ts";
import { Refusal } from "../../model/refusal.ts";
import type { Gate } from "../../model/definition/gate.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { exitCodes, worstVerdict } from "../../model/outcomes/verdict.ts";
import { renderOverview } from "../../report/terminal/overview.ts";
import { validateSuite } from "../../runs/check-suite.ts";
import { gateOf, limitProblems } from "../../suite/imported/gate.ts";
import type { Tools } from "../../tools.ts";
import { toolsToRead, type Chosen, type CliContext } from "../context.ts";
import { runNamed } from "../latest.ts";
import { hasRun, runOfSuite } from "../../verdict/suite-folder.ts";
import { readRunJson } from "../../wiring.ts";
import { printTable } from "../print-run.ts";
import { runsNamed } from "../run-folders.ts";
import { withResults, type ResultsFlags } from "../results-flags.ts";
import { headOfResults, readingResults } from "../results.ts";

interface CompareFlags extends ResultsFlags {
  readonly suite: string | undefined;
  readonly json: boolean;
}

/** Declares `regrade compare`. */
export function declareCompare(program: Command, chosen: Chosen): void {
  withResults(program.command("compare"))
    .description(
      "judge one run against another by the rules recorded in HEAD: the same verdict as in CI",
    )
    .argument(
      "<base...>",
      "run directory of the baseline, 'latest', or a file of another tool's results; several directories are runs of the same input, taken together",
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

A directory may hold the runs of several suites that one command ran: each suite of HEAD is compared with its own run
in BASE, and the exit code is the worst verdict's.
`,
    )
    .action((directories: string[], flags: CompareFlags, command: Command) => {
      const isNamed = flags.results !== undefined;
      const [first, ...others] = isNamed ? directories : directories.slice(0, -1);
      const head = isNamed ? headOfResults : directories.at(-1);
      if (first === undefined || head === undefined)
        return command.error("error: missing required argument 'head'");
      const compared: Compared = { base: [first, ...others], head };
      return chosen((context) => compare({ ...compared, ...flags }, context));
    });
}

async function compare(written: Compared & CompareFlags, context: CliContext): Promise<number> {
  const tools = toolsToRead(context);
  const { screen } = context;
  const [first, ...others] = written.base;
  const more = others.map((each) => runNamed(each, tools));
  const base: Compared["base"] = [await runNamed(first, tools), ...(await Promise.all(more))];
  const isResults = written.results !== undefined;
  const heads = isResults ? [written.head] : await runsNamed(written.head, tools);
  const runs: Run[] = [];
  for (const head of heads) {
    const run = await judgeHead({ ...written, head, base }, tools);
    runs.push(run);
    if (written.json) screen.printJson(run);
    else {
      const broken = (await hasRun(head, tools)) ? await brokenTexts(run, head, tools) : [];
      printTable({ run, directory: head, broken }, screen);
    }
  }
  if (runs.length > 1 && !written.json)
    screen.print(renderOverview(runs, { notRun: [], width: screen.width }));
  return exitCodes[worstVerdict(runs.map(({ gate }) => gate.verdict))];
}

/** Judges a run against its bases. If a base holds runs of several suites, the one of the run's suite is used. */
async function judgeHead(written: Compared & CompareFlags, tools: Tools): Promise<Run> {
  const { head } = written;
  const asked = { ...written, base: await basesFor(written, tools) };
  const reading = readingResults(asked, tools);
  const gate =
    asked.suite === undefined
      ? await gateByFlags(asked, reading)
      : await gateOfManifest(asked.suite, tools);
  return compareRuns({ base: asked.base, head, gate }, reading);
}

async function basesFor({ base, head }: Compared, tools: Tools): Promise<Compared["base"]> {
  if (!(await hasRun(head, tools))) return base;
  const { name } = (await readRunJson(head)).suite;
  const [first, ...others] = base;
  const more = others.map((each) => runOfSuite(each, name, tools));
  return [await runOfSuite(first, name, tools), ...(await Promise.all(more))];
}

/** The gate that flags define for a run that was read; undefined if no flag defines one. */
async function gateByFlags(
  { maxDrop, min, metric, base, head }: Compared & CompareFlags,
  { readRun }: Tools,
): Promise<Gate | undefined> {
  if (maxDrop === undefined && min === undefined && metric.length === 0) return undefined;
  const { run } = await readRun(head);
  const tasks = Object.entries(run.suite.tasks).map(([id, { metrics }]) => ({ id, metrics }));
  const rules = { maxDrop, min, metrics: [...new Set(metric)] };
  const problems = limitProblems(rules, tasks, () => ({ file: head }));
  if (problems.length > 0) throw new Refusal(problems);
  return gateOf(rules, tasks, (await readRun(base[0])).run.suite);
}

async function gateOfManifest(manifest: string, tools: Tools): Promise<Gate> {
  const everything = { baseline: "none", candidates: [], tasks: [] };
  return (await validateSuite({ ...everything, manifest }, tools)).suite.gate;
}
