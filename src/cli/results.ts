import { problem, Refusal } from "../model/refusal.ts";
import type { ResultsAsked } from "../model/results.ts";
import { exitCodes } from "../model/verdict.ts";
import { runSuite, type FinishedRun } from "../runs.ts";
import type { Tools } from "../tools.ts";
import { followStored } from "../suite/imported/follow.ts";
import { gateOf, limitProblems } from "../suite/imported/gate.ts";
import { readBaselineResults, readResults } from "../run/stored-results.ts";
import type { StoredRun } from "../model/store.ts";
import type { Gate } from "../model/suite.ts";
import { headOfResults, type ResultsFlags } from "./declare-results.ts";
import type { RunFlags } from "./program.ts";

/** Refuses flags that mean nothing beside what else was asked. */
export function checkResultsFlags({
  suites,
  results,
  idle,
}: Pick<RunFlags, "results" | "idle"> & { readonly suites: readonly string[] }): void {
  if (results === undefined) {
    const problems = idle.results.map((flag) => problem("results_flag_alone", { flag }));
    if (suites.length === 0) problems.push(problem("results_nothing_named", undefined));
    if (problems.length > 0) throw new Refusal(problems);
    return;
  }
  const why = "nothing is run for them";
  const problems = idle.suites.map((flag) => problem("results_flag_idle", { flag, why }));
  if (suites.length > 0) problems.push(problem("results_and_suites", undefined));
  if (problems.length > 0) throw new Refusal(problems);
}

/** What the flags ask of some files. */
export function resultsAsked(
  { format, maxDrop, min, metric, name }: ResultsFlags,
  paths: readonly string[],
): ResultsAsked {
  return {
    from: { paths, format, group: undefined, columns: {}, directed: [] },
    rules: { maxDrop, min, metrics: [...new Set(metric)] },
    name,
  };
}

/** `regrade run --results …`: a run directory of what another tool recorded, judged. */
export async function runResults(
  asked: RunFlags,
  tools: Tools,
  show: (finished: FinishedRun) => void,
): Promise<number> {
  const { results: paths = [], out, baseline, candidate, task, metadata } = asked;
  const [manifest = "results"] = paths;
  const finished = await runSuite(
    {
      manifest,
      out,
      baseline: baseline.length === 0 ? undefined : baseline,
      candidates: candidate,
      tasks: task,
      choices: { metadata },
      resume: false,
      cache: false,
      publish: "failures",
      git: { ...(await tools.readGitHead()), base_sha: null },
      results: resultsAsked(asked, paths),
    },
    // A baseline may be a file of results too.
    {
      ...tools,
      readRun: readingResults({ ...asked, results: undefined, head: undefined }, tools).readRun,
    },
  );
  show(finished);
  return tools.signal.aborted ? exitCodes.interrupted : exitCodes[finished.run.gate.verdict];
}

/** What is compared. */
interface Compared {
  readonly base?: readonly [string, ...string[]];
  /** undefined: all that is read is a baseline. */
  readonly head: string | undefined;
}

/**
 * Reads runs for a comparison: a file in the place of a directory holds results of another tool. Head is judged by what the
 * base was judged by, where nothing else is asked. Each is read once.
 */
export function readingResults(
  asked: ResultsFlags & Compared,
  tools: Tools,
): Pick<Tools, "readRun" | "readRegraded" | "now"> {
  const { readRegraded, now } = tools;
  const known = new Map<string, Promise<StoredRun>>();
  const readOnce = (path: string, isBaseline: boolean): Promise<StoredRun> => {
    const key = JSON.stringify([path, isBaseline]);
    const run = known.get(key) ?? readEither(path, { asked, isBaseline }, tools);
    known.set(key, run);
    return run;
  };
  return {
    readRegraded,
    now,
    readRun: async (path) => {
      const isHead = path === asked.head;
      const run = await readOnce(path, !isHead);
      return isHead && asked.base !== undefined
        ? followStored(run, await readOnce(asked.base[0], true))
        : run;
    },
  };
}

async function readEither(
  path: string,
  { asked, isBaseline }: { readonly asked: ResultsFlags; readonly isBaseline: boolean },
  tools: Tools,
): Promise<StoredRun> {
  if (asked.results !== undefined && path === headOfResults)
    return readResults(resultsAsked(asked, asked.results), tools);
  const { absolute } = await tools.files.locate(path);
  const { kind } = await tools.files.inspectPath(absolute);
  if (kind !== "file") return tools.readRun(path);
  const read = isBaseline ? readBaselineResults : readResults;
  return read(resultsAsked(asked, [path]), tools);
}

/** The gate that flags give a run that was read; undefined where they give none. */
export async function gateByFlags(
  {
    maxDrop,
    min,
    metric,
    base,
    head,
  }: ResultsFlags & Required<Compared> & { readonly head: string },
  { readRun }: Pick<Tools, "readRun">,
): Promise<Gate | undefined> {
  if (maxDrop === undefined && min === undefined && metric.length === 0) return undefined;
  const { run } = await readRun(head);
  const tasks = Object.entries(run.suite.tasks).map(([id, { metrics }]) => ({ id, metrics }));
  const rules = { maxDrop, min, metrics: [...new Set(metric)] };
  const problems = limitProblems(rules, tasks, () => ({ file: head }));
  if (problems.length > 0) throw new Refusal(problems);
  return gateOf(rules, tasks, (await readRun(base[0])).run.suite);
}
