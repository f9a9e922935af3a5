import type {
  BaselineFinder,
  FoundBaseline,
  PoolQuestion,
  SoughtSuite,
} from "../../model/baseline.ts";
import type { StoredRun } from "../../model/ports/store.ts";
import { createCallGitHub, createBaselineApi, type CallGitHub, type BaselineApi } from "./api.ts";
import type { TrustedRun } from "./choose.ts";
import { openRunScores } from "./fetch.ts";
import { find } from "./find.ts";
import { openBaseBranch, type FailedList } from "./base-branch.ts";
import { findOtherRuns } from "./other-workflows.ts";
import { pickScores } from "./pick.ts";
import {
  mostTried,
  runsWith,
  severalWorkflows,
  type FinderContext,
  type FinderOptions,
  type Found,
  type RunsWith,
} from "./runs.ts";
import { settleBaseline } from "./settle.ts";
import { take } from "./take.ts";

/** Finds baselines among the artifacts of earlier workflow runs. */
export function openBaselineFinder(options: FinderOptions): BaselineFinder {
  const api = async (): Promise<BaselineApi> => createBaselineApi(await options.github());
  const ask: CallGitHub = async (doing, work) =>
    createCallGitHub(await options.github(), options.warn)(doing, work);
  const branch = openBaseBranch({ ...options, api, ask });
  const runTheBase = howToRunTheBase(options);
  const scores = openRunScores({ ...options, api, ask, runTheBase });
  const finder: FinderContext = { ...options, branch, api, ask, scores, runTheBase };
  return {
    find: (question) => find(question, finder),
    findEqual: (sought, inputHash) => findEqual({ ...sought, inputHash }, finder),
    findPooled: (question) => findPooled(question, finder),
  };
}

/** How to make a baseline, as a sentence. */
function howToRunTheBase({ start, workflowPath }: FinderOptions): string {
  const branch = start.branches[0] ?? "the base branch";
  return `Start a run of ${workflowPath} on ${branch} ("Run workflow" on the Actions tab, where it has workflow_dispatch, or a push), then run this job again.`;
}

interface Inputs extends SoughtSuite {
  readonly inputHash: string;
}

type EqualScores =
  | Found
  /** The run left no scores of the suite, or scores of other inputs. */
  | { readonly kind: "other" }
  | ({ readonly kind: "failed" } & FailedList);

/** The scores of this suite, job and leg that a run left, if they have these inputs. */
async function fetchEqual(
  inputs: Inputs,
  run: TrustedRun,
  finder: FinderContext,
): Promise<EqualScores> {
  const listed = await finder.scores.list(run);
  if (listed.kind === "failed") return listed;
  const picked = pickScores(listed.value, { ...inputs, ...finder.of });
  if (picked.kind === "none") return { kind: "other" };
  const question = { ...inputs, maxAgeDays: undefined };
  const candidate = { run, reason: "it had the same inputs" };
  const found =
    picked.kind === "exact"
      ? await take({ ...candidate, artifact: picked.artifact }, question, finder)
      : await settleBaseline([{ ...candidate, kind: "unsure", picked }], question, finder);
  if (found?.kind === "found")
    return found.stored.run.input_hash === inputs.inputHash ? found : { kind: "other" };
  return { ...noEqual, ...found, remedy: found?.remedy ?? finder.runTheBase, kind: "failed" };
}

const noEqual = { reason: "no earlier run had the same inputs" } as const;

async function findEqual(inputs: Inputs, finder: FinderContext): Promise<FoundBaseline> {
  const none = { ...noEqual, kind: "none" } as const;
  const all = await finder.branch.allRuns();
  if (all.kind === "none") return all;
  if (all.runs.length === 0) return none;
  const equal = await runsWith(inputs, all.runs, finder);
  for (const run of equal.runs.slice(0, mostTried)) {
    const found = await fetchEqual(inputs, run, finder);
    if (found.kind === "found") return found;
  }
  return none;
}

async function findPooled(
  question: PoolQuestion,
  finder: FinderContext,
): Promise<Awaited<ReturnType<BaselineFinder["findPooled"]>>> {
  const all = await finder.branch.allRuns();
  if (all.kind === "none") return { directories: [], reason: all.reason, remedy: all.remedy };
  const own: RunsWith = all;
  const used = all.runs.length > 0 ? own : await runsOfOthers(question, finder);
  const equal = await runsWith(question, used.runs, finder);
  const failures = [own, used, equal].flatMap(({ failed }) => failed ?? []);
  const stored: StoredRun[] = [];
  for (const run of equal.runs.toSorted((a, b) => b.id - a.id)) {
    if (stored.length >= question.most) break;
    const found = await fetchEqual(question, run, finder);
    if (found.kind === "failed") failures.push(found);
    // A run that reuses another one is no second baseline.
    if (found.kind === "found" && stored.every(({ run: { id } }) => id !== found.stored.run.id))
      stored.push(found.stored);
  }
  const [failed] = failures;
  const none = "no run of the base branch is known to have had the base's inputs";
  const directories = stored.map(({ directory }) => directory);
  return { directories, reason: failed?.reason ?? none, remedy: failed?.remedy };
}

/** Runs of other workflows, if this one has none on the base branch. */
async function runsOfOthers(sought: SoughtSuite, finder: FinderContext): Promise<RunsWith> {
  const others = await findOtherRuns(sought, finder);
  switch (others.kind) {
    case "found":
      return { runs: others.runs, failed: undefined };
    case "failed":
      return { runs: [], failed: others };
    case "none":
      return { runs: [], failed: undefined };
    case "several":
      return { runs: [], failed: severalWorkflows(others.workflowPaths, finder) };
  }
}
