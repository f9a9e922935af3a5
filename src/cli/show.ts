import { Refusal } from "../model/refusal.ts";
import type { Run } from "../model/run.ts";
import type { ShownCase } from "../model/shown-case.ts";
import { exitCodes } from "../model/verdict.ts";
import { findCase } from "../analyse/show.ts";
import type { Before } from "../analyse/show.ts";
import type { Tools } from "../tools.ts";
import { renderCase } from "../report/shown-case.ts";
import type { AskedOfRuns } from "./declare-runs.ts";
import type { Screen } from "./screen.ts";

type AskedToShow = Extract<AskedOfRuns, { command: "show" }>;

/** Fetches a CI run's directories by its id. */
export type FetchRun = (asked: {
  readonly runId: string;
  readonly suite: string | undefined;
  readonly repository: string | undefined;
}) => Promise<readonly string[]>;

export interface ShowAround {
  readonly screen: Screen;
  readonly tools: Tools;
  readonly fetchRun: FetchRun;
}

/** Prints one case of a run. Exit 0, or 2 where there is no such case. */
export async function showCase(asked: AskedToShow, around: ShowAround): Promise<number> {
  const { screen } = around;
  for (const shown of await findIn(await directoriesOf(asked, around), asked, around)) {
    if (!asked.json) screen.print(renderCase(shown, { colour: screen.colour }));
    for (const { sample = null, before = null } of asked.json ? shown.samples : [])
      screen.printJson({ sample, before });
  }
  return exitCodes.pass;
}

/** A folder of that name goes first; a number is otherwise a CI run. */
async function directoriesOf(
  { run, suite, repository }: AskedToShow,
  { tools, fetchRun }: ShowAround,
): Promise<readonly string[]> {
  const isId = /^\d{1,19}$/.test(run);
  if (!isId || (await tools.files.inspectPath(run)).kind === "directory") return [run];
  return fetchRun({ runId: run, suite, repository });
}

/** Wherever the case is: a CI run may have several suites, and of shards that were not merged each has some. */
async function findIn(
  directories: readonly string[],
  asked: AskedToShow,
  around: ShowAround,
): Promise<readonly ShownCase[]> {
  const { caseId, task, candidate } = asked;
  const found: ShownCase[] = [];
  let missing: Refusal | undefined;
  for (const directory of directories) {
    const before = (run: Run): Promise<Before> => findBefore(run, asked, around);
    try {
      found.push(await findCase({ directory, caseId, task, candidate, before }, around.tools));
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
  { baseline, repository }: AskedToShow,
  { tools, fetchRun }: ShowAround,
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

/** Fetches the run directories of a CI run into `.regrade`. GitHub's client is handed in: no door imports another. */
export type FetchCiRun = (
  asked: Parameters<FetchRun>[0],
  around: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly workingDirectory: string;
    readonly signal: AbortSignal;
  },
) => ReturnType<FetchRun>;
