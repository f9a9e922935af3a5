import type { FoundBaseline } from "../../model/baseline.ts";
import type { Overrides } from "../../model/definition/overrides.ts";
import type { Problem } from "../../model/refusal.ts";
import type { RunKey } from "../../model/outcomes/run.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import type { StoredRun } from "../../model/ports/store.ts";
import { inputsArtifactName } from "../artifacts/artifact-names.ts";
import type { CallGitHub, BaselineApi } from "./api.ts";
import type { TrustedRun } from "./choose.ts";
import type { RunScores } from "./fetch.ts";
import { actions, type BaseBranch, type FailedList } from "./base-branch.ts";
import type { Start } from "./start.ts";
import { runPage, type WorkflowContext } from "../runner/context.ts";
import type { GitHub } from "../api/github.ts";

export interface FinderOptions {
  readonly context: WorkflowContext;
  readonly start: Start;
  /** `.github/workflows/evals.yml`: the workflow whose runs are baselines. */
  readonly workflowPath: string;
  /** True if the change has a workflow at that path. */
  readonly hasWorkflow: (path: string) => Promise<boolean>;
  /** Identifies this job's runs among several of a suite. Without a job, any job counts. */
  readonly of: { readonly job: string | undefined; readonly leg: RunKey["leg"] };
  /** Opened shortly before the first call. */
  readonly github: () => Promise<GitHub>;
  /** A folder for downloads. */
  readonly folder: string;
  readonly readRun: (directory: string) => Promise<StoredRun>;
  readonly visitSamples: (directory: string) => AsyncIterable<Sample>;
  readonly warn: (problem: Problem) => void;
  /** Values that replace the manifests' in this run. */
  readonly overrides: Overrides | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface FinderContext extends FinderOptions {
  readonly branch: BaseBranch;
  readonly api: () => Promise<BaselineApi>;
  readonly ask: CallGitHub;
  readonly scores: RunScores;
  /** How to make a new baseline, as a sentence. */
  readonly runTheBase: string;
}

/** Limit of runs that are examined; each costs two calls. */
export const mostTried = 6;

export interface RunsWith {
  readonly runs: readonly TrustedRun[];
  readonly failed: FailedList | undefined;
}

/** The trusted runs that left a mark with the input hash; one call for all of them. */
export async function runsWith(
  { suite, inputHash }: { readonly suite: string; readonly inputHash: string },
  trusted: readonly TrustedRun[],
  { ask, api }: FinderContext,
): Promise<RunsWith> {
  const name = inputsArtifactName(suite, inputHash);
  const marks = await ask(actions, async () => (await api()).listArtifacts(name));
  if (marks.kind === "failed") return { runs: [], failed: marks };
  const ids = new Set(marks.value.map(({ runId }) => runId));
  return { runs: trusted.filter(({ id }) => ids.has(id)), failed: undefined };
}

/** The result if it is unknown which workflow's runs this one should follow. */
export function severalWorkflows(
  paths: readonly string[],
  { workflowPath }: FinderContext,
): FailedList {
  return {
    reason: `${workflowPath} has no run on the base branch, and several other workflows have runs with this suite there: ${paths.join(", ")}`,
    remedy:
      "Give the suite a name of its own (`name` in its manifest), or judge it in one of these workflows.",
  };
}

/** A run that may be used, and why. */
export interface CandidateRun {
  readonly run: TrustedRun;
  readonly reason: string;
}

export type Found = Extract<FoundBaseline, { readonly kind: "found" }>;

/** A run that is used as the baseline. */
export function foundAs(
  { run, reason }: CandidateRun,
  stored: StoredRun,
  { context }: FinderContext,
): Found {
  const { distance, headSha: sha, id } = run;
  const source = runPage(context, id);
  return { kind: "found", stored, source, sha, distance, reason };
}
