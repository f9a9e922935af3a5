import { join, relative, resolve, sep } from "node:path";
import type { NoBaseline } from "../model/baseline.ts";
import type { BaseTree } from "../model/outcomes/policy.ts";
import type { Baseline } from "./conclude.ts";
import { readPooled, type RunDirectory } from "./pool/read.ts";
import type { Suite } from "../model/definition/suite.ts";
import type { Tools } from "../tools.ts";
import { folderOfSuite, hasRun } from "./suite-folder.ts";

/** A named run directory, on both sides. */
interface NamedDirectory {
  /** The path as the user wrote it. */
  readonly source: string;
  /** Absolute path in the change's checkout. */
  readonly here: string;
  /** Absolute path in the base's tree; undefined: outside of the repository. */
  readonly there: string | undefined;
}

/** Location of named run directories, relative to the working directory. */
export async function findNamed(
  sources: readonly string[],
  { tree, suite }: { readonly tree: BaseTree; readonly suite: Suite },
  tools: Tools,
): Promise<readonly NamedDirectory[]> {
  const { files } = tools;
  const root = tree.repository ?? (await files.locate(suite.path)).root;
  const found: NamedDirectory[] = [];
  for (const source of sources) {
    const here = resolve(source);
    const { real } = await files.inspectPath(here);
    const path = [here, real].find((each) => `${each}${sep}`.startsWith(join(root, sep)));
    const there = path && join(tree.root, relative(root, path));
    found.push(await ofSuite({ source, here, there }, suite.name, tools));
  }
  return found;
}

/** The suite's folder on both sides, if the directory contains runs of several suites on the side that counts. */
export async function ofSuite(
  named: NamedDirectory,
  suite: string,
  tools: Tools,
): Promise<NamedDirectory> {
  const { source, here, there } = named;
  for (const side of [there, here]) {
    if (side === undefined) continue;
    if (await hasRun(side, tools)) return named;
    const folder = await folderOfSuite(side, suite, tools);
    if (folder === undefined) continue;
    return {
      source: join(source, folder),
      here: join(here, folder),
      there: there && join(there, folder),
    };
  }
  return named;
}

/**
 * Reads named runs as the base has them, because a change must not provide its own baseline. A directory outside the
 * repository, or one that is not in a commit, was made by the user of this run; one that only the change adds does not
 * count yet.
 */
export async function readOfBase(
  named: readonly [NamedDirectory, ...NamedDirectory[]],
  { source: base }: BaseTree,
  tools: Tools,
): Promise<(Baseline & { readonly kind: "run" }) | NoBaseline> {
  const [first, ...others] = named;
  const found: RunDirectory[] = [];
  for (const each of [first, ...others]) {
    const directory = await chooseSide(each, tools);
    if (directory === undefined) return notYet(each.source, base);
    found.push({ source: each.source, directory });
  }
  const [one, ...more] = found;
  if (one === undefined) throw new RangeError("one is named");
  return readPooled([one, ...more], tools);
}

/** undefined if only a commit of the change has the directory. */
async function chooseSide(
  { here, there }: NamedDirectory,
  tools: Tools,
): Promise<string | undefined> {
  if (there === undefined) return here;
  if (await hasRun(there, tools)) return there;
  // If neither side has the directory, reading it reports that.
  return (await hasRun(here, tools)) && (await tools.isOfCommit(here)) ? undefined : here;
}

function notYet(source: string, base: string): NoBaseline {
  return {
    kind: "none",
    reason: `${base} has no run at ${source}, and the one that this change brings counts once it is there`,
    remedy: `Bring ${source} to ${base} by a change of its own, then compare with it. A run directory outside of the repository is taken as it is.`,
  };
}
