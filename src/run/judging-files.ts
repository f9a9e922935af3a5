import { once } from "../base/once.ts";
import type { BaseTree } from "../model/outcomes/policy.ts";
import type { Tools } from "../tools.ts";

/**
 * The files that judge: those of the base's checkout, and Regrade's own. One of these stands for all suites of a command or
 * step: a program that one suite asks may edit them for the next, also after its own suite has ended.
 */
export interface JudgingFiles {
  /** Remembers the files as they are. Called before a program is asked; only the first call counts. */
  readonly remember: () => Promise<unknown>;
  /** When they were remembered, in milliseconds of the clock; undefined: no program was asked so far. */
  readonly since: () => number | undefined;
  /** Those that were edited, added or removed since, with whose they are. */
  readonly altered: () => Promise<readonly string[]>;
}

const ours = "Regrade";
/** Python writes compiled modules of ours there when they are first imported. */
const compiled = "__pycache__";

/** Opens the files that judge. A folder of the user's that stands for the base is not looked at. */
export function openJudgingFiles(
  tree: BaseTree | undefined,
  { stampTree, ownFolders, now }: Pick<Tools, "stampTree" | "ownFolders" | "now">,
): JudgingFiles {
  const own = ownFolders.map((folder) => ({ folder, whose: ours }));
  const base = { folder: tree?.root ?? "", whose: "the base's checkout" };
  const all = tree?.repository === undefined ? own : [base, ...own];
  let since: number | undefined;
  const stamp = once(async () => {
    since = now();
    return Promise.all(
      all.map(async ({ folder, whose }) => ({ stamps: await stampTree(folder), whose })),
    );
  });
  return {
    remember: stamp,
    since: () => since,
    altered: async () => {
      if (since === undefined) return [];
      const found = (await stamp()).map(async ({ stamps, whose }) =>
        (await stamps.altered())
          .filter(({ path, isNew }) => !(isNew && whose === ours && path.includes(compiled)))
          .map(({ path }) => `${path} (${whose})`),
      );
      return (await Promise.all(found)).flat();
    },
  };
}
