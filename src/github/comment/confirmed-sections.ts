import { isNewer, type CommentSection, type WorkflowAttempt } from "../../model/comment.ts";
import type { Doing, GitHub } from "../api/github.ts";

interface Named extends WorkflowAttempt {
  readonly suite: string;
}

/** Keeps the sections that may take precedence over this job's, as far as GitHub knows the runs that they name. */
export type ConfirmSections = (
  sections: readonly CommentSection[],
) => Promise<readonly CommentSection[]>;

const doing: Doing = { what: "the run that the comment names", permission: "actions: read" };

/**
 * Drops each section that claims to be newer than this job's, unless GitHub confirms its run: a run of the same
 * workflow and branch, with that attempt. Others may edit a comment, so a run's id in it is only a claim.
 */
export function confirmSections(tellings: readonly Named[], github: GitHub): ConfirmSections {
  const runs = new Map<string, Promise<KnownRun | undefined>>();
  const find = (runId: string): Promise<KnownRun | undefined> => {
    const asked = runs.get(runId) ?? findRun(runId, github);
    runs.set(runId, asked);
    return asked;
  };
  const counts = async (section: CommentSection): Promise<boolean> => {
    const own = tellings.find(({ suite }) => suite === section.suite);
    if (own === undefined || !isNewer(section, own)) return true;
    const [claimed, ours] = [await find(section.runId), await find(own.runId)];
    if (claimed === undefined || ours === undefined) return false;
    return claimed.origin === ours.origin && section.attempt <= claimed.attempts;
  };
  return async (sections) => {
    const kept: CommentSection[] = [];
    for (const section of sections) if (await counts(section)) kept.push(section);
    return kept;
  };
}

interface KnownRun {
  /** Workflow file, repository and branch, as one text. */
  readonly origin: string;
  readonly attempts: number;
}

/** The run of an id; undefined if there is none, or if GitHub did not answer. */
async function findRun(runId: string, github: GitHub): Promise<KnownRun | undefined> {
  const id = Number(runId);
  if (!Number.isSafeInteger(id)) return undefined;
  const found = await github.attempt(doing, () =>
    github.request("GET /repos/{owner}/{repo}/actions/runs/{run_id}", {
      ...github.repository,
      run_id: id,
    }),
  );
  if (found.kind === "failed") return undefined;
  const { path, head_branch, head_repository, run_attempt = 1 } = found.value.data;
  // Null if the fork was deleted.
  const head: { readonly full_name: string } | null = head_repository;
  const origin = JSON.stringify([path, head?.full_name ?? null, head_branch]);
  return { origin, attempts: run_attempt };
}
