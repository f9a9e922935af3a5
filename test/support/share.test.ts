import { describe, expect, it } from "vitest";
import { isOfShare, readShare } from "../../scripts/share.ts";

describe("shares of the tests", () => {
  it.each([
    [1, 3],
    [2, 5],
    [7, 3],
    [20, 5],
  ])("of a table of %i rows: all %i shares take a row, together every one", (rows, of) => {
    const places = Array.from({ length: rows }, (_, row) => row);
    const shares = Array.from({ length: of }, (_, i) =>
      places.filter((row) => isOfShare(row, readShare(`${i + 1}/${of}`), rows)),
    );
    expect(new Set(shares.flat())).toEqual(new Set(places));
    for (const share of shares) expect(share).not.toEqual([]);
  });

  it("are all tests where none is asked for, and none of another kind", () => {
    expect(isOfShare(4, readShare(""))).toBe(true);
    for (const text of ["0/3", "4/3", "2", "a/b"])
      expect(() => readShare(text)).toThrow("such as 2/3");
  });
});
