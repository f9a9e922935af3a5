import { join } from "node:path";
import { confirmFolder } from "../../model/outcomes/confirmation.ts";
import type { HashText } from "../../model/ports/files.ts";
import type { Executed } from "../execute.ts";
import { addSpent } from "../../model/figures/spent.ts";
import { numberedFolders, spentOnAll, takenIn } from "../rerun/side-store.ts";
import type { Tools } from "../../tools.ts";
import { addRunUsage, type Taken } from "../../verdict/usage.ts";

type SideName = "head" | "base";
const sideNames = ["head", "base"] as const;

/** A round that an earlier attempt at this run began, as `rerun-failed` and `--resume` find it. */
export interface ConfirmAttempt {
  /** Path within the run directory. */
  readonly folder: string;
  /** Hash that each side was started with; undefined for a side that was not started. */
  readonly hashes: Readonly<Record<SideName, string | undefined>>;
  /** Usage of both sides. */
  readonly taken: readonly Taken[];
  /** False if failed and ungraded samples are run again and the round has ungraded ones: then both sides are asked again. */
  readonly isUsable: boolean;
}

/** Directory of a round, and whether an earlier attempt started the same round there. */
export interface RoundPlace {
  readonly folder: string;
  readonly isOld: boolean;
}

/** Confirmations of earlier attempts in a run directory. */
export async function findAttempts(
  { directory, isRerun }: { readonly directory: string; readonly isRerun: boolean },
  tools: Tools,
): Promise<readonly ConfirmAttempt[]> {
  const attempts: ConfirmAttempt[] = [];
  for (const folder of await numberedFolders(directory, folderOf, tools)) {
    const sides = sideNames.map((name) => join(directory, folder, name));
    const [head, base] = await Promise.all(sides.map((side) => tools.readInputHash(side)));
    const taken = await Promise.all(sides.map((side) => takenIn(side, tools)));
    const graded = await Promise.all(sides.map((side) => isOpenOrGraded(side, tools)));
    const isUsable = !isRerun || graded.every(Boolean);
    attempts.push({ folder, hashes: { head, base }, taken, isUsable });
  }
  return attempts;
}

function folderOf(number: number): string {
  return `${confirmFolder}/${number}`;
}

/**
 * Chooses a directory for each round: that of an earlier attempt at the same round, otherwise a new one. An attempt
 * with other cases has no effect any more, and stays unchanged. Pure.
 */
export function placeRounds(
  identities: readonly (string | undefined)[],
  attempts: readonly ConfirmAttempt[],
  hashText: HashText,
): readonly (RoundPlace | undefined)[] {
  let last = attempts.length;
  return identities.map((identity) => {
    if (identity === undefined) return undefined;
    const known = attempts.find((each) => each.isUsable && isOf(each.hashes, identity, hashText));
    if (known !== undefined) return { folder: known.folder, isOld: true };
    last += 1;
    return { folder: folderOf(last), isOld: false };
  });
}

function isOf(hashes: ConfirmAttempt["hashes"], identity: string, hashText: HashText): boolean {
  // The head's side starts first, so the base's side may not exist yet.
  const isBase = hashes.base === undefined || hashes.base === sideHash(identity, "base", hashText);
  return hashes.head === sideHash(identity, "head", hashText) && isBase;
}

/** Identity of one side of a round: the same for all attempts at it. */
export function sideHash(identity: string, name: SideName, hashText: HashText): string {
  return hashText(JSON.stringify([identity, name]));
}

/** Whether a side is incomplete, or has a grade for each of its fresh samples. */
async function isOpenOrGraded(side: string, { readRun, files }: Tools): Promise<boolean> {
  const has = async (name: string): Promise<boolean> =>
    (await files.inspectPath(join(side, name))).kind !== "missing";
  if ((await has("generated.jsonl")) || !(await has("run.json"))) return true;
  return (await readRun(side)).run.cases.ungraded === 0;
}

/** Adds the usage of earlier attempts that no round of this run continues: it was spent from the same budget. */
export function withTaken(
  executed: Executed,
  attempts: readonly ConfirmAttempt[],
  used: readonly (RoundPlace | undefined)[],
): Executed {
  const left = attempts.filter(({ folder }) => !used.some((place) => place?.folder === folder));
  const taken = left.flatMap((attempt) => attempt.taken);
  return {
    ...executed,
    spent: addSpent(executed.spent, spentOnAll(taken)),
    draft: taken.reduce(addRunUsage, executed.draft),
  };
}
