import { describe, expect, it } from "vitest";
import { readShard, shardText } from "../../../src/model/outcomes/shard.ts";

describe("a shard as people write it", () => {
  it.each([
    ["1/1", { index: 1, of: 1 }],
    ["2/4", { index: 2, of: 4 }],
    [" 3 / 256 ", { index: 3, of: 256 }],
  ])("%o is one", (text, shard) => {
    expect(readShard(text)).toEqual(shard);
    expect(shardText(shard)).toBe(text.replaceAll(" ", ""));
  });

  it.each(["0/3", "4/3", "1/0", "1", "a/b", "1/257", "1/3/4", "-1/2", "1.5/2", "", "٢/٤"])(
    "%o is none",
    (text) => {
      expect(readShard(text)).toBeUndefined();
    },
  );
});
