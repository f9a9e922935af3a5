import { rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "../../model/refusal.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import type { FetchedTexts, StoredRun } from "../../model/ports/store.ts";
import { downloadArtifact } from "../artifacts/artifact-download.ts";
import { createBaselineApi } from "./api.ts";
import { chooseArtifact, type ArtifactFacts } from "./choose.ts";
import { actions } from "./base-branch.ts";
import type { GitHub } from "../api/github.ts";
import { keyedRunArtifact, runArtifact, wholeRun } from "../artifacts/run-artifacts.ts";

interface TextsRequest {
  /** The workflow run that the scores come from. */
  readonly runId: number;
  readonly stored: StoredRun;
}

interface TextsContext {
  readonly github: () => Promise<GitHub>;
  /** A folder for downloads. */
  readonly folder: string;
  readonly readRun: (directory: string) => Promise<StoredRun>;
  readonly visitSamples: (directory: string) => AsyncIterable<Sample>;
}

/**
 * Adds a baseline's samples to its scores. They come from the whole run's artifact, which is larger and kept for a
 * shorter time. It takes two calls and a download, which are made only when the texts are needed.
 */
export async function fetchTexts(asked: TextsRequest, finder: TextsContext): Promise<FetchedTexts> {
  const { stored } = asked;
  const { suite, key } = stored.run;
  const github = await finder.github();
  const runId = madeBy(stored) ?? asked.runId;
  const name = runArtifact(suite.name, undefined);
  const doing = { ...actions, what: `finding ${name}` };
  const listed = await github.attempt(doing, () =>
    createBaselineApi(github).listRunArtifacts(runId),
  );
  if (listed.kind === "failed") return goneTexts(notRead(name, runId, listed.problem.message));
  // It is unknown which of several jobs came first and has the name without a key.
  const names = [...(key ? [keyedRunArtifact(suite.name, key)] : []), name];
  const there = names.filter((each) => listed.value.some((one) => one.name === each));
  let why = notRead(name, runId, "the run left none");
  for (const each of there) {
    const folder = join(finder.folder, `${runId}-texts-${each}`);
    const trouble = await fetchOne({ name: each, folder, stored, listed: listed.value }, finder);
    if (trouble === undefined) return { kind: "here" };
    why = notRead(each, runId, trouble);
  }
  return goneTexts(why);
}

function notRead(name: string, runId: number, reason: string): string {
  return `the outputs before would be in the artifact ${name} of run ${runId}, which was not read: ${reason}`;
}

/** Fetches one artifact. Returns the reason why it is not used, as a clause; undefined if it is now there. */
async function fetchOne(
  at: {
    readonly name: string;
    readonly folder: string;
    readonly stored: StoredRun;
    readonly listed: readonly ArtifactFacts[];
  },
  finder: TextsContext,
): Promise<string | undefined> {
  const { name, folder, stored } = at;
  const artifact = chooseArtifact(at.listed, name);
  if (artifact === undefined) return "it has expired";
  const github = await finder.github();
  const got = await github.attempt({ ...actions, what: `the download of ${name}` }, () =>
    downloadArtifact({ ...artifact, folder, ...wholeRun }, github),
  );
  if (got.kind === "failed") return got.problem.message;
  return got.value.kind === "refused" ? got.value.reason : moveIn(folder, stored, finder);
}

function goneTexts(reason: string): FetchedTexts {
  return { kind: "gone", reason };
}

/** The id of the workflow run that made the samples. A run that reuses another one ran nothing itself. */
function madeBy({ run }: StoredRun): number | undefined {
  const number = /\/actions\/runs\/(\d{1,15})$/.exec(run.stands_in?.source ?? "")?.[1];
  return number === undefined ? undefined : Number(number);
}

/**
 * Moves the files only if they match the scores and can be read completely, because a report must not fail because of
 * them. Returns the reason why they are not used, as a clause.
 */
async function moveIn(
  folder: string,
  stored: StoredRun,
  { readRun, visitSamples }: TextsContext,
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
