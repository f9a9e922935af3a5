/**
 * A share of the expensive tests: rows of large tables, and tests of the tag `long`. It is one of `of`
 * shares, counted from 0, which together are all of them.
 */
export interface Share {
  readonly place: number;
  readonly of: number;
}

/** Reads "2/3", the second of three; undefined: all tests. */
export function readShare(text: string | undefined): Share | undefined {
  if (text === undefined || text === "") return undefined;
  const [, place = 0, of = 0] = (/^([1-9]\d?)\/([1-9]\d?)$/.exec(text) ?? []).map(Number);
  if (place < 1 || place > of)
    throw new Error(`REGRADE_TEST_SHARE: expected a share such as 2/3, got '${text}'`);
  return { place: place - 1, of };
}

/** Whether something of this place in a table of so many rows runs. A table of fewer rows than shares has one that runs. */
export function isOfShare(place: number, share: Share | undefined, rows = Infinity): boolean {
  return (
    share === undefined ||
    place % Math.min(share.of, rows) === share.place % Math.min(share.of, rows)
  );
}
