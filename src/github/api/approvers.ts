import { shortSha } from "./commits.ts";
import type { Repository } from "../runner/context.ts";
import type { GitHub } from "./github.ts";
import { isBaseMerge } from "./base-merge.ts";
import type { LabelledPull } from "./merge-group.ts";
import { listPushes, readPushers, type Push, type Pushers } from "./pushers.ts";

/** A person who added a label to a pull request, and the known facts about them. */
interface Approver {
  readonly login: string;
  readonly pull: LabelledPull;
  /** The base commit whose policy judges. */
  readonly baseSha: string;
  /** Users who force-pushed or restored the branch, according to the pull request's timeline. */
  readonly movers: readonly string[];
}

/**
 * The reason why a person is not one of the `others` of `gate.approvers`, as a clause; undefined if they have neither
 * opened the pull request nor pushed to it, by the actors that GitHub recorded. Authors of commits are ignored: they can
 * be forged.
 */
export async function whyNotOther(
  approver: Approver,
  github: GitHub,
): Promise<NotOther | undefined> {
  const { login, pull, movers } = approver;
  if (pull.author === undefined)
    return unknownPusher("GitHub does not say who opened the pull request");
  if (isSame(login, pull.author)) return ownPush(`${login} opened the pull request`);
  if (movers.some((mover) => isSame(mover, login)))
    return ownPush(`${login} moved the pull request's branch`);
  const repository = repositoryOf(pull.headRepo);
  if (repository === undefined)
    return unknownPusher("the fork is gone, and with it the record of who pushed to it");
  // Only the fork knows who pushed to it; a public fork is readable for everybody.
  const doing = {
    what: `finding out who pushed to ${pull.headRepo ?? ""}:${pull.headRef}`,
    permission: "contents: read",
    decides: true,
  };
  const found = await github.attempt(doing, () => findReason({ ...approver, repository }, github));
  return found.kind === "done" ? found.value : unknownPushers(found.problem.message);
}

/** The reason why a person is not one of the others, and what to do. */
interface NotOther {
  /** A clause. */
  readonly reason: string;
  /** A sentence. */
  readonly remedy: string;
}

function ownPush(reason: string): NotOther {
  const remedy =
    "Someone else with write access can put it on; where there is nobody, `gate.approvers: writers` on the base lets everyone with write access approve.";
  return { reason, remedy };
}

function unknownPusher(reason: string): NotOther {
  const remedy =
    "Push the change to a new branch of this repository and open another pull request, or let `gate.approvers: writers` on the base do without this.";
  return { reason, remedy };
}

function unknownPushers(reason: string): NotOther {
  return unknownPusher(`who pushed to it is not known: ${reason}`);
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function repositoryOf(fullName: string | undefined): Repository | undefined {
  const [owner, repo, ...rest] = (fullName ?? "").split("/");
  return owner && repo && rest.length === 0 ? { owner, repo } : undefined;
}

interface Asked extends Approver {
  /** The head's repository. */
  readonly repository: Repository;
}

async function findReason(asked: Asked, github: GitHub): Promise<NotOther | undefined> {
  const { pull, repository, login } = asked;
  const { headSha } = pull;
  const list = await listPushes({ repository, ref: pull.headRef }, github);
  const all = readPushers(list, { headSha, mergeBase: undefined });
  const first = await reasonIn(all, asked, github);
  if (first === undefined || list.pushes.length === 0) return first;
  // A long-lived branch has pushes whose content has been on the base for a long time.
  const mergeBase = await findMergeBase(asked, github);
  const since = readPushers(list, { headSha, mergeBase });
  const isLess = since.kind !== all.kind || countBy(since, login) < countBy(all, login);
  return isLess ? reasonIn(since, asked, github) : first;
}

function countBy(pushers: Pushers, login: string): number {
  return pushers.kind === "known" ? pushersOwn(pushers.pushes, login).length : 0;
}

function pushersOwn(pushes: readonly Push[], login: string): readonly Push[] {
  return pushes.filter(({ by }) => by !== undefined && isSame(by, login));
}

/** Limit of the merges of the base by one person that are examined. */
const mostMerges = 10;

async function reasonIn(
  pushers: Pushers,
  { login, baseSha }: Asked,
  github: GitHub,
): Promise<NotOther | undefined> {
  if (pushers.kind === "unknown")
    return unknownPushers(`GitHub lists the pushes to the branch, but ${pushers.reason}`);
  for (const [i, push] of pushersOwn(pushers.pushes, login).entries()) {
    const isUpdate = i < mostMerges && (await isBaseMerge(push, { baseSha }, github));
    if (!isUpdate) return ownPush(`${login} pushed commit ${shortSha(push.after)} to it`);
  }
  return undefined;
}

async function findMergeBase(
  { baseSha, pull }: Asked,
  { request, repository }: GitHub,
): Promise<string> {
  const { data } = await request("GET /repos/{owner}/{repo}/compare/{basehead}", {
    ...repository,
    basehead: `${baseSha}...${pull.headSha}`,
    per_page: 1,
  });
  return data.merge_base_commit.sha;
}
