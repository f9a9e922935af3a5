import { Refusal } from "../model/refusal.ts";
import type { BaseTree } from "../model/outcomes/policy.ts";
import { locateInBase, readBaseManifest } from "./policy/base-manifest.ts";
import { secretNames } from "./secret-names.ts";
import type { Tools } from "../tools.ts";
import { readManifest, type ManifestReading } from "./read-manifest.ts";

/** As `secretsAsked`, for the base's suite; undefined if the base has none. */
export async function secretsAskedInBase(
  manifest: string,
  tree: BaseTree & ManifestReading,
  tools: Tools,
): Promise<readonly string[] | undefined> {
  const { basePath } = await locateInBase(manifest, tree, tools);
  if (basePath === null) return undefined;
  const { keys, variables } = secretNames((await readBaseManifest(basePath, tree, tools)).suite);
  return [...keys, ...variables];
}

/** The variables that a suite's candidates and judges receive, sorted; none if its manifest can't be read. */
export async function secretsAsked(
  manifest: string,
  reading: ManifestReading,
  tools: Tools,
): Promise<readonly string[]> {
  try {
    const { keys, variables } = secretNames((await readManifest(manifest, tools, reading)).suite);
    return [...new Set([...keys, ...variables])].toSorted();
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}
