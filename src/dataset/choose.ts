import type { Case } from "../model/outcomes/sample.ts";

/** A random number from 0 to just below 1, determined by a text and a seed. */
export type RankText = (text: string, seed: number) => number;

/** Choice of a data set's rows. */
interface Choice {
  readonly count: number;
  readonly strategy: "first" | "random";
  readonly seed: number;
  /** Rows of equal content count as one. */
  readonly distinct: boolean;
}

/**
 * Chooses some of a data set's rows: the first ones in their order, or those with the lowest random numbers by content,
 * in the order of these numbers. The result is shorter if there are not enough rows. Memory holds only the chosen ones.
 */
export async function chooseRows(
  cases: AsyncIterable<readonly Case[]>,
  choice: Choice,
  rank: RankText,
): Promise<readonly Case[]> {
  const chosen: Chosen[] = [];
  if (choice.count === 0) return [];
  for await (const batch of cases) {
    for (const each of batch) {
      if (choice.distinct && chosen.some(({ row }) => row.content === each.content)) continue;
      const drawn = choice.strategy === "first" ? each.index : rank(each.content, choice.seed);
      take(chosen, { row: each, drawn }, choice.count);
      if (choice.strategy === "first" && chosen.length === choice.count) return rowsOf(chosen);
    }
  }
  return rowsOf(chosen);
}

interface Chosen {
  readonly row: Case;
  readonly drawn: number;
}

/** Inserts a row into the sorted list, which never exceeds `count`. Of equal numbers the earlier row comes first. */
function take(chosen: Chosen[], next: Chosen, count: number): void {
  const last = chosen.at(-1);
  if (chosen.length === count && last !== undefined && last.drawn <= next.drawn) return;
  const after = chosen.findIndex(({ drawn }) => drawn > next.drawn);
  chosen.splice(after < 0 ? chosen.length : after, 0, next);
  if (chosen.length > count) chosen.pop();
}

function rowsOf(chosen: readonly Chosen[]): readonly Case[] {
  return chosen.map(({ row }) => row);
}
