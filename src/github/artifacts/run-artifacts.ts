import { createHash } from "node:crypto";
import type { RunKey } from "../../model/outcomes/run.ts";
import { shardText, type ShardChoice } from "../../model/outcomes/shard.ts";
import { hashKey, keyPattern, readHashes, type KeyHashes } from "./artifact-names.ts";
import { readJobKey } from "../runner/run-key.ts";
import { slug } from "../runner/suite-names.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** The artifact of a suite's run, or of one shard of it. */
export function runArtifact(suite: string, shard: ShardChoice | undefined): string {
  return `regrade-${slug(suite)}${partName(shard)}`;
}

/** The name if another job of the workflow run, or another leg of its matrix, has taken the first one. */
export function keyedRunArtifact(suite: string, key: RunKey): string {
  return `${runArtifact(suite, undefined)}~${hashKey(key)}`;
}

/** The key in such a name; undefined if the name does not belong to this suite. Pure. */
export function readKeyedRun(name: string, suite: string): KeyHashes | undefined {
  const start = `${runArtifact(suite, undefined)}~`;
  const [, hashes] = new RegExp(`^(${keyPattern})(?:-\\d+)?$`).exec(name.slice(start.length)) ?? [];
  return name.startsWith(start) && hashes !== undefined ? readHashes(hashes) : undefined;
}

/** Prefix of the artifacts that attempts leave for the next one. */
export const attemptPrefix = "regrade-attempt~";

/**
 * Name of an attempt's artifact, from which the next attempt resumes. It depends on the manifest (the suite's name is
 * not known yet) and on the step that ran it: another job, another leg of a matrix and another step of the same job
 * have different names.
 */
export function attemptArtifact(
  { manifest, shard }: { readonly manifest: string; readonly shard: ShardChoice | undefined },
  env: Environment,
): string {
  const { job, leg } = readJobKey(env);
  const identity = JSON.stringify([job, env["GITHUB_ACTION"] ?? "", leg, manifest]);
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, 12);
  return `${attemptPrefix}${slug(manifest).slice(-60)}-${hash}${partName(shard)}`;
}

/** Tells whether an artifact of that name holds a whole run, a shard, or something else. `slug`: the suite's. */
export function kindOfArtifact(
  name: string,
): { readonly kind: "run" | "shard"; readonly slug: string } | undefined {
  const found = nameOfRun.exec(name);
  const [, suite, shard, key] = found ?? [];
  const isPlain = shard === undefined && key === undefined;
  const isOther = isPlain && /-scores$|-inputs-[0-9a-f]{8,64}$/.test(suite ?? "");
  if (suite === undefined || isOther) return undefined;
  return { kind: shard === undefined ? "run" : "shard", slug: suite };
}

const nameOfRun = new RegExp(
  `^regrade-([A-Za-z0-9._-]+?)(?:(~shard-\\d+-of-\\d+(?:-\\d+)?)|(~${keyPattern}(?:-\\d+)?))?$`,
);

function partName(shard: ShardChoice | undefined): string {
  return shard === undefined ? "" : `~shard-${shardText(shard).replace("/", "-of-")}`;
}

/**
 * Limits of a run's artifact including texts: tens of thousands of samples. Larger ones may be a zip bomb and are not
 * worth a job's minutes.
 */
export const wholeRun = {
  mostZipBytes: 200_000_000,
  bounds: {
    wanted: (name: string) => ["run.json", "scores.jsonl", "samples.jsonl"].includes(name),
    mostEntries: 200,
    mostFolders: 1,
    mostBytes: 1_000_000_000,
    mostDepth: 100,
  },
};
