import { describe, expect, it } from "vitest";
import { chooseRows } from "../../src/dataset/choose.ts";
import type { Case } from "../../src/model/outcomes/sample.ts";
import { rankOf } from "../../src/stats/inference/rank.ts";

type Choice = Parameters<typeof chooseRows>[1];

/** Rows of one letter each, in batches of two. */
function casesOf(letters: string): { cases: AsyncIterable<readonly Case[]>; read: () => number } {
  let read = 0;
  async function* batches(): AsyncGenerator<readonly Case[]> {
    for (let at = 0; at < letters.length; at += 2) {
      const batch = letters.slice(at, at + 2).split("");
      read += batch.length;
      yield batch.map((content, i) => ({
        caseId: String(at + i),
        content,
        row: { content },
        index: at + i,
      }));
    }
  }
  return { cases: batches(), read: () => read };
}

const first: Choice = { count: 2, strategy: "first", seed: 0, distinct: true };
const random: Choice = { ...first, strategy: "random" };

async function chosen(letters: string, choice: Choice): Promise<string> {
  const rows = await chooseRows(casesOf(letters).cases, choice, rankOf);
  return rows.map(({ content }) => content).join("");
}

describe("first", () => {
  it("takes rows in their order, and reads no more than it needs", async () => {
    const { cases, read } = casesOf("abcdefgh");
    const rows = await chooseRows(cases, first, rankOf);
    expect(rows.map(({ content }) => content)).toEqual(["a", "b"]);
    expect(read()).toBe(2);
  });

  it("takes equal rows once, so that no case is shown its own answer by a twin", async () => {
    expect(await chosen("aabab", first)).toBe("ab");
    expect(await chosen("aab", { ...first, distinct: false })).toBe("aa");
  });

  it("takes fewer where there are not so many", async () => {
    expect(await chosen("aaa", first)).toBe("a");
    expect(await chosen("", first)).toBe("");
    expect(await chosen("abc", { ...first, count: 0 })).toBe("");
  });
});

describe("random", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz";

  it("takes the same rows wherever they stand, and nearly the same when rows are added", async () => {
    const once = await chosen(letters, { ...random, count: 5 });
    expect(once).toHaveLength(5);
    expect(once).not.toBe("abcde");
    expect(await chosen(letters.split("").toReversed().join(""), { ...random, count: 5 })).toBe(
      once,
    );
    const more = await chosen(`${letters}01`, { ...random, count: 5 });
    expect(more.split("").filter((letter) => once.includes(letter)).length).toBeGreaterThanOrEqual(
      3,
    );
  });

  it("takes others by another seed, and every row sooner or later", async () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 100; seed += 1) {
      for (const letter of await chosen(letters, { ...random, seed })) seen.add(letter);
    }
    expect(seen.size).toBe(26);
  });
});
