import { join } from "node:path";
import { Refusal } from "../domain/refusal.ts";
import type { Sample } from "../domain/sample.ts";
import type { StoredRun } from "../domain/store.ts";
import { downloadArtifact } from "./artifact-download.ts";
import { runArtifact, wholeRun } from "./run-artifacts.ts";
import { createBaselineApi } from "./baseline-api.ts";
import { chooseArtifact } from "./baseline-choose.ts";
import type { GitHub } from "./github.ts";

/** What came of looking for the outputs of a stranger's run. */
export type FoundOutputs =
  | { readonly kind: "found"; readonly samples: string; readonly candidates: readonly string[] }
  /** It left no such artifact. */
  | { readonly kind: "none" }
  /** It can't be judged. A clause. */
  | { readonly kind: "refused"; readonly reason: string }
  /** GitHub did not hand it over. A clause. */
  | { readonly kind: "failed"; readonly reason: string };

export interface OutputsRequest {
  readonly runId: number;
  readonly suite: string;
  /** A folder for what is downloaded. */
  readonly folder: string;
  readonly readRun: (directory: string) => Promise<StoredRun>;
  readonly visitSamples: (directory: string) => AsyncIterable<Sample>;
}

/**
 * Downloads a suite's outputs from a run that a stranger's code has made, as hostile data: bounded in size, depth and names, and
 * every line of the shape that it must have. Of what the run says of itself only the slots' names are taken.
 */
export async function fetchOutputs(asked: OutputsRequest, github: GitHub): Promise<FoundOutputs> {
  const name = runArtifact(asked.suite, undefined);
  const doing = { what: `the download of ${name}`, permission: "actions: read" };
  const directory = join(asked.folder, name);
  const got = await github.attempt(doing, async () => {
    const listed = await createBaselineApi(github).listRunArtifacts(asked.runId, name);
    const artifact = chooseArtifact(listed, name);
    if (artifact === undefined) return undefined;
    return downloadArtifact({ ...artifact, folder: directory, ...wholeRun }, github);
  });
  if (got.kind === "failed") return { kind: "failed", reason: got.problem.message };
  if (got.value === undefined) return { kind: "none" };
  if (got.value.kind === "refused") return got.value;
  return readOutputs(directory, asked);
}

async function readOutputs(
  directory: string,
  { readRun, visitSamples }: OutputsRequest,
): Promise<FoundOutputs> {
  try {
    const { run } = await readRun(directory);
    // Read once for its shape: what is replayed has passed.
    let samples = 0;
    for await (const _ of visitSamples(directory)) samples += 1;
    if (samples === 0) return { kind: "refused", reason: "it holds no samples" };
    const candidates = run.candidates.map(({ id }) => id);
    return { kind: "found", samples: join(directory, "samples.jsonl"), candidates };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return { kind: "refused", reason: cause.problems[0]?.message ?? "it can't be read" };
  }
}
