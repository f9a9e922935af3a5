import { createHash } from "node:crypto";
import { shardText, type ShardChoice } from "../domain/shard.ts";
import { slug } from "./suites.ts";

// `~` is in no suite's slug: a suite can't be called so that its artifact passes for another kind of one.

/** The artifact of a suite's run, or of one shard of it. */
export function runArtifact(suite: string, shard: ShardChoice | undefined): string {
  return `regrade-${slug(suite)}${partName(shard)}`;
}

/** What an attempt left that was stopped before its end: the next one goes on from it. By the manifest, as the name may be anything. */
export function resumeArtifact(manifest: string, shard: ShardChoice | undefined): string {
  const hash = createHash("sha256").update(manifest).digest("hex").slice(0, 12);
  return `regrade-resume~${slug(manifest).slice(-60)}-${hash}${partName(shard)}`;
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
