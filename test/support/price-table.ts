import { readFileSync } from "node:fs";

const text = readFileSync(new URL("../../src/model/models/prices.ts", import.meta.url), "utf8");

/** Facts from the comment of the price table: its date, and the providers whose price pages it names. */
export const priceTable = {
  asOf: / \* As of (\S+),/.exec(text)?.[1] ?? "",
  sources: Array.from(text.matchAll(/^ \* - (\w+): https:\/\/\S+$/gm), ([, id = ""]) => id),
};
