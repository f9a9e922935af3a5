import { Refusal } from "../model/refusal.ts";
import type { StoredRun } from "../model/ports/store.ts";
import { prepare } from "../suite/prepare.ts";
import type { Tools } from "../tools.ts";
import { conclude } from "../verdict/conclude.ts";
import { judgedOf } from "../verdict/describe.ts";
import type { ResultsAsked } from "../model/results.ts";
import { takeIn } from "./take-in.ts";

/**
 * Reads the results of a baseline. A metric that only the baseline lacks is new in the judged run, and not a mistake. A
 * baseline without any of the requested metrics is read with its own metrics.
 */
export async function readBaselineResults(asked: ResultsAsked, tools: Tools): Promise<StoredRun> {
  const lenient = { ...asked, isBaseline: true };
  try {
    return await readResults(lenient, tools);
  } catch (error) {
    if (!lacksMetrics(error)) throw error;
  }
  const metrics: string[] = [];
  for (const metric of asked.rules.metrics) {
    try {
      await readResults({ ...lenient, rules: { ...asked.rules, metrics: [metric] } }, tools);
      metrics.push(metric);
    } catch (error) {
      if (!lacksMetrics(error)) throw error;
    }
  }
  return readResults({ ...lenient, rules: { ...asked.rules, metrics } }, tools);
}

function lacksMetrics(error: unknown): boolean {
  return (
    error instanceof Refusal &&
    error.problems.every(({ code }) => code === "results_metric_missing")
  );
}

/** Reads results of another tool as a run, without writing anything. */
export async function readResults(asked: ResultsAsked, tools: Tools): Promise<StoredRun> {
  const [path = "results"] = asked.from.paths;
  const request = { manifest: path, candidates: [], tasks: [], results: asked };
  const prepared = await prepare(request, tools);
  try {
    const { recorded } = prepared;
    if (recorded === undefined) throw new RangeError("results that are none");
    const store = {
      directory: path,
      // The id depends on the content, so that the same files are the same run.
      runId: `run_${prepared.inputHash.slice(-16)}`,
      createdAt: new Date(tools.now()).toISOString(),
      recordSample: async () => undefined,
      finished: new Map(),
      seal: async () => undefined,
    };
    const git = { sha: null, base_sha: null, ref: null };
    const baseline = { kind: "none", reason: "none was asked for" } as const;
    const work = {
      request: { git, publish: "failures" as const },
      prepared,
      recorded,
      store,
      baseline,
    };
    const quiet = { ...tools, report: () => undefined };
    const { draft, ledger } = await takeIn(work, quiet);
    const judged = conclude(judgedOf(draft, ledger), baseline, tools.now());
    return { directory: path, run: { ...draft, ...judged }, ledger };
  } finally {
    await prepared.close();
  }
}
