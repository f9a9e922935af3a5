import { plural } from "../../model/number-words.ts";
import { shortSha } from "../api/commits.ts";
import type { BaselineQuestion, FoundBaseline, NoBaseline } from "../../model/baseline.ts";
import type { TrustedRun } from "./choose.ts";
import type { FailedList } from "./base-branch.ts";
import { findOtherRuns } from "./other-workflows.ts";
import { pickScores } from "./pick.ts";
import {
  mostTried,
  runsWith,
  severalWorkflows,
  type CandidateRun,
  type FinderContext,
  type Found,
} from "./runs.ts";
import { settleBaseline } from "./settle.ts";
import { take, triedAs, type Tried, type Unsure } from "./take.ts";

/** Runs that were examined and are no baseline. */
interface SearchedRuns {
  readonly kind: "not_found";
  readonly tried: readonly Tried[];
  readonly unsure: readonly Unsure[];
  readonly failures: readonly FailedList[];
}

/** Searches this workflow's runs, and if they have nothing of the suite, those of another workflow. */
export async function find(
  question: BaselineQuestion,
  finder: FinderContext,
): Promise<FoundBaseline> {
  const own = await lookAmong(inOrder(question, finder), question, finder);
  if (own.kind !== "not_found") return own;
  if (isKnown(own)) {
    const settled = await settleBaseline(own.unsure, question, finder);
    if (settled !== undefined) return settled;
    const other = await findElsewhere(question, finder);
    if (other !== undefined) return other;
  }
  if (isUnknownWorkflow(own)) {
    const other = await findElsewhere(question, finder);
    if (other?.kind === "found") return other;
  }
  return whyNone(own, question, finder);
}

/** True if GitHub's lists do not know the workflow: it is new in this change, or the token may not see it. */
function isUnknownWorkflow({ tried, unsure, failures }: SearchedRuns): boolean {
  const isNew = failures.length > 0 && failures.every(({ status }) => status === 404);
  return isNew && tried.length + unsure.length === 0;
}

/** False if something that may be the baseline could not be read. */
function isKnown({ tried, failures }: SearchedRuns): boolean {
  return failures.length === 0 && tried.every(({ remedy }) => remedy === undefined);
}

async function lookAmong(
  offers: AsyncIterable<Offered>,
  question: BaselineQuestion,
  finder: FinderContext,
): Promise<Found | NoBaseline | SearchedRuns> {
  const seen = new Set<number>();
  const looked: (Tried | Unsure)[] = [];
  const failures: FailedList[] = [];
  for await (const offered of offers) {
    if (offered.kind === "none") return offered;
    if (offered.kind === "failed") failures.push(offered);
    else if (!seen.has(offered.run.id)) {
      if (seen.size >= mostTried) break;
      seen.add(offered.run.id);
      const found = await lookInto(offered, question, finder);
      if (found.kind === "found") return found;
      looked.push(found);
      // It is also unknown to whom an older run belongs, because the second of the two may be new.
      if (found.kind === "unsure" && isShared(found)) break;
    }
  }
  const tried = looked.filter((each) => each.kind === "tried");
  const unsure = looked.filter((each) => each.kind === "unsure");
  return { kind: "not_found", tried, unsure, failures };
}

function isShared({ picked }: Unsure): boolean {
  return picked.kind === "undecided" && picked.why === "shared";
}

async function lookInto(
  candidate: CandidateRun,
  question: BaselineQuestion,
  finder: FinderContext,
): Promise<Found | Tried | Unsure> {
  const { run } = candidate;
  const listed = await finder.scores.list(run);
  if (listed.kind === "failed") return triedAs(run, listed.reason, listed.remedy);
  const picked = pickScores(listed.value, { ...question, ...finder.of });
  switch (picked.kind) {
    case "none":
      return triedAs(run, `it left no scores of ${question.suite}`, undefined);
    case "exact":
      return take({ ...candidate, artifact: picked.artifact }, question, finder);
    case "likely":
    case "undecided":
    case "elsewhere":
      return { ...candidate, kind: "unsure", picked };
  }
}

type Offered =
  | (CandidateRun & { readonly kind: "candidate" })
  | (FailedList & { readonly kind: "failed" })
  | NoBaseline;

/**
 * Yields candidates: the base commit's own run, else a run with the base's inputs, else the nearest run before the
 * base.
 */
