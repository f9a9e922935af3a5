import { once } from "../../base/once.ts";
import { posix } from "node:path";
import type { NoBaseline } from "../../model/baseline.ts";
import type { WorkflowContext } from "../runner/context.ts";
import { events } from "../runner/events.ts";
import {
  commitsPerPage,
  runsPerPage,
  type Answered,
  type CallGitHub,
  type BaselineApi,
} from "./api.ts";
import {
  chooseRuns,
  endedWithout,
  type TrustedHistory,
  type TrustedRun,
  type WorkflowRun,
} from "./choose.ts";
import { firstParents, type CommitFacts } from "../api/commits.ts";
import { baseCommitOf, type Start } from "./start.ts";

/** The history of the base branch, and the runs on it that may be trusted. Each call is made once for all suites. */
export interface BaseBranch {
  readonly history: () => Promise<FoundHistory>;
  /** Runs of the base commit itself that a push started. */
  readonly nearRuns: () => Promise<FoundRuns>;
  /** Runs of all kinds: pushes, merged groups of a merge queue, schedules, and manually started runs. */
  readonly allRuns: () => Promise<FoundRuns>;
}

type FoundHistory = { readonly kind: "found"; readonly history: TrustedHistory } | NoBaseline;

type FoundRuns =
  | {
      readonly kind: "found";
      readonly runs: readonly TrustedRun[];
      /** Number of the base branch's runs that ended without a verdict. */
      readonly withoutVerdict: number;
      /** Set if one of the lists could not be fetched: there may be more runs. */
      readonly failed: FailedList | undefined;
    }
  | NoBaseline;

/** The reason why a list could not be fetched, and what to do. */
export type FailedList = Omit<Extract<Answered<never>, { readonly kind: "failed" }>, "kind">;

/**
 * Limit of pages. Merges bring in commits that are not the branch's own, so a busy repository needs more than one page.
 */
const mostPages = 3;

/** Only the newest runs are listed, so those of an old base may be missing. */
const cutList: FailedList = {
  reason: `the newest ${runsPerPage} runs are all of other commits than the base's`,
  remedy: "Bring the branch up to date with its base, then run this job again.",
};

/** Descriptions of the calls, with the permissions that they need. */
const contents = {
  what: "listing the base branch's commits",
  permission: "contents: read",
  decides: true,
} as const;
export const actions = {
  what: "listing earlier runs",
  permission: "actions: read",
  decides: true,
} as const;

interface BranchOptions {
  readonly start: Start;
  readonly workflowPath: string;
  readonly context: WorkflowContext;
  readonly api: () => Promise<BaselineApi>;
  readonly ask: CallGitHub;
}

/** Opens the base branch. No call is made before its result is needed. */
export function openBaseBranch(options: BranchOptions): BaseBranch {
  const history = once(() => findHistory(options));
  const pushes = once(() => listRuns(options, "push", options.start.branches[0]));
  let otherLists: readonly Promise<Listed>[] | undefined;
  const others = (): readonly Promise<Listed>[] => (otherLists ??= listOthers(options));
  const chosen = async (lists: readonly Promise<Listed>[]): Promise<FoundRuns> => {
    const base = await history();
    if (base.kind === "none") return base;
    const found = await Promise.all(lists);
    const listed = found.flatMap((list) => (list.kind === "done" ? list.value : []));
    // If one of the calls failed, the lists of the others are used.
    const failed = found.find((list) => list.kind === "failed");
    const runs = chooseRuns(listed, base.history);
    const isCut = found.some((list) => list.kind === "done" && list.value.length >= runsPerPage);
    return {
      kind: "found",
      runs,
      withoutVerdict: endedWithout(listed, base.history),
      failed: failed ?? (runs.length === 0 && isCut ? cutList : undefined),
    };
  };
  return {
    history,
    nearRuns: async () => {
      const near = await chosen([pushes()]);
      if (near.kind === "none") return near;
      return { ...near, runs: near.runs.filter(({ distance }) => distance === 0) };
    },
    allRuns: () => chosen([pushes(), ...others()]),
  };
}

type Listed = Answered<readonly WorkflowRun[]>;

async function listRuns(
  { workflowPath, api, ask }: BranchOptions,
  event: string,
  branch: string | undefined,
): Promise<Listed> {
  const workflow = posix.basename(workflowPath);
  return ask(actions, async () => (await api()).listRuns({ workflow, event, branch }));
}

/** The lists other than that of the base branch's pushes. */
function listOthers(options: BranchOptions): readonly Promise<Listed>[] {
  const [base, ...further] = options.start.branches;
  return Object.entries(events).flatMap(([event, { baselines }]) =>
    (baselines?.listedOf(base, further) ?? [])
      .filter((branch) => event !== "push" || branch !== base)
      .map((branch) => listRuns(options, event, branch)),
  );
}

async function findHistory(options: BranchOptions): Promise<FoundHistory> {
  const { start, workflowPath, context } = options;
  const from = start.at.kind === "merge_base" ? await mergeBase(options, start.at) : start.at.sha;
  if (typeof from !== "string") return { ...from, kind: "none" };
  const listed = await listCommits(options, from);
  if (listed.kind === "failed") return { ...listed, kind: "none" };
  const base = start.at.kind === "first_parent" ? baseCommitOf(start.at, listed.value) : from;
  if (base === undefined)
    return { kind: "none", reason: "this is the first commit of its branch: nothing is before it" };
  // If the commit is no merge commit, the base may be missing from the list.
  const elsewhere = !listed.value.some(({ sha }) => sha === base);
  const again = elsewhere ? await listCommits(options, base) : listed;
  if (again.kind === "failed") return { ...again, kind: "none" };
  const chain = firstParents(again.value, base);
  return {
    kind: "found",
    history: { workflowPath, branches: start.branches, chain, ownRunId: context.runId },
  };
}

async function mergeBase(
  { api, ask }: BranchOptions,
  { base, head }: { readonly base: string; readonly head: string },
): Promise<string | FailedList> {
  const found = await ask(contents, async () => (await api()).mergeBase(base, head));
  return found.kind === "done" ? found.value : found;
}

/** Lists commits. The first page nearly always suffices; a history of large merges needs the next ones. */
async function listCommits(
  options: BranchOptions,
  from: string,
): Promise<Answered<readonly CommitFacts[]>> {
  const commits: CommitFacts[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const listed = await options.ask(contents, async () =>
      (await options.api()).listCommits(from, page),
    );
    // If a later page fails, the earlier ones are used.
    if (listed.kind === "failed") return page === 1 ? listed : { kind: "done", value: commits };
    commits.push(...listed.value);
    const isWhole = listed.value.length < commitsPerPage;
    if (isWhole || firstParents(commits, from).length > wantedParents) break;
  }
  return { kind: "done", value: commits };
}

/** Number of first parents to consider; runs that are further back are no useful baseline. */
const wantedParents = 50;
