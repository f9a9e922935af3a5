import { shortSha } from "./commits.ts";
import type { Repository } from "../runner/context.ts";
import type { GitHub } from "./github.ts";

/** A movement of a branch, as GitHub recorded it. */
export interface Push {
  /** `push`, `force_push`, `branch_creation`, `branch_deletion`, `pr_merge`, `merge_queue_merge`. */
  readonly kind: string;
  /** Commits; all zeros if there was none. */
  readonly before: string;
  readonly after: string;
  readonly by: string | undefined;
  /** True for a person who did this. */
  readonly isPerson: boolean;
}

/** The pushes to a branch, the newest first. */
interface PushList {
  readonly pushes: readonly Push[];
  /** True if no page of the list is missing. */
  readonly isWhole: boolean;
}

interface AskedPushes {
  /** The pull request's head commit. */
  readonly headSha: string;
  /** The newest commit that the pull request shares with its base; undefined: it is not needed. */
  readonly mergeBase: string | undefined;
}

/** Users who pushed to a pull request. */
export type Pushers =
  | { readonly kind: "known"; readonly pushes: readonly Push[] }
  /** The reason, as a clause. */
  | { readonly kind: "unknown"; readonly reason: string };

/**
 * Finds the pushes that may have brought a pull request's content: all since the branch began, or since it was last at
 * a commit that the base also has. They are unknown if the list has a gap, or if a push has no known actor. Pure.
 */
export function readPushers(
  { pushes: all, isWhole }: PushList,
  { headSha, mergeBase }: AskedPushes,
): Pushers {
  if (all[0]?.after !== headSha)
    return unknown(`its last push there is not that of commit ${shortSha(headSha)}`);
  const start = all.findIndex(({ after }) => after === mergeBase);
  // A branch that was created at a commit of the base brings nothing; one that was moved there may hide something.
  const end = all[start]?.kind === "branch_creation" ? start : start + 1;
  const pushes = start < 0 ? all : all.slice(0, end);
  const begins = start >= 0 || (isWhole && all.at(-1)?.before === noCommit);
  if (!begins) return unknown("it does not go back to where the branch began");
  const afters = new Set([...all.map(({ after }) => after), noCommit, mergeBase]);
  const isGap = ({ before, after }: Push): boolean => after !== mergeBase && !afters.has(before);
  if (pushes.some(isGap)) return unknown("it has gaps");
  const moves = pushes.filter(({ kind }) => kind !== "branch_deletion");
  const nobodys = moves.find(({ isPerson }) => !isPerson);
  if (nobodys !== undefined) return unknown(whoseWords(nobodys));
  return { kind: "known", pushes: moves };
}

const noCommit = "0".repeat(40);

function unknown(reason: string): Pushers {
  return { kind: "unknown", reason };
}

function whoseWords({ by, after }: Push): string {
  const commit = `commit ${shortSha(after)} was pushed`;
  if (by === undefined) return `${commit} by nobody that GitHub names`;
  return `${commit} by ${by}, and who had it do so is not known`;
}

/** Limit of pages, 500 pushes: a branch with more is one that others are merged into. */
const mostPages = 5;

/** Asks GitHub for the pushes to a branch, usually in one call. */
export async function listPushes(
  { repository, ref }: { readonly repository: Repository; readonly ref: string },
  { request }: GitHub,
): Promise<PushList> {
  const pushes: Push[] = [];
  let after: string | undefined;
  for (let page = 1; page <= mostPages; page += 1) {
    const { data, headers } = await request("GET /repos/{owner}/{repo}/activity", {
      ...repository,
      ref: `refs/heads/${ref}`,
      per_page: 100,
      ...(after !== undefined && { after }),
    });
    const ofBranch = data.filter((each) => each.ref === `refs/heads/${ref}`);
    if (ofBranch.length < data.length) return { pushes: [], isWhole: false };
    pushes.push(...ofBranch.map(readPush));
    after = nextCursor(headers.link);
    if (after === undefined) return { pushes, isWhole: true };
  }
  return { pushes, isWhole: false };
}

/**
 * Cursor of the next page; undefined if there is none. An unreadable link leads to the first page again, and therefore
 * to an incomplete list.
 */
function nextCursor(link: string | undefined): string | undefined {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? "")?.[1];
  return next === undefined ? undefined : (URL.parse(next)?.searchParams.get("after") ?? "");
}

/**
 * The only app that is trusted to push for itself: Dependabot pushes only its own changes, while people with write
 * access may make any other app push.
 */
const selfPushingApp = "dependabot[bot]";

function readPush(activity: {
  readonly activity_type: string;
  readonly before: string;
  readonly after: string;
  readonly actor: { readonly login: string; readonly type: string } | null;
}): Push {
  const { activity_type: kind, before, after, actor } = activity;
  const by = actor?.login;
  const isPerson = actor?.type === "User" || by === selfPushingApp;
  return { kind, before, after, by, isPerson };
}
