import type { Command } from "commander";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { CaseList, ShownCase } from "../../model/outcomes/shown-case.ts";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { listCases } from "../../analyse/case-list.ts";
import { findCase } from "../../analyse/show.ts";
import type { Before } from "../../analyse/show.ts";
import type { Tools } from "../../tools.ts";
import { renderCaseList } from "../../report/terminal/case-list.ts";
import { renderCase } from "../../report/shown-case.ts";
import { toolsToRead, type Chosen, type CliContext, type FetchCiRun } from "../context.ts";
import { hasRun, runOfSuite } from "../../verdict/suite-folder.ts";
import { readRunJson } from "../../wiring.ts";
import { runNamed } from "../latest.ts";
import { collect, givenIn, noPagerOption } from "../options.ts";
import { runsNamed } from "../run-folders.ts";

interface ShowFlags {
  /** A run directory, or the id of a CI run. */
  readonly run: string;
  /** undefined: list the broken, fixed and failed cases. */
  readonly caseId: string | undefined;
  readonly broken: boolean;
  readonly beyond: boolean;
  readonly fixed: boolean;
  readonly failed: boolean;
  readonly claims: boolean;
  readonly slice: readonly string[];
  readonly error: string | undefined;
  readonly metric: string | undefined;
  /** True if texts are shown in full. */
  readonly full: boolean;
  /** True if output that is longer than the terminal may open in a pager. */
  readonly pager: boolean;
  /** The suite to show, if the folder has several. */
  readonly suite: string | undefined;
  readonly task: string | undefined;
  readonly candidate: string | undefined;
  readonly baseline: string | undefined;
  readonly repository: string | undefined;
  readonly json: boolean;
}

/** Declares `regrade show`. */
export function declareShow(program: Command, chosen: Chosen): void {
  withFilters(program.command("show"))
    .description(
      "list the broken, fixed and failed cases of a run, or show one: prompt, before and after, the grader's words",
    )
    .argument(
      "<run>",
      "run directory, the folder of several suites' runs, 'latest', or the id of a GitHub Actions run (the number in its address)",
    )
    .argument(
      "[case]",
      "the case's id (default: list those that broke, were fixed or failed, and without a baseline those with the worst score)",
    )
    .option("--full", "cut no text short, and list all cases", false)
    .addOption(noPagerOption())
    .option("--suite <name>", "only this suite, if the run has several")
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
    .option(
      "--json",
      "write {sample, before}, or the list's cases, to standard output, one a line",
      false,
    )
    .addHelpText(
      "after",
      `
Examples:
  regrade show latest                                      what broke, was fixed or failed in the last run?
  regrade show latest --broken --slice kind=hard --error KeyError
  regrade show runs/today c42
  regrade show 17482910432 c42                             of a CI run: GITHUB_TOKEN or GH_TOKEN is needed
  regrade show runs/today c42 --json | jq .sample.output_text
`,
    )
    .action((...args: [string, string | undefined, ShowOptions, Command]) => {
      const [run, caseId, flags, command] = args;
      const [idle] = caseId === undefined ? [] : givenIn(command, ofList);
      if (idle !== undefined) command.error(`error: ${idle} is for the list: leave the case out`);
      chosen((context) => show({ run, caseId, ...flags }, context));
    });
}

/** Adds the filters of the list. */
function withFilters(command: Command): Command {
  return command
    .option("--broken", "list only cases that got worse", false)
    .option("--beyond", "list only cases beyond the limit of a missed min or max", false)
    .option("--fixed", "list only cases that got better", false)
    .option("--failed", "list only cases without an answer or a score", false)
    .option("--claims", "list instead the cases whose judge lists unverified claims", false)
    .option("--slice <field=value>", "list only cases of this slice (repeatable)", collect, [])
    .option("--error <text>", "list only cases whose error contains this text")
    .option("--metric <glob>", "list only cases that changed in this metric, or task/metric");
}

type ShowOptions = Omit<ShowFlags, "run" | "caseId">;

const ofList = {
  broken: "--broken",
  beyond: "--beyond",
  fixed: "--fixed",
  failed: "--failed",
  claims: "--claims",
  slice: "--slice",
  error: "--error",
  metric: "--metric",
} as const;

async function show({ caseId, ...asked }: ShowFlags, context: CliContext): Promise<number> {
  return caseId === undefined ? showList(asked, context) : showCase({ ...asked, caseId }, context);
}

/** Prints the cases of a run that broke, were fixed or failed. */
async function showList(
  asked: ShowOptions & { readonly run: string },
  context: CliContext,
): Promise<number> {
  const { screen } = context;
  const reading = readingOf(context);
  const kinds = (["broken", "beyond", "fixed", "failed", "claims"] as const).filter(
    (kind) => asked[kind],
  );
  const slices = asked.slice.map(readSlice);
  const directories = await directoriesOf(asked, reading);
  const filter = { ...asked, kinds, slices };
  for (const { directory, list } of await listsOf(directories, filter, reading)) {
    const shown = directories.length === 1 ? asked.run : directory;
    if (!asked.json)
      await printList(
        list,
        { ...asked, shown, width: screen.width, program: context.program },
        context,
      );
    for (const entry of asked.json ? list.entries : []) screen.printJson(entry);
  }
  return exitCodes.pass;
}

