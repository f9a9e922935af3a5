import {
  commentLimitBytes,
  formatComment,
  isNewer,
  parseComment,
  type CommentSection,
} from "../../model/comment.ts";
import { problem, type Problem } from "../../model/refusal.ts";
import { type Verdict, verdictsWorstFirst } from "../../model/outcomes/verdict.ts";
import { isTold, type CommentMode } from "../runner/comment-mode.ts";
import { confirmSections } from "./confirmed-sections.ts";
import type { Doing, FailedCall, FailureReason, GitHub } from "../api/github.ts";
import { readOwn, type OwnComment, type Reader } from "./own-comments.ts";

/** A suite's section; its text depends on the section's previous text. */
export interface Telling {
  readonly suite: string;
  readonly runId: string;
  readonly attempt: number;
  readonly verdict: Verdict;
  /** True if there is more to show than a pass. */
  readonly changed: boolean;
  readonly render: (previous: CommentSection | undefined) => CommentSection;
}

interface CommentRequest {
  readonly github: GitHub;
  /** The pull request's number. */
  readonly pull: number;
  /** The mark that identifies the workflow's comment. */
  readonly workflow: string;
  readonly mode: CommentMode;
  readonly tellings: readonly Telling[];
  /** The login of the token, if it is known already. */
  readonly identity?: string | undefined;
  /** Resolves after some milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** A random number from 0 to just below 1. */
  readonly random: () => number;
}

/** Result of writing the comment. `superseded`: a newer run has already reported on these suites. */
type CommentEnd =
  | { readonly kind: "written"; readonly url: string }
  | { readonly kind: "superseded"; readonly url: string }
  | { readonly kind: "nothing_to_tell" }
  | { readonly kind: "failed"; readonly problem: Problem; readonly reason: FailureReason };

const doing: Doing = {
  what: "the comment on the pull request",
  permission: "pull-requests: write",
};
/** Limit of rounds, because jobs that write at the same time take turns. */
const mostRounds = 8;
/**
 * Limit of reads before another comment is posted: a server's error may hide a comment that was made, and GitHub's list
 * may lag.
 */
const mostUnansweredReads = 5;
const unansweredPauseMilliseconds = 2000;

/**
 * Writes the sections of these suites into the workflow's single comment. There is no lock: after writing, the comment
 * is read again, and written again if another job's older copy replaced it. Of several comments the oldest stays and
 * receives the content of the others, which are deleted. Only comments of the token's own identity are touched,
 * whatever markers other comments contain.
 */
export async function upsertComment(request: CommentRequest): Promise<CommentEnd> {
  if (request.mode === "never" || request.tellings.length === 0) return { kind: "nothing_to_tell" };
  const writer = createWriter(request);
  for (let round = 1; ; round += 1) {
    const read = await request.github.attempt(doing, () => readOwn(request, writer));
    if (read.kind === "failed") return read;
    const plan = planUpdate(read.value, request, writer);
    if (plan.kind !== "write") return removeDuplicates(plan, request, writer);
    if (round > mostRounds) return crowded;
    if (plan.comments.length === 0 && writer.unansweredReads > 0) {
      writer.unansweredReads -= 1;
      await request.sleep(unansweredPauseMilliseconds);
      continue;
    }
    const written = await request.github.attempt(doing, () => write(plan, request, writer));
    if (written.kind === "failed" && !isWorthAnother(written, plan, round)) return written;
    if (written.kind === "failed" && plan.comments.length === 0)
      writer.unansweredReads = mostUnansweredReads;
    // A second that writes must lie apart anyway; by chance, so that two don't meet again.
    await request.sleep((round === 1 ? 400 : 1000) + 500 * request.random());
  }
}

/**
 * True if another try makes sense: after a server's error the write may have been done, and a missing comment was
 * deleted in between.
 */
function isWorthAnother(
  { reason }: FailedCall,
  { comments }: Plan & Writing,
  round: number,
): boolean {
  const isGone = (reason === "missing" || reason === "gone") && comments.length > 0;
  return (reason === "down" || isGone) && round < 3;
}

/** The result if other jobs kept overwriting the comment. */
const crowded: CommentEnd = {
  kind: "failed",
  problem: problem("comment_crowded", { rounds: mostRounds }),
  reason: "refused",
};

interface Writer extends Reader {
  /** Suites whose sections this job has written. */
  readonly wrote: Set<string>;
  /** Each suite's section as this job read it first. */
  previous: ReadonlyMap<string, CommentSection> | undefined;
  url: string;
  /** Number of further reads of the list, for a comment whose creation got no answer. */
  unansweredReads: number;
}

function createWriter({ identity, tellings, github }: CommentRequest): Writer {
  return {
    identity,
    wrote: new Set(),
    previous: undefined,
    url: "",
    created: undefined,
    unansweredReads: 0,
    confirm: confirmSections(tellings, github),
  };
}

interface Writing {
  readonly kind: "write";
}

