import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Refusal } from "../../model/refusal.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import type { StoredRun } from "../../model/ports/store.ts";
import { downloadArtifact } from "../artifacts/artifact-download.ts";
import { hashPart, readScoresName, type KeyHashes } from "../artifacts/artifact-names.ts";
import { readKeyedRun, runArtifact, wholeRun } from "../artifacts/run-artifacts.ts";
import { createBaselineApi } from "../baseline/api.ts";
import { chooseArtifact, type ArtifactFacts } from "../baseline/choose.ts";
import type { GitHub } from "../api/github.ts";
import { slug } from "../runner/suite-names.ts";

/** Result of looking for the outputs of a fork's run. */
export type FoundOutputs =
  | { readonly kind: "found"; readonly samples: string; readonly candidates: readonly string[] }
  /** The run left no such artifact. */
  | { readonly kind: "none" }
  /** The outputs can't be judged. The reason is a clause. */
  | { readonly kind: "refused"; readonly reason: string }
  /** GitHub did not deliver the artifact. The reason is a clause. */
  | { readonly kind: "failed"; readonly reason: string };

interface OutputsRequest {
  readonly runId: number;
  readonly suite: string;
  /** The manifest's path on the base, and the leg of the matrix to report. */
  readonly of: { readonly path: string; readonly leg: string };
  /** A folder for downloads. */
  readonly folder: string;
  readonly readRun: (directory: string) => Promise<StoredRun>;
  readonly visitSamples: (directory: string) => AsyncIterable<Sample>;
}

/**
 * Downloads a suite's outputs from a run of a stranger's code. They are hostile data: size, depth and names are
 * limited, and every line is validated. Only the candidates' names are taken from the run's own claims.
 */
export async function fetchOutputs(asked: OutputsRequest, github: GitHub): Promise<FoundOutputs> {
  const name = runArtifact(asked.suite, undefined);
  const doing = { what: `the download of ${name}`, permission: "actions: read", decides: true };
  const listed = await github.attempt(doing, () =>
    createBaselineApi(github).listRunArtifacts(asked.runId),
  );
  if (listed.kind === "failed") return { kind: "failed", reason: listed.problem.message };
  const chosen = chooseOutputs(listed.value, name, asked);
  if (chosen.kind !== "one") return chosen;
  const { artifact } = chosen;
  const directory = join(asked.folder, artifact.name);
  const got = await github.attempt(doing, () =>
    downloadArtifact({ ...artifact, folder: directory, ...wholeRun }, github),
  );
  if (got.kind === "failed") return { kind: "failed", reason: got.problem.message };
  if (got.value.kind === "refused") return got.value;
  return readOutputs(directory, asked);
}

/**
 * Chooses one of a run's artifacts for a suite. If several jobs, or legs of a matrix, left some, the names of their
 * scores tell which belongs to which. Pure.
 */
function chooseOutputs(
  all: readonly ArtifactFacts[],
  name: string,
  { suite, of }: OutputsRequest,
):
  | { readonly kind: "one"; readonly artifact: ArtifactFacts }
  | Extract<FoundOutputs, { readonly kind: "none" | "refused" }> {
  const runs = runsOf(all, suite);
  const own = runs.filter(
    ({ key }) => key?.path === hashPart(of.path) && key.leg === hashPart(of.leg),
  );
  const [only, ...more] = runs.length > 1 ? own : [{ name }];
  if (only === undefined || more.length > 0) {
    const names = runs.map((each) => each.name).join(", ");
    const reason = `it left several runs of this suite (${names}), and nothing says which is to be judged: give the step of the mode \`report\` the input \`leg\` of one of them`;
    return { kind: "refused", reason };
  }
  const artifact = chooseArtifact(all, only.name);
  return artifact === undefined ? { kind: "none" } : { kind: "one", artifact };
}

/**
 * The artifacts of a suite's whole runs, with their keys. The name of the first one has no key, so its key is the one
 * that no other artifact has.
 */
function runsOf(
  all: readonly ArtifactFacts[],
  suite: string,
): readonly { readonly name: string; readonly key: KeyHashes | undefined }[] {
  const names = [...new Set(all.map((one) => one.name))];
  const keyed = names.flatMap((name) => {
    const key = readKeyedRun(name, suite);
    return key === undefined ? [] : [{ name, key }];
  });
  const left = names.flatMap((name) => {
    const read = readScoresName(name);
    if (read?.key === undefined || read.slug !== slug(suite)) return [];
    return keyed.some(({ key }) => isDeepStrictEqual(key, read.key)) ? [] : [read.key];
  });
  const first = runArtifact(suite, undefined);
  const plain = names.includes(first)
    ? [{ name: first, key: left.length === 1 ? left[0] : undefined }]
    : [];
  return [...plain, ...keyed];
}

async function readOutputs(
  directory: string,
  { readRun, visitSamples }: OutputsRequest,
): Promise<FoundOutputs> {
  try {
    const { run } = await readRun(directory);
    // Read the samples once to validate them before they are replayed.
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
