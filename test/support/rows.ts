import { it } from "vitest";

/**
 * `it.each` for a table that shows one thing many times, each time at a price: a process, a run, a wait. `npm test` takes every
 * third row, beginning with the first, to stay within minutes. CI takes all, and so does whoever runs a file by its name.
 */
export const itSome = ((rows: readonly unknown[]) =>
  it.each(takesAll ? rows : rows.filter((_, place) => place % 3 === 0))) as typeof it.each;

const takesAll = process.env["REGRADE_TEST_ROWS"] !== "some";
