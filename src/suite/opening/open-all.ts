import { openCandidate } from "../../candidate/open.ts";
import type { TrafficControl } from "../../candidate/resilience/traffic.ts";
import { bytesKept } from "../../dataset/keep.ts";
import type { Json } from "../../model/json.ts";
import type { Candidate } from "../../model/models/candidate.ts";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import type { Suite } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import type { GraderModelAccess } from "../grader-models.ts";
import { openTask, type PreparedTask, type TaskToOpen } from "./open-task.ts";
import type { PythonSoon } from "./python-soon.ts";
import { undeclaredCode } from "../selection/reached-files.ts";
import { nameCandidate } from "../selection/share.ts";
import { asSeen } from "../selection/shown-files.ts";
import { dataOf } from "../withheld.ts";
import { handedFields } from "../warnings.ts";
import type { Tools } from "../../tools.ts";

/** Tasks and candidates that are ready to run. */
export interface OpenedTasks {
  readonly tasks: readonly PreparedTask[];
  readonly candidates: readonly Candidate[];
  readonly candidateHashes: Readonly<Record<string, Json>>;
  readonly warnings: readonly Problem[];
  readonly close: () => Promise<void>;
}

export interface ToOpen {
  readonly resolved: TaskToOpen["resolved"] & { readonly suite: Suite };
  readonly tasks: Suite["tasks"];
  readonly candidates: readonly CandidateSpec[];
  /** True if the answers are recorded already. */
  readonly recorded: boolean;
  readonly python: PythonSoon;
  readonly traffic: TrafficControl;
  readonly models: GraderModelAccess["models"];
  readonly checksOnly: boolean;
}

type Closers = (() => Promise<void>)[];

/** Opens tasks and candidates and collects all problems. If there are any, everything is closed again. */
export async function openAll(toOpen: ToOpen, tools: Tools): Promise<OpenedTasks> {
  const closers: Closers = [];
  const close = async (): Promise<void> => {
    for (const each of closers.toReversed()) await each();
  };
  try {
    // These run in parallel: data is read while Python starts, and candidates are checked while it imports the first
    // grader.
    const opening = [
      openTasks(toOpen, { tools, closers }),
      openSlots(toOpen, { tools, closers }),
      toOpen.python.there(),
    ] as const;
    await Promise.allSettled(opening);
    const [tasks, candidates] = await Promise.all(opening);
    const { suite } = toOpen.resolved;
    const seen = (problems: readonly Problem[]): readonly Problem[] =>
      asSeen(problems, suite, [toOpen.tasks, toOpen.candidates]);
    refuse(
      seen([
        ...candidates.problems,
        ...tasks.flatMap((each) => ("task" in each ? [] : each.problems)),
      ]),
    );
    const ready = tasks.flatMap((each) => ("task" in each ? [each.task] : []));
    const found = ready.flatMap((each) => each.warnings);
    const handed = handedFields(toOpen, ready);
    const warnings = [...seen(found), ...handed, ...unfenced(toOpen, candidates)];
    return { ...candidates, tasks: ready, warnings, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reports candidates that run without a sandbox because this machine can't provide one. */
function unfenced(
  { resolved }: ToOpen,
  { candidates }: Pick<OpenedTasks, "candidates">,
): readonly Problem[] {
  return candidates.flatMap(({ id, fence }) => {
    if (fence?.level !== "none") return [];
    const found = { id, why: fence.missing.join("; ") };
    return [problem("fence_open", found, resolved.place(["candidates", id, "fence"]))];
  });
}

interface With {
  readonly tools: Tools;
  /** Functions that close what was opened, in order. */
  readonly closers: Closers;
}

async function openTasks(
  toOpen: ToOpen,
  { tools, closers }: With,
): Promise<readonly Awaited<ReturnType<typeof openTask>>[]> {
  const tasks = [];
  const keptUpTo = bytesKept / toOpen.tasks.length;
  for (const spec of toOpen.tasks) {
    const index = toOpen.resolved.suite.tasks.indexOf(spec);
    const task = await openTask({ ...toOpen, spec, index, keptUpTo }, tools);
    if ("task" in task) closers.push(task.task.close);
    tasks.push(task);
  }
  return tasks;
}

async function openSlots(toOpen: ToOpen, within: With): ReturnType<typeof openCandidates> {
  if (!toOpen.recorded) return openCandidates(toOpen, within);
  return { candidates: toOpen.candidates.map(nameCandidate), candidateHashes: {}, problems: [] };
}

async function openCandidates(
  { resolved: { suite, place }, candidates, traffic }: ToOpen,
  { tools, closers }: With,
): Promise<{
  readonly candidates: readonly Candidate[];
  readonly candidateHashes: Readonly<Record<string, Json>>;
  readonly problems: readonly Problem[];
}> {
  const opened: Candidate[] = [];
  const hashes: Record<string, Json> = {};
  const problems: Problem[] = [];
  for (const spec of candidates) {
    const trafficOf = traffic.of;
    const withheld = [...tools.candidateTools.withheld, ...dataOf(suite)];
    const around = { suite, place, trafficOf, withheld };
    const found = await openCandidate(spec, { ...tools.candidateTools, ...around });
    if ("problems" in found) {
      problems.push(...found.problems);
      continue;
    }
    const { candidate, hash } = withCode(found, await undeclaredCode(spec, suite, tools));
    opened.push(candidate);
    closers.push(candidate.close);
    hashes[spec.id] = hash;
  }
  return { candidates: opened, candidateHashes: hashes, problems };
}

/** Adds the hashes of imported code that `inputs` leaves out to a candidate's hash and cache key. */
function withCode(
  { candidate, hash }: { readonly candidate: Candidate; readonly hash: Json },
  imported: Readonly<Record<string, string>>,
): { readonly candidate: Candidate; readonly hash: Json } {
  if (Object.keys(imported).length === 0) return { candidate, hash };
  const { cacheKey } = candidate;
  const withImported = cacheKey && {
    cacheKey: (request: Parameters<typeof cacheKey>[0]): Json => ({
      key: cacheKey(request),
      imported,
    }),
  };
  return { candidate: { ...candidate, ...withImported }, hash: { hash, imported } };
}

/** Throws one Refusal with all problems, if there are any. */
export function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new Refusal(problems);
}