async function* inOrder(
  question: BaselineQuestion,
  finder: FinderContext,
): AsyncGenerator<Offered> {
  const near = await finder.branch.nearRuns();
  if (near.kind === "none") return yield near;
  for (const run of near.runs) yield candidateOf(run, "the base commit's own run");
  const all = await finder.branch.allRuns();
  if (all.kind === "none") return yield all;
  if (all.failed) yield { ...all.failed, kind: "failed" };
  for (const run of all.runs.filter(({ distance }) => distance === 0))
    yield candidateOf(run, "the base commit's own run");
  const inputHash = all.runs.length > 0 ? await question.baseInputs() : undefined;
  const { suite } = question;
  const equal =
    inputHash === undefined
      ? { runs: [], failed: undefined }
      : await runsWith({ suite, inputHash }, all.runs, finder);
  if (equal.failed) yield { ...equal.failed, kind: "failed" };
  for (const run of equal.runs)
    yield candidateOf(run, `it has the same inputs as the base commit, ${commits(run)} later`);
  for (const run of all.runs) yield candidateOf(run, nearest(run));
}

function candidateOf(run: TrustedRun, reason: string): Offered {
  return { kind: "candidate", run, reason };
}

function nearest(run: TrustedRun): string {
  if (run.distance === 0) return "the base commit's own run";
  return `the nearest run before the base commit, which is ${commits(run)} later`;
}

function commits({ distance }: TrustedRun): string {
  return `${distance} ${plural(distance, "commit")}`;
}

/** Searches the runs of another workflow; undefined if none has left anything of the suite. */
async function findElsewhere(
  question: BaselineQuestion,
  finder: FinderContext,
): Promise<FoundBaseline | undefined> {
  const others = await findOtherRuns(question, finder);
  switch (others.kind) {
    case "none":
      return undefined;
    case "failed":
      return { ...others, kind: "none" };
    case "several":
      return { ...severalWorkflows(others.workflowPaths, finder), kind: "none" };
    case "found": {
      const { workflowPath: path, runs } = others;
      const why = `of ${path}, as ${finder.workflowPath} has left none there`;
      const looked = await lookAmong(offersOf(runs, why), question, finder);
      if (looked.kind !== "not_found") return looked;
      const settled = isKnown(looked)
        ? await settleBaseline(looked.unsure, question, finder)
        : undefined;
      return settled ?? (isKnown(looked) ? undefined : unread(looked));
    }
  }
}

async function* offersOf(runs: readonly TrustedRun[], why: string): AsyncGenerator<Offered> {
  for (const run of runs) yield candidateOf(run, `${nearest(run)}, ${why}`);
}

/** The refusal if something that may be the baseline could not be read; undefined if everything was read. */
function unread({ tried, failures }: SearchedRuns): NoBaseline | undefined {
  const remedy = [...failures, ...tried].find((each) => each.remedy !== undefined)?.remedy;
  const reasons = [...failures, ...tried].map(({ reason }) => reason);
  return remedy === undefined ? undefined : { kind: "none", reason: reasons.join("; "), remedy };
}

/** Explains why there is no baseline, or why it is unknown whether there is one. */
async function whyNone(
  looked: SearchedRuns,
  { isInBase }: BaselineQuestion,
  finder: FinderContext,
): Promise<NoBaseline> {
  const notRead = unread(looked);
  if (notRead !== undefined) return notRead;
  const all = await finder.branch.allRuns();
  if (all.kind === "none") return all;
  // The base has runs of the suite, but none came to a verdict. A suite that is new there has left nothing yet.
  if (looked.tried.length > 0) {
    const remedy = isInBase === true ? finder.runTheBase : undefined;
    return { kind: "none", reason: looked.tried.map(({ reason }) => reason).join("; "), remedy };
  }
  if (all.withoutVerdict > 0 && isInBase !== false) {
    const count = all.withoutVerdict === 1 ? "one run" : `${all.withoutVerdict} runs`;
    const reason = `the base branch has ${count} of ${finder.workflowPath}, cancelled or out of time before a verdict`;
    return { kind: "none", reason, remedy: finder.runTheBase };
  }
  return { kind: "none", reason: await noRuns(finder), isFirst: true };
}

async function noRuns({ branch, start, workflowPath }: FinderContext): Promise<string> {
  const history = await branch.history();
  if (history.kind === "none") return history.reason;
  const { chain } = history.history;
  const before = chain.length - 1;
  const where = `${shortSha(chain[0] ?? "")} of ${start.branches[0] ?? "the base branch"}`;
  return `${workflowPath} has no completed push, schedule, merge queue or workflow_dispatch run for ${where}, nor for the ${before} commits before it; a push to that branch leaves one, and so does "Run workflow" on the Actions tab`;
}
