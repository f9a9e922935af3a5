import { createHash } from "node:crypto";
import { shardText, type ShardChoice } from "../domain/shard.ts";
import type { Environment } from "./inputs.ts";
import { slug } from "./suites.ts";

// `~` is in no suite's slug: a suite can't be called so that its artifact passes for another kind of one.

/** The artifact of a suite's run, or of one shard of it. */
export function runArtifact(suite: string, shard: ShardChoice | undefined): string {
  return `regrade-${slug(suite)}${partName(shard)}`;
}

/** How the names of all artifacts begin that attempts leave for the next one. */
export const attemptPrefix = "regrade-attempt~";

/**
 * What an attempt left: the next one goes on from it. By the manifest, as the suite's name is not read yet, and by the step
 * that ran it: another job, another leg of a matrix and another step of the same job have their own.
 */
export function attemptArtifact(
  { manifest, shard }: { readonly manifest: string; readonly shard: ShardChoice | undefined },
  env: Environment,
): string {
  const step = ["GITHUB_JOB", "GITHUB_ACTION", "INPUT_LEG"].map((name) => env[name] ?? "");
  const identity = JSON.stringify([...step, manifest]);
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, 12);
  return `${attemptPrefix}${slug(manifest).slice(-60)}-${hash}${partName(shard)}`;
}

/** Whether an artifact of that name holds a whole run, a shard of one, or something else; `slug`: the suite's. */
export function kindOfArtifact(
  name: string,
): { readonly kind: "run" | "shard"; readonly slug: string } | undefined {
  const found = /^regrade-([A-Za-z0-9._-]+?)(~shard-\d+-of-\d+(?:-\d+)?)?$/.exec(name);
  const suite = found?.[1];
  const isOther = found?.[2] === undefined && /-scores$|-inputs-[0-9a-f]{8,64}$/.test(suite ?? "");
  if (suite === undefined || isOther) return undefined;
  return { kind: found?.[2] === undefined ? "run" : "shard", slug: suite };
}

function partName(shard: ShardChoice | undefined): string {
  return shard === undefined ? "" : `~shard-${shardText(shard).replace("/", "-of-")}`;
}

/**
 * How much of a run's artifact is taken, texts and all: tens of thousands of samples. A bomb is larger, and more is not worth a
 * job's minutes.
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
