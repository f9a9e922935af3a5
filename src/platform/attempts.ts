import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import * as core from "@actions/core";
import { isJsonObject } from "../domain/json.ts";
import { problem, type Problem } from "../domain/refusal.ts";
import { readShard, shardText, type ShardChoice } from "../domain/shard.ts";
import { hasArtifactService, openDeadline, uploadFiles } from "./artifact.ts";
import type { Environment } from "./inputs.ts";
import { openOwnArtifacts, type OwnArtifacts } from "./own-artifacts.ts";
import { resumeArtifact } from "./run-artifacts.ts";

/** A run that this step is about to make. */
export interface PlannedRun {
  readonly manifest: string;
  /** Its run directory. */
  readonly out: string;
  readonly shard: ShardChoice | undefined;
}

const state = "regrade-runs";
/** Who wants to go on with a run does so soon. */
const keptDays = 3;

/** Tells the post step where the runs are: it comes after a step that was killed, too. */
export function noteRuns(env: Environment, runs: readonly PlannedRun[]): readonly Problem[] {
  if (!env["GITHUB_STATE"]) return [];
  try {
    const noted = runs.map(({ manifest, out, shard }) => [
      manifest,
      out,
      shard === undefined ? "" : shardText(shard),
    ]);
    core.saveState(state, JSON.stringify(noted));
    return [];
  } catch (cause) {
    return [problem("resume_not_noted", { reason: reasonOf(cause) })];
  }
}

export interface Kept {
  readonly manifest: string;
  readonly artifact: string;
}

/**
 * The post step: uploads what runs left that were stopped before their end (the job was cancelled, ran out of time, or the
 * process was killed), so that "Re-run failed jobs" goes on from there and pays for nothing twice.
 */
export async function keepInterrupted(
  env: Environment,
  signal: AbortSignal,
): Promise<{ readonly kept: readonly Kept[]; readonly problems: readonly Problem[] }> {
  const kept: Kept[] = [];
  const problems: Problem[] = [];
  const late: string[] = [];
  const deadline = openDeadline();
  for (const run of readNoted(env[`STATE_${state}`])) {
    if (!hasArtifactService(env) || !(await isInterrupted(run.out))) continue;
    const name = artifactOf(run, attemptOf(env));
    const files = await journalsIn(run.out);
    const request = { name, files, directory: run.out, retentionDays: keptDays, signal, deadline };
    const end = await uploadFiles(request);
    if (end.kind === "uploaded") kept.push({ manifest: run.manifest, artifact: name });
    if (end.kind === "failed") problems.push(problem("artifact_failed", end));
    if (end.kind === "late") late.push(name);
  }
  if (late.length > 0)
    problems.push(problem("artifacts_late", { names: late, minutes: deadline.minutes }));
  return { kept, problems };
}

/**
 * Puts what the attempt before this one left into the run directories, which are empty yet, and tells which ones can be gone
 * on with. What can't be fetched is begun anew, and said.
 */
export async function fetchInterrupted(
  runs: readonly PlannedRun[],
  env: Environment,
): Promise<{ readonly resumed: readonly string[]; readonly problems: readonly Problem[] }> {
  const before = attemptOf(env) - 1;
  if (before < 1 || !hasArtifactService(env)) return { resumed: [], problems: [] };
  const resumed: string[] = [];
  try {
    const artifacts = await openOwnArtifacts(env);
    const all = await artifacts.list();
    for (const run of runs) {
      const name = artifactOf(run, before);
      const artifact = all.find((each) => each.name === name);
      if (artifact === undefined) continue;
      await fetchOne(() => artifacts.fetch(artifact, run.out), run.out);
      resumed.push(run.out);
    }
    return { resumed, problems: [] };
  } catch (cause) {
    return { resumed, problems: [problem("resume_not_fetched", { reason: reasonOf(cause) })] };
  }
}

/** What was fetched in part would be in the way of a run that begins anew. */
async function fetchOne(
  fetch: () => ReturnType<OwnArtifacts["fetch"]>,
  out: string,
): Promise<void> {
  try {
    await fetch();
  } catch (cause) {
    await clearRun(out);
    throw cause;
  }
}

/** Empties a run directory. */
export async function clearRun(out: string): Promise<void> {
  await rm(out, { recursive: true, force: true });
}

function artifactOf({ manifest, shard }: PlannedRun, attempt: number): string {
  return `${resumeArtifact(manifest, shard)}~attempt-${attempt}`;
}

function attemptOf(env: Environment): number {
  const text = env["GITHUB_RUN_ATTEMPT"] ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : 1;
}

/** The state is this action's own, of the same job. */
function readNoted(text: string | undefined): readonly PlannedRun[] {
  const noted: unknown = JSON.parse(text || "[]");
  if (!Array.isArray(noted)) return [];
  return noted.flatMap((one: unknown) => {
    if (!Array.isArray(one)) return [];
    const [manifest, out, shard]: readonly unknown[] = one;
    if (typeof manifest !== "string" || typeof out !== "string") return [];
    return [{ manifest, out, shard: typeof shard === "string" ? readShard(shard) : undefined }];
  });
}

/** A run that has begun, and has no run.json that says it is complete. */
async function isInterrupted(out: string): Promise<boolean> {
  if ((await journalsIn(out)).length === 0) return false;
  const text = await readFile(join(out, "run.json"), "utf8").catch(() => "{}");
  try {
    const run: unknown = JSON.parse(text);
    return !(isJsonObject(run) && run["status"] === "completed");
  } catch {
    return true;
  }
}

const journals: ReadonlySet<string> = new Set(["run.json", "samples.jsonl", "generated.jsonl"]);

async function journalsIn(out: string): Promise<string[]> {
  const entries = await readdir(out, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && journals.has(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map((file) => stat(file)));
  // The header of a run that never got to a sample is nothing to go on from.
  const hasSamples = files.some(
    (file, i) => !file.endsWith("run.json") && (sizes[i]?.size ?? 0) > 0,
  );
  return hasSamples ? files.toSorted() : [];
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
