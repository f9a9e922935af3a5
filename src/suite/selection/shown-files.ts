import { resolve, posix } from "node:path";
import type { Problem } from "../../model/refusal.ts";
import type { Suite } from "../../model/definition/suite.ts";

/**
 * Problems in files that the manifest names, with each file's path as seen from where Regrade was started, like the
 * manifest's own. A file of another tree (the base's) keeps the path that the manifest has.
 */
export function asSeen(
  problems: readonly Problem[],
  { path: manifest, directory }: Pick<Suite, "path" | "directory">,
  named: readonly unknown[],
): readonly Problem[] {
  const folder = posix.dirname(manifest.replaceAll("\\", "/"));
  if (problems.length === 0 || folder === ".") return problems;
  const files = new Set(named.flatMap((each) => [...filesIn(each)]));
  return problems.map((each) => {
    const { place } = each;
    const isNamed = place !== undefined && files.has(resolve(directory, place.file));
    return isNamed ? { ...each, place: { ...place, file: posix.join(folder, place.file) } } : each;
  });
}

/** The absolute paths of all files that a part of a suite names. */
function* filesIn(part: unknown): Generator<string> {
  if (typeof part !== "object" || part === null) return;
  if ("absolute" in part && typeof part.absolute === "string") yield part.absolute;
  for (const inner of Object.values(part)) yield* filesIn(inner);
}