/** The lists of several runs. A filter may be for some of them alone; one that no run knows is refused. */
async function listsOf(
  directories: readonly string[],
  filter: Parameters<typeof listCases>[1],
  { tools }: Reading,
): Promise<readonly { readonly directory: string; readonly list: CaseList }[]> {
  const found: { readonly directory: string; readonly list: CaseList }[] = [];
  let unknown: Refusal | undefined;
  for (const directory of directories) {
    try {
      found.push({ directory, list: await listCases(directory, filter, tools) });
    } catch (error) {
      const isUnknown =
        error instanceof Refusal && error.problems.every(({ code }) => code === "filter_unknown");
      if (!isUnknown) throw error;
      unknown ??= error;
    }
  }
  if (found.length === 0 && unknown) throw unknown;
  return found;
}

/** Prints the list of cases. A pager shows all of them; without one the list is cut to the length of a screen. */
async function printList(
  list: CaseList,
  layout: Parameters<typeof renderCaseList>[1] & { readonly pager: boolean },
  { screen, stop }: CliContext,
): Promise<void> {
  const brief = renderCaseList(list, layout);
  if (!layout.pager) return screen.print(brief);
  stop.close();
  return screen.page(renderCaseList(list, { ...layout, full: true }), brief);
}

function readSlice(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new Refusal(problem("slice_unreadable", { text }));
  return [text.slice(0, at), text.slice(at + 1)];
}

type AskedCase = ShowOptions & { readonly run: string; readonly caseId: string };

/** Prints one case of a run. Exit 0, or 2 if there is no such case. */
async function showCase(asked: AskedCase, context: CliContext): Promise<number> {
  const { screen } = context;
  const reading = readingOf(context);
  for (const shown of await findIn(await directoriesOf(asked, reading), asked, reading)) {
    if (!asked.json) {
      const text = renderCase(shown, { colour: screen.colour, full: asked.full });
      if (asked.pager) {
        context.stop.close();
        await screen.page(text);
      } else screen.print(text);
    }
    for (const { sample = null, before = null } of asked.json ? shown.samples : [])
      screen.printJson({ sample, before });
  }
  return exitCodes.pass;
}

/** Tools for finding and reading runs. */
interface Reading {
  readonly tools: Tools;
  readonly fetchRun: (asked: Parameters<FetchCiRun>[0]) => ReturnType<FetchCiRun>;
}

function readingOf(context: CliContext): Reading {
  const { env, workingDirectory, fetchCiRun } = context;
  const { signal } = context.stop;
  return {
    tools: toolsToRead(context),
    fetchRun: (asked) => fetchCiRun(asked, { env, workingDirectory, signal }),
  };
}

/** The run directories that a word names. A folder of that name has priority; otherwise a number is a CI run. */
async function directoriesOf(
  { run, suite, repository }: Pick<AskedCase, "run" | "suite" | "repository">,
  { tools, fetchRun }: Reading,
): Promise<readonly string[]> {
  const isId = /^\d{1,19}$/.test(run);
  if (isId && (await tools.files.inspectPath(run)).kind !== "directory")
    return fetchRun({ runId: run, suite, repository });
  const found = await runsNamed(run, tools);
  if (suite === undefined) return found;
  const named = await runOfSuite(run, suite, tools);
  if (named !== run || found.length > 1) return [named];
  await checkSuite(found, suite, tools);
  return found;
}

/** Refuses a directory whose run belongs to a suite other than the named one. */
async function checkSuite(found: readonly string[], suite: string, tools: Tools): Promise<void> {
  for (const directory of found) {
    if (!(await hasRun(directory, tools))) continue;
    const { name } = (await readRunJson(directory)).suite;
    if (name !== suite)
      throw new Refusal(problem("run_of_other_suite", { directory, suite, name }));
  }
}

/**
 * Searches several directories for a case: a CI run may have several suites, and each of several unmerged shards has
 * some of the cases.
 */
async function findIn(
  directories: readonly string[],
  asked: AskedCase,
  reading: Reading,
): Promise<readonly ShownCase[]> {
  const { caseId, task, candidate } = asked;
  const found: ShownCase[] = [];
  let missing: Refusal | undefined;
  for (const directory of directories) {
    const before = (run: Run): Promise<Before> => findBefore(run, asked, reading);
    try {
      found.push(await findCase({ directory, caseId, task, candidate, before }, reading.tools));
    } catch (error) {
      const isMissing =
        error instanceof Refusal && error.problems.every(({ code }) => code === "case_unknown");
      if (!isMissing) throw error;
      missing ??= error;
    }
  }
  if (found.length === 0 && missing) throw missing;
  return found;
}

/** The run's baseline, from its recorded place or from the CI run that it names. */
async function findBefore(
  run: Run,
  { baseline, repository }: AskedCase,
  { tools, fetchRun }: Reading,
): Promise<Before> {
  if (baseline === "none") return { kind: "none", reason: "none was asked for" };
  if (baseline !== undefined) {
    const directory = await runOfSuite(await runNamed(baseline, tools), run.suite.name, tools);
    return { kind: "directory", directory, shown: baseline };
  }
  if (run.baseline === null) return { kind: "none", reason: "the run had no baseline" };
  const { source, run_id } = run.baseline;
  const [, runId] = /^https?:\/\/\S+\/actions\/runs\/(\d+)/.exec(source) ?? [];
  try {
    const suite = run.suite.name;
    const [directory = source] =
      runId === undefined ? [source] : await fetchRun({ runId, suite, repository });
    const found = await tools.readRun(directory);
    if (found.run.id === run_id) return { kind: "directory", directory, shown: source };
    return { kind: "none", reason: `${source} holds another run than the baseline by now` };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const [first] = error.problems;
    return {
      kind: "none",
      reason: `the baseline ${source} can't be read: ${first?.message ?? ""}`,
    };
  }
}
