import { rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "../domain/refusal.ts";
import type { Sample } from "../domain/sample.ts";
import type { FetchedTexts, StoredRun } from "../domain/store.ts";
import { downloadArtifact } from "./artifact-download.ts";
import { createBaselineApi } from "./baseline-api.ts";
import { chooseArtifact } from "./baseline-choose.ts";
import { actions } from "./baseline-ground.ts";
import type { GitHub } from "./github.ts";
import { runArtifact, wholeRun } from "./run-artifacts.ts";

export interface TextsRequest {
  readonly suite: string;
  /** The workflow run whose scores are at hand. */
  readonly runId: number;
  readonly stored: StoredRun;
}

export interface TextsDesk {
  readonly github: () => Promise<GitHub>;
  /** A folder for what is downloaded. */
  readonly folder: string;
  readonly readRun: (directory: string) => Promise<StoredRun>;
  readonly visitSamples: (directory: string) => AsyncIterable<Sample>;
}

/**
 * Puts the samples of a baseline beside its scores, out of the whole run's artifact: that one is larger, and kept for a
 * shorter time. Two calls and a download, where somebody wants to read them.
 */
export async function fetchTexts(asked: TextsRequest, desk: TextsDesk): Promise<FetchedTexts> {
  const { suite, stored } = asked;
  const name = runArtifact(suite, undefined);
  const github = await desk.github();
  const runId = madeBy(stored) ?? asked.runId;
  const folder = join(desk.folder, `${runId}-texts-${name}`);
  const doing = { ...actions, what: `the download of ${name}` };
  const got = await github.attempt(doing, async () => {
    const listed = await createBaselineApi(github).listRunArtifacts(runId, name);
    const artifact = chooseArtifact(listed, name);
    if (artifact !== undefined)
      return downloadArtifact({ ...artifact, folder, ...wholeRun }, github);
    const isExpired = listed.some((one) => one.name === name);
    const reason = isExpired ? "it has expired" : "the run left none";
    return { kind: "refused", reason } as const;
  });
  const before = `the outputs before would be in the artifact ${name} of run ${runId}, which was not read`;
  if (got.kind === "failed") return gone(`${before}: ${got.problem.message}`);
  if (got.value.kind === "refused") return gone(`${before}: ${got.value.reason}`);
  const trouble = await moveIn(folder, stored, desk);
  return trouble === undefined ? { kind: "here" } : gone(`${before}: ${trouble}`);
}

function gone(reason: string): FetchedTexts {
  return { kind: "gone", reason };
}

/** One that stood in for another ran nothing itself. */
function madeBy({ run }: StoredRun): number | undefined {
  const number = /\/actions\/runs\/(\d{1,15})$/.exec(run.stands_in?.source ?? "")?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Only what belongs to the scores, and can be read to its end: a report must not fail by it. Why it is not used, a clause. */
async function moveIn(
  folder: string,
  stored: StoredRun,
  { readRun, visitSamples }: TextsDesk,
): Promise<string | undefined> {
  try {
    const { run } = await readRun(folder);
    if (run.id !== stored.run.id) return "it is of another run";
    for await (const _ of visitSamples(folder)) continue;
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return cause.problems[0]?.message ?? "it can't be read";
  }
  const samples = join(folder, "samples.jsonl");
  const found = await stat(samples).catch(() => undefined);
  if (found === undefined) return "it has no samples";
  await rename(samples, join(stored.directory, "samples.jsonl"));
  return undefined;
}
