import { readFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { isJsonObject, jsonIn } from "../../model/json.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { inspectPath } from "./files.ts";
import { findTaskFile } from "./task-file.ts";
import { walkGlob } from "./glob-walk.ts";

/** Folders with other people's files, or ours: they contain no suite of the user's. */
const otherFolders: ReadonlySet<string> = new Set(["node_modules", ".git", ".regrade"]);

export interface FoundSuites {
  readonly manifests: readonly string[];
  /** Files that only a glob matched, and that are no suites: JSON with something else, tasks and trigger tests of waza. */
  readonly skipped: readonly string[];
}

/** Suites that were found, and named files that were not. */
interface LookedFor extends FoundSuites {
  /** Files that were named and are not there. */
  readonly absent: readonly string[];
}

/** As `lookForSuites`. Throws a Refusal if nothing was found, or a file that was named is not there. */
export async function findSuites(
  patterns: readonly string[],
  directory: string,
): Promise<FoundSuites> {
  return refuseGaps(await lookForSuites(patterns, directory), patterns, directory);
}

/** Throws a Refusal if nothing was found, or a file that was named is not there; a glob may match nothing beside others. */
export function refuseGaps(
  { manifests, skipped, absent }: LookedFor,
  patterns: readonly string[],
  directory: string,
): FoundSuites {
  const missing = manifests.length === 0 ? patterns : absent;
  if (missing.length > 0)
    throw new Refusal(problem("suites_not_found", { patterns: missing, directory, skipped }));
  return { manifests, skipped };
}

/**
 * The manifests that the patterns name, as paths with forward slashes (relative to `directory` where the pattern is),
 * each once: in the order of the patterns, sorted within one. JSON data next to suites is no invalid suite: if only a
 * glob matched it, it is skipped.
 */
export async function lookForSuites(
  patterns: readonly string[],
  directory: string,
): Promise<LookedFor> {
  const found = new Set<string>();
  const others = new Set<string>();
  const absent: string[] = [];
  for (const pattern of patterns) {
    const named = isGlob(pattern) ? pattern : await findTaskFile(pattern, directory);
    const paths = await walkGlob(named, { directory, dot: false, closed: otherFolders });
    for (const path of paths) {
      const isOther = isGlob(pattern) && (await isOtherFile(resolve(directory, path)));
      (isOther ? others : found).add(path);
    }
    if (paths.length === 0 && !isGlob(pattern)) absent.push(pattern);
  }
  const skipped = [...others].filter((path) => !found.has(path));
  return { manifests: [...found], skipped, absent };
}

async function isOtherFile(path: string): Promise<boolean> {
  return (await isOtherJson(path)) || (await isCompanion(path));
}

/** True for a file that belongs to waza's eval.yaml beside it, or above its folder. */
async function isCompanion(path: string): Promise<boolean> {
  const folder = dirname(path);
  const home = /^(?:tasks|fixtures)$/.test(basename(folder)) ? dirname(folder) : folder;
  const isOwn = home !== folder || /^trigger_tests\.ya?ml$/.test(basename(path));
  if (!isOwn) return false;
  const known = ["eval.yaml", "eval.yml"].map((name) => resolve(home, name));
  return (await Promise.all(known.map(isFile))).includes(true);
}

async function isFile(path: string): Promise<boolean> {
  return (await inspectPath(path)).kind === "file";
}

/** One of these is in every suite. */
const suiteKeys = ["tasks", "dataset", "candidates", "models", "gate"];

/**
 * True for JSON that can be read and is not a suite. Unreadable files are left to the manifest reader, which refuses
 * them.
 */
async function isOtherJson(path: string): Promise<boolean> {
  if (extname(path).toLowerCase() !== ".json") return false;
  const text = await readFile(path, "utf8").catch(() => "");
  const value = jsonIn(text.replace(/^\uFEFF/, ""));
  if (Array.isArray(value)) return true;
  return isJsonObject(value) && !suiteKeys.some((key) => Object.hasOwn(value, key));
}

function isGlob(pattern: string): boolean {
  return /[*?[\]{}!]/.test(pattern);
}