type Plan =
  | { readonly kind: "nothing_to_tell" }
  | { readonly kind: "superseded"; readonly comments: readonly OwnComment[] }
  /** Everything is there; all comments after the oldest can be deleted. */
  | { readonly kind: "there"; readonly comments: readonly OwnComment[] }
  | {
      readonly kind: "write";
      readonly comments: readonly OwnComment[];
      readonly sections: readonly CommentSection[];
      readonly tellings: readonly Telling[];
    };

/** Decides how to update the current comments. */
function planUpdate(
  comments: readonly OwnComment[],
  { mode, tellings }: CommentRequest,
  writer: Writer,
): Plan {
  const existing = mergeSections(comments.flatMap(({ parsed }) => parsed.sections));
  writer.previous ??= existing;
  const asked = tellings.filter(
    (telling) =>
      writer.wrote.has(telling.suite) || isTold(mode, existing.get(telling.suite), telling),
  );
  if (asked.length === 0) return { kind: "nothing_to_tell" };
  const stale = asked.filter((telling) => isSuperseded(telling, existing.get(telling.suite)));
  const mine = asked.filter((telling) => !stale.includes(telling));
  const target = comments[0]?.parsed.sections ?? [];
  const merged = new Map(existing);
  const missing = mine.filter(({ suite, runId, attempt }) => {
    const there = existing.get(suite);
    const isThere = there?.runId === runId && there.attempt === attempt && writer.wrote.has(suite);
    return !isThere;
  });
  for (const telling of missing)
    merged.set(telling.suite, telling.render(writer.previous.get(telling.suite)));
  const isWhole = [...existing.values()].every((section) => target.includes(section));
  if (missing.length > 0 || !isWhole)
    return { kind: "write", comments, sections: [...merged.values()], tellings: missing };
  return { kind: mine.length === 0 ? "superseded" : "there", comments };
}

/** The newest section of each suite; among several jobs of one run, the worst. */
function mergeSections(sections: readonly CommentSection[]): ReadonlyMap<string, CommentSection> {
  const newest = new Map<string, CommentSection>();
  for (const section of sections) {
    const known = newest.get(section.suite);
    if (known === undefined || isSuperseded(known, section)) newest.set(section.suite, section);
  }
  return newest;
}

/**
 * True if a newer run, or a later attempt, has reported on the suite. Jobs of one run with a suite of the same name (a
 * matrix of systems) share a section, in which the worst verdict stays.
 */
function isSuperseded(
  one: Pick<CommentSection, "runId" | "attempt" | "verdict">,
  by: CommentSection | undefined,
): boolean {
  if (by === undefined) return false;
  if (isNewer(by, one)) return true;
  if (isNewer(one, by)) return false;
  return rank(by.verdict) < rank(one.verdict);
}

function rank(verdict: Verdict): number {
  return verdictsWorstFirst.indexOf(verdict);
}

async function write(
  { comments, sections, tellings }: Plan & Writing,
  { github, pull, workflow }: CommentRequest,
  writer: Writer,
): Promise<void> {
  const body = formatComment({ workflow, sections }, commentLimitBytes);
  const [oldest] = comments;
  // No automatic retry: the comment is read again before another try, because other jobs may have written.
  const once = { ...github.repository, body, request: { retries: 0 } };
  if (oldest === undefined) {
    const route = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments";
    const { data } = await github.request(route, { ...once, issue_number: pull });
    writer.url = data.html_url;
    writer.created = asWritten(data, body);
    // The answer shows who wrote the comment.
    writer.identity ??= data.user?.login;
  } else {
    const route = "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}";
    const { data } = await github.request(route, { ...once, comment_id: oldest.id });
    writer.url = data.html_url;
    if (oldest.id === writer.created?.id) writer.created = asWritten(data, body);
  }
  for (const { suite } of tellings) writer.wrote.add(suite);
}

function asWritten(
  { id, html_url: url }: { readonly id: number | bigint; readonly html_url: string },
  body: string,
): OwnComment | undefined {
  const parsed = parseComment(body);
  return parsed && { id: Number(id), url, parsed };
}

async function removeDuplicates(
  plan: Exclude<Plan, { readonly kind: "write" }>,
  request: CommentRequest,
  writer: Writer,
): Promise<CommentEnd> {
  if (plan.kind === "nothing_to_tell") return { kind: "nothing_to_tell" };
  const [oldest, ...others] = plan.comments;
  const url = oldest?.url ?? writer.url;
  for (const { id } of others) await removeDuplicate(id, request);
  return { kind: plan.kind === "there" ? "written" : "superseded", url };
}

/** Deletes a second comment, whose sections the oldest has, too. If that fails, the next run tries again. */
async function removeDuplicate(id: number, { github }: CommentRequest): Promise<void> {
  await github.attempt(doing, () =>
    github.request("DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}", {
      ...github.repository,
      comment_id: id,
    }),
  );
}
