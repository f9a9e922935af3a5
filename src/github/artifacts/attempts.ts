import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as core from "@actions/core";
import { jsonObjectIn } from "../../model/json.ts";
import { ownPolicyFolder } from "../../model/outcomes/policy.ts";
import { problem, type Problem } from "../../model/refusal.ts";
import { readShard, shardText, type ShardChoice } from "../../model/outcomes/shard.ts";
import {
  hasArtifactService,
  openDeadline,
  uploadFiles,
  type Upload,
  type UploadDeadline,
} from "./artifact.ts";
import { attemptArtifact } from "./run-artifacts.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** A run that this step is about to make. */
export interface PlannedRun {
  readonly manifest: string;
  /** Its run directory. */
  readonly out: string;
  readonly shard: ShardChoice | undefined;
}

const state = "regrade-runs";
const keptState = "regrade-runs-kept";
const keptDays = 14;

/** Records for the post step where the runs are, because it also runs after a step that was killed. */
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
    const reason = cause instanceof Error ? cause.message : String(cause);
    return [problem("resume_not_noted", { reason })];
  }
}

interface Kept {
  readonly manifest: string;
  readonly artifact: string;
  /** True if the run was completed. */
  readonly isWhole: boolean;
}

/** Uploads a run's files for the next attempt of this job; undefined if there is nothing to resume. */
export async function keepAttempt(
  run: PlannedRun,
  {
    env,
    signal,
    deadline,
  }: { readonly env: Environment; readonly signal: AbortSignal; readonly deadline: UploadDeadline },
): Promise<Upload | undefined> {
  const files = await journalsIn(run.out);
  if (files.length === 0) return undefined;
  const name = attemptName(run, env);
  return uploadFiles({
    name,
    files,
    directory: run.out,
    retentionDays: keptDays,
    signal,
    deadline,
  });
}

/** Name of the artifact that the next attempt of this job looks for. */
export function attemptName(run: PlannedRun, env: Environment): string {
  return `${attemptArtifact(run, env)}~${attemptOf(env)}`;
}

/** Records for the post step which runs are kept already, by the names of their artifacts. */
export function noteKept(env: Environment, names: readonly string[]): void {
  if (!env["GITHUB_STATE"]) return;
  try {
    core.saveState(keptState, JSON.stringify(names));
  } catch {
    // If this fails, the post step uploads them again under another name.
  }
}

/**
 * Uploads, in the post step, the files of runs that the main step did not upload. The next attempt resumes a run that was
 * stopped (the job was cancelled, ran out of time, or was killed), and adds further samples to a completed one.
 */
export async function keepAttempts(
  env: Environment,
  signal: AbortSignal,
): Promise<{ readonly kept: readonly Kept[]; readonly problems: readonly Problem[] }> {
  const kept: Kept[] = [];
  const problems: Problem[] = [];
  const late: string[] = [];
  const deadline = openDeadline();
  const before = readNames(env[`STATE_${keptState}`]);
  const runs = readNoted(env[`STATE_${state}`]).filter(
    (run) => !before.includes(attemptName(run, env)),
  );
  for (const run of hasArtifactService(env) ? runs : []) {
    const end = await keepAttempt(run, { env, signal, deadline });
    const artifact = attemptName(run, env);
    if (end?.kind === "uploaded")
      kept.push({ manifest: run.manifest, artifact, isWhole: await isWhole(run.out) });
    if (end?.kind === "failed") problems.push(problem("artifact_failed", end));
    if (end?.kind === "late") late.push(artifact);
  }
  if (late.length > 0)
    problems.push(problem("artifacts_late", { names: late, minutes: deadline.minutes }));
  return { kept, problems };
}

/** The number of this attempt of the workflow run, from 1. */
export function attemptOf(env: Environment): number {
  const text = env["GITHUB_RUN_ATTEMPT"] ?? "";
  return /^\d{1,6}$/.test(text) ? Math.max(1, Number(text)) : 1;
}

function readNames(text: string | undefined): readonly unknown[] {
  const names: unknown = JSON.parse(text || "[]");
  return Array.isArray(names) ? names : [];
}

/** Parses the recorded state, which this action wrote in the same job. */
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

async function isWhole(out: string): Promise<boolean> {
  const text = await readFile(join(out, "run.json"), "utf8").catch(() => "{}");
  return jsonObjectIn(text)?.["status"] === "completed";
}

const journals: ReadonlySet<string> = new Set(["run.json", "samples.jsonl", "generated.jsonl"]);

/** The journals of the run, and of the run by the change's own policy; empty if there is no sample yet. */
async function journalsIn(out: string): Promise<string[]> {
  const entries = await readdir(out, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && journals.has(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => dirname(file) === out || basename(dirname(file)) === ownPolicyFolder);
  const sizes = await Promise.all(files.map((file) => stat(file)));
  // The header of a run without samples is nothing to resume from.
  const hasSamples = files.some(
    (file, i) => !file.endsWith("run.json") && (sizes[i]?.size ?? 0) > 0,
  );
  return hasSamples ? files.toSorted() : [];
}
