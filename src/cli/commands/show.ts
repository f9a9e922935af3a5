import type { Command } from "commander";
import { Refusal } from "../../model/refusal.ts";
import type { Run } from "../../model/run.ts";
import type { ShownCase } from "../../model/shown-case.ts";
import { exitCodes } from "../../model/verdict.ts";
import { findCase } from "../../analyse/show.ts";
import type { Before } from "../../analyse/show.ts";
import type { Tools } from "../../tools.ts";
import { renderCase } from "../../report/shown-case.ts";
import { toolsToRead, type Chosen, type CliContext, type FetchCiRun } from "../context.ts";

interface ShowFlags {
  /** A run directory, or a CI run's id. */
  readonly run: string;
  readonly caseId: string;
  /** Chooses one suite of a CI run that has several. */
  readonly suite: string | undefined;
  readonly task: string | undefined;
  readonly candidate: string | undefined;
  readonly baseline: string | undefined;
  readonly repository: string | undefined;
  readonly json: boolean;
}

/** `regrade show` */
export function declareShow(program: Command, chosen: Chosen): void {
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
    .action((run: string, caseId: string, flags: Omit<ShowFlags, "run" | "caseId">) =>
      chosen((context) => showCase({ run, caseId, ...flags }, context)),
    );
}

/** Prints one case of a run. Exit 0, or 2 where there is no such case. */
async function showCase(asked: ShowFlags, context: CliContext): Promise<number> {
  const { screen } = context;
  const reading = readingOf(context);
  for (const shown of await findIn(await directoriesOf(asked, reading), asked, reading)) {
    if (!asked.json) screen.print(renderCase(shown, { colour: screen.colour }));
    for (const { sample = null, before = null } of asked.json ? shown.samples : [])
      screen.printJson({ sample, before });
  }
  return exitCodes.pass;
}

/** How runs are found and read. */
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

/** A folder of that name goes first; a number is otherwise a CI run. */
async function directoriesOf(
  { run, suite, repository }: ShowFlags,
  { tools, fetchRun }: Reading,
): Promise<readonly string[]> {
  const isId = /^\d{1,19}$/.test(run);
  if (!isId || (await tools.files.inspectPath(run)).kind === "directory") return [run];
  return fetchRun({ runId: run, suite, repository });
}

/** Wherever the case is: a CI run may have several suites, and of shards that were not merged each has some. */
async function findIn(
  directories: readonly string[],
  asked: ShowFlags,
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

/** The run that this one was compared with: where it says it was, or of the CI run that it names. */
async function findBefore(
  run: Run,
  { baseline, repository }: ShowFlags,
  { tools, fetchRun }: Reading,
): Promise<Before> {
  if (baseline === "none") return { kind: "none", reason: "none was asked for" };
  if (baseline !== undefined) return { kind: "directory", directory: baseline, shown: baseline };
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
