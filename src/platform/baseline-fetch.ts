import { join } from "node:path";
import { problem, Refusal, type Problem } from "../domain/refusal.ts";
import type { Sample } from "../domain/sample.ts";
import type { StoredRun } from "../domain/store.ts";
import { downloadArtifact } from "./artifact-download.ts";
import { scoresArtifactName } from "./artifact-names.ts";
import type { Ask, BaselineApi } from "./baseline-api.ts";
import { chooseArtifact, type TrustedRun } from "./baseline-choose.ts";
import { actions, once } from "./baseline-ground.ts";
import { fetchTexts } from "./baseline-texts.ts";
import type { GitHub } from "./github.ts";

/** The scores that a run left, or why they can't be used. */
export type FetchedScores =
  | { readonly kind: "fetched"; readonly stored: StoredRun }
  | {
      readonly kind: "refused";
      readonly reason: string;
      /** What to do where it may be a baseline that can't be read; undefined: the run left none. */
      readonly remedy: string | undefined;
    };

export interface FetchTools {
  readonly api: () => Promise<BaselineApi>;
  readonly ask: Ask;
  readonly github: () => Promise<GitHub>;
  /** A folder for what is downloaded. */
  readonly folder: string;
  readonly readRun: (directory: string) => Promise<StoredRun>;
  readonly visitSamples: (directory: string) => AsyncIterable<Sample>;
  readonly warn: (problem: Problem) => void;
  /** How to make a new baseline: a sentence. */
  readonly runTheBase: string;
}

export type FetchScores = (suite: string, run: TrustedRun) => Promise<FetchedScores>;

/** Fetches the scores of a suite from a run's artifacts; each once, because two policies may ask for the same. */
export function createFetchScores(tools: FetchTools): FetchScores {
  const downloads = new Map<string, Promise<FetchedScores>>();
  return (suite, run) => {
    const key = `${run.id} ${suite}`;
    const fetched = downloads.get(key) ?? download({ suite, run }, tools);
    downloads.set(key, fetched);
    return fetched;
  };
}

interface Wanted {
  readonly suite: string;
  readonly run: TrustedRun;
}

async function download({ suite, run }: Wanted, tools: FetchTools): Promise<FetchedScores> {
  const { ask, api, github, folder, runTheBase } = tools;
  const name = scoresArtifactName(suite);
  const listed = await ask(actions, async () => (await api()).listRunArtifacts(run.id, name));
  if (listed.kind === "failed") return { ...listed, kind: "refused" };
  const artifact = chooseArtifact(listed.value, name);
  if (artifact === undefined) {
    const isExpired = listed.value.some((one) => one.name === name);
    return isExpired
      ? { kind: "refused", reason: `its artifact ${name} has expired`, remedy: runTheBase }
      : { kind: "refused", reason: `it left no artifact ${name}`, remedy: undefined };
  }
  const to = join(folder, `${run.id}-${artifact.id}`);
  const got = await ask({ ...actions, what: `the download of ${name}` }, async () =>
    downloadArtifact({ ...artifact, folder: to, mostZipBytes, bounds }, await github()),
  );
  if (got.kind === "failed") {
    // It was listed a moment ago: no permission brings it back.
    const isGone = got.status === 404 || got.status === 410;
    return { ...got, kind: "refused", ...(isGone && { remedy: runTheBase }) };
  }
  if (got.value.kind === "refused") return refuse(tools, name, got.value.reason);
  return readScores({ suite, run, name, directory: to }, tools);
}

/** The scores of a million samples. */
const mostZipBytes = 500_000_000;
const bounds = {
  wanted: (name: string) => ["run.json", "scores.jsonl"].includes(name),
  mostEntries: 100,
  mostFolders: 1,
  mostBytes: 2_000_000_000,
  mostDepth: 100,
};

async function readScores(
  at: Wanted & { readonly name: string; readonly directory: string },
  tools: FetchTools,
): Promise<FetchedScores> {
  try {
    const stored = await tools.readRun(at.directory);
    const trouble = mismatch(stored, at);
    if (trouble !== undefined) return refuse(tools, at.name, trouble);
    const texts = once(() => fetchTexts({ suite: at.suite, runId: at.run.id, stored }, tools));
    return { kind: "fetched", stored: { ...stored, fetchTexts: texts } };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return refuse(tools, at.name, cause.problems[0]?.message ?? "it can't be read");
  }
}

/** Whether it is what its name and place say, and came to a verdict. */
function mismatch({ run }: StoredRun, at: Wanted): string | undefined {
  if (run.suite.name !== at.suite) return `it is of another suite, ${run.suite.name}`;
  if (run.status !== "completed") return `its run was not completed (${run.status})`;
  if (run.gate.verdict === "error") return "its verdict was error: what it has can't be trusted";
  const sha = run.stands_in?.for_sha ?? run.git.sha;
  return sha === at.run.headSha ? undefined : `it is of another commit, ${short(sha ?? "none")}`;
}

function refuse({ warn, runTheBase }: FetchTools, name: string, reason: string): FetchedScores {
  warn(problem("baseline_artifact_refused", { name, reason }));
  const why = `its artifact ${name} was not used: ${reason}`;
  return { kind: "refused", reason: why, remedy: runTheBase };
}

/** A commit as people write it. */
export function short(sha: string): string {
  return sha.slice(0, 7);
}
