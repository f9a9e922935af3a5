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

/** The base branch as it was, and the runs that may be trusted on it. Each call is made once, for all suites. */
export interface BaseBranch {
  readonly ground: () => Promise<FoundGround>;
  /** Runs of the base commit itself, by a push. */
  readonly nearRuns: () => Promise<FoundRuns>;
  /** All kinds: pushes, merged groups of a merge queue, schedules, and manually started runs. */
  readonly allRuns: () => Promise<FoundRuns>;
}

type FoundGround = { readonly kind: "found"; readonly ground: TrustedHistory } | NoBaseline;

type FoundRuns =
  | {
      readonly kind: "found";
      readonly runs: readonly TrustedRun[];
      /** Runs of the base branch that ended without a verdict. */
      readonly withoutVerdict: number;
      /** One of the lists could not be had: there may be more runs. */
      readonly failed: FailedList | undefined;
    }
  | NoBaseline;

/** The reason why a list could not be fetched, and what to do. */
export type FailedList = Omit<Extract<Answered<never>, { readonly kind: "failed" }>, "kind">;

/** Merges bring in commits that are not the branch's own: a busy repository needs more than one page. */
const mostPages = 3;

/** Only the newest runs are listed: those of an old base may be missing. */
const cutList: FailedList = {
  reason: `the newest ${runsPerPage} runs are all of other commits than the base's`,
  remedy: "Bring the branch up to date with its base, then run this job again.",
};

/** The calls, with the permissions that they need. */
const contents = {
  what: "the look for the base branch's commits",
  permission: "contents: read",
  decides: true,
} as const;
export const actions = {
  what: "the look for earlier runs",
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

/** Opens the base branch. Nothing is asked before something is wanted. */
export function openBaseBranch(options: BranchOptions): BaseBranch {
  const ground = once(() => findGround(options));
  const pushes = once(() => listRuns(options, "push", options.start.branches[0]));
  let otherLists: readonly Promise<Listed>[] | undefined;
  const others = (): readonly Promise<Listed>[] => (otherLists ??= listOthers(options));
  const chosen = async (lists: readonly Promise<Listed>[]): Promise<FoundRuns> => {
    const base = await ground();
    if (base.kind === "none") return base;
    const found = await Promise.all(lists);
    const listed = found.flatMap((list) => (list.kind === "done" ? list.value : []));
    // If one of the calls failed, the lists of the others are used.
    const failed = found.find((list) => list.kind === "failed");
    const runs = chooseRuns(listed, base.ground);
    const isCut = found.some((list) => list.kind === "done" && list.value.length >= runsPerPage);
    return {
      kind: "found",
      runs,
      withoutVerdict: endedWithout(listed, base.ground),
      failed: failed ?? (runs.length === 0 && isCut ? cutList : undefined),
    };
  };
  return {
    ground,
    nearRuns: async () => {
      const near = await chosen([pushes()]);
      if (near.kind === "none") return near;
      return { ...near, runs: near.runs.filter(({ distance }) => distance === 0) };
    },
    allRuns: () => chosen([pushes(), ...others()]),
  };
}

type Listed = Answered<readonly WorkflowRun[]>;

/** Makes it when it is first asked for, and once. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

async function listRuns(
  { workflowPath, api, ask }: BranchOptions,
  event: string,
  branch: string | undefined,
): Promise<Listed> {
  const workflow = posix.basename(workflowPath);
  return ask(actions, async () => (await api()).listRuns({ workflow, event, branch }));
}

/** The lists beside that of the base branch's pushes. */
function listOthers(options: BranchOptions): readonly Promise<Listed>[] {
  const [base, ...further] = options.start.branches;
  return Object.entries(events).flatMap(([event, { baselines }]) =>
    (baselines?.listedOf(base, further) ?? [])
      .filter((branch) => event !== "push" || branch !== base)
      .map((branch) => listRuns(options, event, branch)),
  );
}

async function findGround(options: BranchOptions): Promise<FoundGround> {
  const { start, workflowPath, context } = options;
  const from = start.at.kind === "merge_base" ? await mergeBase(options, start.at) : start.at.sha;
  if (typeof from !== "string") return { ...from, kind: "none" };
  const listed = await listCommits(options, from);
  if (listed.kind === "failed") return { ...listed, kind: "none" };
  const base = start.at.kind === "first_parent" ? baseCommitOf(start.at, listed.value) : from;
  if (base === undefined)
    return { kind: "none", reason: "this is the first commit of its branch: nothing is before it" };
  // The base may be missing from the list if the commit is no merge commit.
  const elsewhere = !listed.value.some(({ sha }) => sha === base);
  const again = elsewhere ? await listCommits(options, base) : listed;
  if (again.kind === "failed") return { ...again, kind: "none" };
  const chain = firstParents(again.value, base);
  return {
    kind: "found",
    ground: { workflowPath, branches: start.branches, chain, ownRunId: context.runId },
  };
}

async function mergeBase(
  { api, ask }: BranchOptions,
  { base, head }: { readonly base: string; readonly head: string },
): Promise<string | FailedList> {
  const found = await ask(contents, async () => (await api()).mergeBase(base, head));
  return found.kind === "done" ? found.value : found;
}

/** The first page answers nearly always; a history of large merges needs the next ones. */
async function listCommits(
  options: BranchOptions,
  from: string,
): Promise<Answered<readonly CommitFacts[]>> {
  const commits: CommitFacts[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const listed = await options.ask(contents, async () =>
      (await options.api()).listCommits(from, page),
    );
    // If the second page fails, the first one is used.
    if (listed.kind === "failed") return page === 1 ? listed : { kind: "done", value: commits };
    commits.push(...listed.value);
    const isWhole = listed.value.length < commitsPerPage;
    if (isWhole || firstParents(commits, from).length > wantedParents) break;
  }
  return { kind: "done", value: commits };
}

/** Runs that are further back are no useful baseline. */
const wantedParents = 50;
