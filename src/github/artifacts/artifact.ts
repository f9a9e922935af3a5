import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactClient } from "@actions/artifact";
import type { ShardChoice } from "../../model/outcomes/shard.ts";
import type { RunKey } from "../../model/outcomes/run.ts";
import { keyedRunArtifact, runArtifact } from "./run-artifacts.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** Result of an upload. A failure is no error, because an artifact only reports a verdict. */
export type Upload =
  | { readonly kind: "uploaded"; readonly id: number; readonly name: string }
  | { readonly kind: "failed"; readonly name: string; readonly reason: string }
  /** The time for all uploads of the step was used up. */
  | { readonly kind: "late"; readonly name: string; readonly minutes: number }
  | { readonly kind: "cancelled" };

/** The time by which all uploads of a step must have ended. */
export interface UploadDeadline {
  readonly passed: AbortSignal;
  readonly minutes: number;
}

/** Settings that are the same for every upload of a step. */
interface UploadSettings {
  readonly retentionDays: number;
  readonly signal: AbortSignal;
  readonly deadline: UploadDeadline;
}

interface UploadRequest extends UploadSettings {
  readonly directory: string;
  readonly suite: string;
  readonly key?: RunKey | undefined;
  /** Set if the run is a shard. */
  readonly shard?: ShardChoice | undefined;
}

/** Limit of numbered names: for a matrix of this size, or this many steps of one job. */
const mostNames = 256;

/**
 * Time limit of all uploads. The library waits 3 minutes for a silent server, up to five times, and 5 minutes for a
 * stalled upload. A job that has its verdict should not wait longer for its artifacts, however many there are.
 */
const longestMilliseconds = 20 * 60_000;

/** Starts the time limit for the uploads of a step. */
export function openDeadline(milliseconds = longestMilliseconds): UploadDeadline {
  return { passed: AbortSignal.timeout(milliseconds), minutes: milliseconds / 60_000 };
}

/** True if the runner offers the artifact service; act without a server and a terminal do not. */
export function hasArtifactService(env: Environment): boolean {
  return Boolean(env["ACTIONS_RUNTIME_TOKEN"]) && Boolean(env["ACTIONS_RESULTS_URL"]);
}

/**
 * Uploads a run's directory as `regrade-<suite>`. Artifacts are immutable and their names are unique within a run
 * attempt. If another job of the matrix or another step took the name, a name with the run's key is tried, then `-2`,
 * `-3`, … are appended. Each attempt of a re-run can use the names again; the newest artifact of a name counts.
 */
export async function uploadRun(request: UploadRequest): Promise<Upload> {
  const { suite, shard, key } = request;
  const name = runArtifact(suite, shard);
  const otherwise = key && shard === undefined ? keyedRunArtifact(suite, key) : undefined;
  try {
    const files = await filesOf(request.directory);
    return await uploadFiles({ ...request, files, name, otherwise });
  } catch (cause) {
    return { kind: "failed", name, reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

interface FilesToUpload extends UploadSettings {
  readonly directory: string;
  readonly name: string;
  /** The name to use if the first one is taken; undefined: the first one with a number. */
  readonly otherwise?: string | undefined;
  /** Absolute paths within the directory. */
  readonly files: readonly string[];
  /** True to upload a single file unchanged instead of a zip; the file's name is the artifact's. */
  readonly isRaw?: boolean;
}

/** A page, and a function that makes a copy of it under a name. */
interface PageToUpload extends UploadSettings {
  readonly name: string;
  readonly folder: string;
  readonly copyAs: (name: string) => Promise<string>;
}

/** Uploads one HTML file unzipped, within the step's time limit. The artifact service uses the file's name. */
export async function uploadPage(page: PageToUpload): Promise<Upload> {
  const { name, folder, copyAs } = page;
  const stem = name.replace(/\.html$/, "");
  return withinTime(page, async () => {
    const { DefaultArtifactClient } = await import("./artifact-client.ts");
    const client = new DefaultArtifactClient();
    for (let count = 1; ; count += 1) {
      const called = count === 1 ? name : `${stem}-${count}.html`;
      const files = [await copyAs(called)];
      const one = { ...page, name: called, files, directory: folder, isRaw: true };
      const tried = await tryName(client, one);
      if (tried.kind === "uploaded" || count === mostPages) return tried;
    }
  });
}

/** Limit of numbered pages, for several steps of one job that run the same suite. */
const mostPages = 16;

/** Uploads files of a directory, within the step's time limit. */
export function uploadFiles(request: FilesToUpload): Promise<Upload> {
  return withinTime(request, () => upload(request));
}

async function withinTime(
  { name, signal, deadline }: UploadSettings & { readonly name: string },
  work: () => Promise<Upload>,
): Promise<Upload> {
  const watch = new AbortController();
  const late: Upload = { kind: "late", name, minutes: deadline.minutes };
  const ended = new Promise<Upload>((tell) => {
    const until = { signal: watch.signal };
    signal.addEventListener("abort", () => tell({ kind: "cancelled" }), until);
    deadline.passed.addEventListener("abort", () => tell(late), until);
  });
  try {
    if (signal.aborted) return { kind: "cancelled" };
    if (deadline.passed.aborted) return late;
    return await Promise.race([ended, work()]);
  } catch (cause) {
    return { kind: "failed", name, reason: cause instanceof Error ? cause.message : String(cause) };
  } finally {
    watch.abort();
  }
}

/** Loads the upload client, which takes 0.2 s, while samples run. Errors are reported by the upload. */
export async function expectUploads(env: Environment): Promise<void> {
  if (hasArtifactService(env)) await import("./artifact-client.ts").catch(() => undefined);
}

async function upload(request: FilesToUpload): Promise<Upload> {
  const { DefaultArtifactClient } = await import("./artifact-client.ts");
  const client = new DefaultArtifactClient();
  for (let count = 1; ; count += 1) {
    const tried = await tryName(client, { ...request, name: nameOf(request, count) });
    if (tried.kind === "uploaded" || count === mostNames) return tried;
  }
}

function nameOf({ name, otherwise }: FilesToUpload, count: number): string {
  if (count === 1) return name;
  if (otherwise === undefined) return `${name}-${count}`;
  return count === 2 ? otherwise : `${otherwise}-${count - 1}`;
}

/** Tries to upload under a name; `failed` if the name is taken. Any other failure is thrown. */
async function tryName(
  client: ArtifactClient,
  { name, files, directory, retentionDays, isRaw = false }: FilesToUpload,
): Promise<Upload> {
  try {
    const options = { retentionDays, ...(isRaw && { skipArchive: true }) };
    const { id } = await client.uploadArtifact(name, [...files], directory, options);
    if (id === undefined) throw new Error("the service gave no id");
    return { kind: "uploaded", id, name };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (!/\(409\)/.test(reason)) throw cause;
    return { kind: "failed", name, reason };
  }
}

async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  // The page is a separate artifact.
  return paths.filter((path) => path !== join(directory, "report.html")).toSorted();
}
