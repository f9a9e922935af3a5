import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "../../model/json.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { hasArtifactService } from "./artifact.ts";
import { openOwnArtifacts, type OwnArtifact } from "./own-artifacts.ts";
import { kindOfArtifact } from "./run-artifacts.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** A shard's run directory, fetched from another job of this workflow run. */
export interface FetchedShard {
  readonly directory: string;
  /** Path of the manifest, as it was given to the shard. */
  readonly manifest: string;
}

/**
 * Fetches every shard that jobs of this workflow run have uploaded into `folder`, each in its newest attempt. Throws a
 * Refusal if there is none, or if one can't be fetched, because an incomplete run is not judged.
 */
export async function fetchShards(
  folder: string,
  env: Environment,
): Promise<readonly FetchedShard[]> {
  if (!hasArtifactService(env)) throw new Refusal(problem("shards_no_service", undefined));
  const found: FetchedShard[] = [];
  try {
    const artifacts = await openOwnArtifacts(env);
    for (const artifact of (await artifacts.list()).filter(isShard)) {
      const directory = join(folder, artifact.name);
      await artifacts.fetch(artifact, directory);
      found.push({ directory, manifest: await manifestIn(directory) });
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(problem("shards_not_fetched", { reason }), { cause, exit: 4 });
  }
  return found;
}

function isShard({ name }: OwnArtifact): boolean {
  return kindOfArtifact(name)?.kind === "shard";
}

/** Reads only the suite's manifest path; the merge validates run.json. */
async function manifestIn(directory: string): Promise<string> {
  const run: unknown = JSON.parse(await readFile(join(directory, "run.json"), "utf8"));
  const suite = isJsonObject(run) ? run["suite"] : undefined;
  const path = isJsonObject(suite) ? suite["path"] : undefined;
  return typeof path === "string" ? path : "";
}

/**
 * The directories of a suite's shards. Throws a Refusal if there are none, because a suite that was not run must not
 * pass.
 */
export function shardsOf(manifest: string, all: readonly FetchedShard[]): readonly string[] {
  const own = all.filter((each) => each.manifest === manifest);
  if (own.length > 0) return own.map(({ directory }) => directory);
  const others = [...new Set(all.map((each) => each.manifest))];
  throw new Refusal(problem("shards_missing", { manifest, others }));
}
