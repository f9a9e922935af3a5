import { it } from "vitest";
import { isOfShare, readShare } from "../../scripts/share.ts";

const share = readShare(process.env["REGRADE_TEST_SHARE"]);

/**
 * `it.each` for a table that shows one thing many times, each time at a price: a process, a run, a wait. A run of a share of
 * the tests (scripts/share.ts) skips the other rows; at least one runs.
 */
export const itSome = ((rows: readonly unknown[]) =>
  (...described: Parameters<ReturnType<typeof it.each>>) => {
    const taken = rows.map((_, place) => isOfShare(place, share, rows.length));
    it.each(rows.filter((_, place) => taken[place]))(...described);
    it.skip.each(rows.filter((_, place) => !taken[place]))(...described);
  }) as typeof it.each;
