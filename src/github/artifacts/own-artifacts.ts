import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DefaultArtifactClient } from "@actions/artifact";
import { githubPace } from "../api/pace.ts";
import { longestWaitSeconds } from "../api/wait-budget.ts";
import { unzipBounded, type UnzipBounds } from "./unzip.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** An artifact that a job of this workflow run has uploaded, in this attempt or in an earlier one. */
export interface OwnArtifact {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  /** Digest of its zip: `sha256:…`. */
  readonly digest: string | undefined;
  /** True if several attempts of the workflow run have uploaded an artifact of this name. */
  readonly isRepeated: boolean;
}

/** The artifacts of this workflow run. They need no token and no permission. */
export interface OwnArtifacts {
  /**
   * Lists each name once. A re-run's artifact does not replace the old one, so the newest counts. Throws the service's
   * errors.
   */
  readonly list: () => Promise<readonly OwnArtifact[]>;
  /** Unzips an artifact into a new or empty folder. Throws an error whose message is a clause. */
  readonly fetch: (artifact: OwnArtifact, folder: string) => Promise<void>;
}

/** Files of a run directory, also of the run within it by the change's own policy. */
const runFiles: ReadonlySet<string> = new Set([
  "run.json",
  "samples.jsonl",
  "scores.jsonl",
  "generated.jsonl",
  "summary.md",
]);

/** Limits for unzipping a run directory. */
export const runBounds: UnzipBounds = {
  wanted: (name) => runFiles.has(name.replace(/^own-policy\//, "")),
  mostEntries: 1000,
  mostFolders: 1,
  mostBytes: 16_000_000_000,
  mostDepth: 500,
};

/** Opens the artifacts of this workflow run. */
export async function openOwnArtifacts(env: Environment): Promise<OwnArtifacts> {
  // The client has 2.8 MB and takes half of the start-up time, so it is imported only if something is fetched.
  const { DefaultArtifactClient: Client } = await import("./artifact-client.ts");
  const client = new Client();
  const inTime = limitWaits(env);
  return {
    list: async () => {
      const { artifacts } = await inTime(() => client.listArtifacts());
      const newest = new Map<string, OwnArtifact>();
      for (const { id, name, size, digest } of artifacts.toSorted((a, b) => a.id - b.id))
        newest.set(name, { id, name, bytes: size, digest, isRepeated: newest.has(name) });
      return [...newest.values()];
    },
    fetch: (artifact, folder) => fetchInto({ artifact, folder, env, inTime }, client),
  };
}

type InTime = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Limits the total wait. The library waits 3 minutes for a silent server, up to five times, for each call. Once the
 * server was silent, nothing more is requested.
 */
function limitWaits(env: Environment): InTime {
  const seconds = longestWaitSeconds.decide;
  let isSilent = false;
  return async (work) => {
    const silent = `the artifact service has not answered within ${seconds / 60} minutes`;
    if (isSilent) throw new Error(silent);
    const watch = new AbortController();
    const pause = githubPace(env).timeoutSeconds(seconds) * 1000;
    const late = sleep(pause, undefined, { signal: watch.signal }).then(() => {
      isSilent = true;
      throw new Error(silent);
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      watch.abort();
    }
  };
}

async function fetchInto(
  asked: {
    readonly artifact: OwnArtifact;
    readonly folder: string;
    readonly env: Environment;
    readonly inTime: InTime;
  },
  client: DefaultArtifactClient,
): Promise<void> {
  const { id, name, digest } = asked.artifact;
  const temporary = await mkdtemp(join(asked.env["RUNNER_TEMP"] || tmpdir(), "regrade-artifact-"));
  try {
    // A late download must not write into a folder that was deleted.
    const { digestMismatch } = await asked.inTime(() =>
      client.downloadArtifact(id, {
        path: temporary,
        skipDecompress: true,
        ...(digest !== undefined && { expectedHash: digest }),
      }),
    );
    if (digestMismatch === true)
      throw new Error(`the bytes of ${name} are not those that were uploaded (the digest differs)`);
    const [zip] = await readdir(temporary);
    await mkdir(asked.folder, { recursive: true });
    const unzipped = await unzipBounded(join(temporary, zip ?? ""), asked.folder, runBounds);
    if (unzipped.kind === "refused") throw new Error(`${name}: ${unzipped.reason}`);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
