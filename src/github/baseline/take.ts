import { shortSha } from "../api/commits.ts";
import type { BaselineQuestion, SoughtSuite } from "../../model/baseline.ts";
import type { StoredRun } from "../../model/ports/store.ts";
import type { ArtifactFacts, TrustedRun } from "./choose.ts";
import { isOfSuite } from "./fetch.ts";
import type { PickedScores } from "./pick.ts";
import { isResultsPath } from "../runner/run-key.ts";
import { foundAs, type CandidateRun, type FinderContext, type Found } from "./runs.ts";

/** A run that was examined, and why it is no baseline. */
export interface Tried {
  readonly kind: "tried";
  readonly reason: string;
  /** Advice, if the run may have left a baseline that can't be read. */
  readonly remedy: string | undefined;
}

/** A run that left scores under another key than this job's; they may be this job's nevertheless. */
export interface Unsure extends CandidateRun {
  readonly kind: "unsure";
  readonly picked: Exclude<PickedScores, { readonly kind: "exact" | "none" }>;
}

/** The scores that are wanted. */
export type TakenFor = SoughtSuite & Pick<BaselineQuestion, "maxAgeDays">;

/** Uses a run's scores as the baseline, if they can be read and are not too old. */
export async function take(
  { artifact, ...candidate }: CandidateRun & { readonly artifact: ArtifactFacts },
  question: TakenFor,
  finder: FinderContext,
): Promise<Found | Tried> {
  const { run } = candidate;
  const fetched = await finder.scores.fetch(artifact, run);
  if (fetched.kind === "refused") return triedAs(run, fetched.reason, fetched.remedy);
  const { stored } = fetched;
  if (!isOfSuite(stored.run, question.suite)) {
    const reason = `its artifact ${artifact.name} is of another suite, ${stored.run.suite.name}`;
    return triedAs(run, reason, finder.runTheBase);
  }
  if (await isOfOther(stored.run, question)) {
    const reason = `its artifact ${artifact.name} is of ${stored.run.suite.path}, and not of ${question.path}`;
    return triedAs(run, reason, otherPathRemedy(question, finder));
  }
  const old = tooOld(stored, question, finder);
  return old === undefined
    ? foundAs(candidate, stored, finder)
    : triedAs(run, old, finder.runTheBase);
}

/** True if a run of an earlier version, which had no keys, belongs to another manifest, which still exists. */
async function isOfOther(
  { key, suite }: StoredRun["run"],
  { path, isGone }: TakenFor,
): Promise<boolean> {
  if (key !== undefined || isResultsPath(path) || suite.path === path) return false;
  return !(await isGone(suite.path));
}

/** Advice if only other manifests have left runs of a suite with that name. */
export function otherPathRemedy({ isInBase }: TakenFor, { runTheBase }: FinderContext): string {
  return isInBase === true
    ? runTheBase
    : "Give this suite a name of its own (`name` in its manifest): one name stands for one suite.";
}

/** A run that is no baseline. */
export function triedAs(
  { id, headSha }: TrustedRun,
  why: string,
  remedy: string | undefined,
): Tried {
  return { kind: "tried", reason: `run ${id} of ${shortSha(headSha)}: ${why}`, remedy };
}

const millisecondsPerDay = 86_400_000;

function tooOld(
  { run }: StoredRun,
  { maxAgeDays }: TakenFor,
  { now }: FinderContext,
): string | undefined {
  const days = (now() - Date.parse(run.completed_at)) / millisecondsPerDay;
  if (maxAgeDays === undefined || days <= maxAgeDays) return undefined;
  return `it is ${Math.floor(days)} days old, and max_age_days is ${maxAgeDays}`;
}
