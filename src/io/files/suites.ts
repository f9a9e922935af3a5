import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { isJsonObject } from "../../model/json.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { findTaskFile } from "./task-file.ts";
import { walkGlob } from "./glob-walk.ts";

/** Folders that hold other people's files, or ours: no suite of the user's is in them. */
const otherFolders: ReadonlySet<string> = new Set(["node_modules", ".git", ".regrade"]);

export interface FoundSuites {
  readonly manifests: readonly string[];
  /** JSON files that only a glob matched, and that hold something else than a suite. */
  readonly skipped: readonly string[];
}

/** Suites that were found, and named files that were not. */
interface LookedFor extends FoundSuites {
  /** Files that were named and are not there. */
  readonly absent: readonly string[];
}

/** As `lookForSuites`. Throws a Refusal where nothing was found, or a file that was named is not there. */
export async function findSuites(
  patterns: readonly string[],
  directory: string,
): Promise<FoundSuites> {
  return refuseGaps(await lookForSuites(patterns, directory), patterns, directory);
}

/** Throws a Refusal where nothing was found, or a file that was named is not there; a glob may match nothing beside others. */
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
 * The manifests that the patterns name, as paths with forward slashes (relative to `directory` where the pattern
 * is), each once: in the order of the patterns, sorted within one. Data in JSON that lies beside suites is no suite with
 * mistakes: where a glob alone matched it, it is skipped.
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
      const isOther = isGlob(pattern) && (await isOtherJson(resolve(directory, path)));
      (isOther ? others : found).add(path);
    }
    if (paths.length === 0 && !isGlob(pattern)) absent.push(pattern);
  }
  const skipped = [...others].filter((path) => !found.has(path));
  return { manifests: [...found], skipped, absent };
}

/** One of these is in every suite. */
const suiteKeys = ["tasks", "dataset", "candidates", "models", "gate"];

/**
 * True for JSON that can be read and is not a suite. Unreadable files are left to the manifest reader, which refuses
 * them.
 */
async function isOtherJson(path: string): Promise<boolean> {
  if (extname(path).toLowerCase() !== ".json") return false;
  try {
    const value: unknown = JSON.parse((await readFile(path, "utf8")).replace(/^\uFEFF/, ""));
    if (Array.isArray(value)) return true;
    return isJsonObject(value) && !suiteKeys.some((key) => Object.hasOwn(value, key));
  } catch {
    return false;
  }
}

function isGlob(pattern: string): boolean {
  return /[*?[\]{}!]/.test(pattern);
}
