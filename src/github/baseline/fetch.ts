import { shortSha } from "../api/commits.ts";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Overrides } from "../../model/definition/overrides.ts";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import type { Run, RunKey } from "../../model/outcomes/run.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import type { StoredRun } from "../../model/ports/store.ts";
import { downloadArtifact } from "../artifacts/artifact-download.ts";
import { hashKey, readScoresName } from "../artifacts/artifact-names.ts";
import type { Answered, CallGitHub, BaselineApi } from "./api.ts";
import type { ArtifactFacts, TrustedRun } from "./choose.ts";
import { once } from "../../base/once.ts";
import { actions } from "./base-branch.ts";
import { fetchTexts } from "./texts.ts";
import type { GitHub } from "../api/github.ts";

/** The scores that a run left, or the reason why they can't be used. */
type FetchedScores =
  | { readonly kind: "fetched"; readonly stored: StoredRun }
  | {
      readonly kind: "refused";
      readonly reason: string;
      /** Advice, because it may be a baseline that can't be read. */
      readonly remedy: string;
    };

interface FetchTools {
  readonly api: () => Promise<BaselineApi>;
  readonly ask: CallGitHub;
  readonly github: () => Promise<GitHub>;
  /** A folder for downloads. */
  readonly folder: string;
  readonly readRun: (directory: string) => Promise<StoredRun>;
  readonly visitSamples: (directory: string) => AsyncIterable<Sample>;
  readonly warn: (problem: Problem) => void;
  /** Values that replace the manifests' in this run. */
  readonly overrides: Overrides | undefined;
  /** How to make a new baseline, as a sentence. */
  readonly runTheBase: string;
}

/** Scores of earlier runs. Each is fetched once, because several suites and two policies may need the same scores. */
export interface RunScores {
  readonly list: (run: TrustedRun) => Promise<Answered<readonly ArtifactFacts[]>>;
  readonly fetch: (artifact: ArtifactFacts, run: TrustedRun) => Promise<FetchedScores>;
}

/** Opens the scores of earlier runs. Lists and downloads are made once for each run and artifact. */
export function openRunScores(tools: FetchTools): RunScores {
  const { ask, api } = tools;
  const lists = new Map<number, Promise<Answered<readonly ArtifactFacts[]>>>();
  const downloads = new Map<number, Promise<FetchedScores>>();
  return {
    list: (run) => {
      const listed =
        lists.get(run.id) ?? ask(actions, async () => (await api()).listRunArtifacts(run.id));
      lists.set(run.id, listed);
      return listed;
    },
    fetch: (artifact, run) => {
      const fetched = downloads.get(artifact.id) ?? download({ artifact, run }, tools);
      downloads.set(artifact.id, fetched);
      return fetched;
    },
  };
}

interface Wanted {
  readonly artifact: ArtifactFacts;
  readonly run: TrustedRun;
}

async function download({ artifact, run }: Wanted, tools: FetchTools): Promise<FetchedScores> {
  const { ask, github, folder, runTheBase } = tools;
  const { name, expired } = artifact;
  if (expired)
    return { kind: "refused", reason: `its artifact ${name} has expired`, remedy: runTheBase };
  const to = join(folder, `${run.id}-${artifact.id}`);
  const got = await ask({ ...actions, what: `the download of ${name}` }, async () =>
    downloadArtifact({ ...artifact, folder: to, mostZipBytes, bounds }, await github()),
  );
  if (got.kind === "failed") {
    // It was listed a moment ago, so it was deleted: no permission brings it back.
    const isGone = got.status === 404 || got.status === 410;
    return { ...got, kind: "refused", ...(isGone && { remedy: runTheBase }) };
  }
  if (got.value.kind === "refused") return refuse(tools, name, got.value.reason);
  return readScores({ artifact, run, directory: to }, tools);
}

/** Limit of a zip, enough for the scores of a million samples. */
const mostZipBytes = 500_000_000;
const bounds = {
  wanted: (name: string) => ["run.json", "scores.jsonl"].includes(name),
  mostEntries: 100,
  mostFolders: 1,
  mostBytes: 2_000_000_000,
  mostDepth: 100,
};

async function readScores(
  at: Wanted & { readonly directory: string },
  tools: FetchTools,
): Promise<FetchedScores> {
  const { name } = at.artifact;
  try {
    const stored = await tools.readRun(at.directory);
    const trouble = mismatch(stored, at) ?? otherInputs(stored, at, tools);
    if (trouble !== undefined) return refuse(tools, name, trouble);
    const texts = once(() => fetchTexts({ runId: at.run.id, stored }, tools));
    return { kind: "fetched", stored: { ...stored, fetchTexts: texts } };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return refuse(tools, name, cause.problems[0]?.message ?? "it can't be read");
  }
}

/** The reason why the scores don't match their name and location, or have no verdict; undefined if they can be used. */
function mismatch({ run }: StoredRun, at: Wanted): string | undefined {
  const named = readScoresName(at.artifact.name)?.key;
  if (named !== undefined && hashOf(run) !== `${named.path}-${named.job}-${named.leg}`)
    return "its key is another one than its name says";
  if (run.status !== "completed") return `its run was not completed (${run.status})`;
  if (run.gate.verdict === "error") return "its verdict was error: what it has can't be trusted";
  const sha = run.stands_in?.for_sha ?? run.git.sha;
  return sha === at.run.headSha ? undefined : `it is of another commit, ${shortSha(sha ?? "none")}`;
}

/** Parts of the overrides that decide the answers and their grades, in addition to the manifest. */
const decisive = ["models", "judge_model", "embedding_model", "generation"] as const;

/**
 * The reason why a run that someone started by hand is no baseline: its inputs had other values than this run's, by
 * which it could have been made as bad as the change. Other runs have the values of the branch's workflow.
 */
function otherInputs(
  { run }: StoredRun,
  at: Wanted,
  { overrides = {} }: FetchTools,
): string | undefined {
  if (at.run.event !== "workflow_dispatch") return undefined;
  const { overrides: theirs = {} } = run;
  const other = decisive.filter((key) => !isDeepStrictEqual(theirs[key], overrides[key]));
  if (other.length === 0) return undefined;
  return `it was started by hand with other inputs than this run has (${other.join(", ")})`;
}

function hashOf({ key }: { readonly key?: RunKey }): string | undefined {
  return key && hashKey(key);
}

/** True if scores belong to the suite. Earlier versions had no keys, so only the name identifies the suite there. */
export function isOfSuite({ key, suite }: Run, name: string): boolean {
  return key !== undefined || suite.name === name;
}

function refuse({ warn, runTheBase }: FetchTools, name: string, reason: string): FetchedScores {
  warn(problem("baseline_artifact_refused", { name, reason }));
  const why = `its artifact ${name} was not used: ${reason}`;
  return { kind: "refused", reason: why, remedy: runTheBase };
}
