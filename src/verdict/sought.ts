import { join, sep } from "node:path";
import type { SoughtSuite } from "../model/baseline.ts";
import type { BaseTree } from "../model/outcomes/policy.ts";
import type { ResultsAsked } from "../model/results.ts";
import type { RunKey } from "../model/outcomes/run.ts";
import type { OpenedSuite } from "../suite/policy/open.ts";
import type { Tools } from "../tools.ts";

/** Both policies search for the same run: under the base's name and path of the suite. */
export async function soughtBy(
  {
    manifest,
    key,
    policyFrom,
    results,
  }: {
    readonly manifest: string;
    readonly key?: RunKey | undefined;
    readonly policyFrom?: BaseTree | undefined;
    readonly results?: ResultsAsked | undefined;
  },
  { prepared, policy }: OpenedSuite,
  { files }: Tools,
): Promise<SoughtSuite> {
  const root =
    (results === undefined ? policyFrom?.root : undefined) ?? (await rootOf(manifest, key, files));
  return {
    suite: prepared.suite.name,
    path: policy?.base_path ?? key?.path ?? manifest,
    isInBase: policy && policy.suite !== "none" ? policy.base_path !== null : undefined,
    isGone: async (path) => {
      const absolute = join(root, path);
      const isWithin = absolute.startsWith(join(root, sep));
      return !isWithin || (await files.inspectPath(absolute)).kind === "missing";
    },
  };
}

/**
 * The repository's root. For a tree without its own repository, such as a base's, it is derived from the manifest's path
 * in it.
 */
async function rootOf(
  manifest: string,
  key: RunKey | undefined,
  { locate }: Tools["files"],
): Promise<string> {
  const { absolute, root } = await locate(manifest);
  const end = join(sep, key?.path ?? "");
  return absolute.endsWith(end) ? absolute.slice(0, -end.length) : root;
}
