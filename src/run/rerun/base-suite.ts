import type { BaseTree } from "../../model/outcomes/policy.ts";
import { locateInBase, readBaseManifest } from "../../suite/policy/base-manifest.ts";
import type { Tools } from "../../tools.ts";
import type { ManifestReading, Resolved } from "../../suite/read-manifest.ts";

/** The base's suite in a checkout that its candidates may run in, and change. */
export interface BaseSuite {
  readonly resolved: Resolved;
  readonly sha: string | null;
  readonly close: () => Promise<void>;
}

/** Reads the suite in a tree and takes over the tree. undefined if the base has no such suite. */
export async function openBaseSuite(
  manifest: string,
  tree: BaseTree & ManifestReading,
  tools: Tools,
): Promise<BaseSuite | undefined> {
  try {
    const resolved = await readBaseSuite(manifest, tree, tools);
    if (resolved === undefined) await tree.close();
    return resolved && { resolved, sha: tree.sha, close: tree.close };
  } catch (error) {
    await tree.close();
    throw error;
  }
}

/** The suite as a tree has it; undefined if it has none. */
export async function readBaseSuite(
  manifest: string,
  tree: BaseTree & ManifestReading,
  tools: Tools,
): Promise<Resolved | undefined> {
  const { basePath } = await locateInBase(manifest, tree, tools);
  return basePath === null ? undefined : readBaseManifest(basePath, tree, tools);
}
