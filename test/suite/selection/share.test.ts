import { describe, expect, it } from "vitest";
import { createAdaptiveSlots } from "../../../src/candidate/resilience/slots.ts";
import type { ShardChoice } from "../../../src/model/outcomes/shard.ts";
import { inSlot } from "../../../src/base/semaphore.ts";
import { shardShare } from "../../../src/suite/selection/share.ts";
import { suiteOf } from "../policy/suites.ts";

const shards = (of: number): readonly ShardChoice[] =>
  Array.from({ length: of }, (_, i) => ({ index: i + 1, of }));

describe("all shards together have", () => {
  const budget = { usd: 5, tokens: 1_000_003, minutes: 30 };

  it("the dollars and tokens of the whole, and each its minutes: they run side by side", () => {
    const shares = shards(4).map(
      (shard) => shardShare({ suite: suiteOf({ budget }) }, shard).suite.budget,
    );
    expect(shares.reduce((sum, { usd = 0 }) => sum + usd, 0)).toBeCloseTo(5, 10);
    expect(shares.reduce((sum, { tokens = 0 }) => sum + tokens, 0)).toBe(1_000_003);
    expect(shares.map(({ minutes }) => minutes)).toEqual([30, 30, 30, 30]);
  });

  it.each([
    [10, [4, 3, 3]],
    [3, [1, 1, 1]],
    [2, [1, 1, 1]],
  ])("%i requests at once, one each at least", (concurrency, each) => {
    const shares = shards(3).map(
      (shard) => shardShare({ suite: suiteOf({ concurrency }) }, shard).suite.concurrency,
    );
    expect(shares).toEqual(each);
  });

  it("no budget where there is none", () => {
    const none = { usd: undefined, tokens: undefined, minutes: undefined };
    const [shard] = shards(2);
    expect(shardShare({ suite: suiteOf({ budget: none }) }, shard).suite.budget).toEqual(none);
  });

  it("a provider's places, however many it turns out to bear", async () => {
    let now = 0;
    const slots = createAdaptiveSlots(() => now, 8);
    expect([slots.limit(), slots.most]).toEqual([2, 12]);
    // Many rounds in which all places are taken and nothing is refused.
    for (let i = 0; i < 200; i += 1) {
      now += 1000;
      const { promise, resolve } = Promise.withResolvers<void>();
      const works = Array.from({ length: slots.limit() }, () => inSlot(slots, () => promise));
      for (let j = 0; j < slots.limit(); j += 1) slots.succeeded();
      resolve();
      await Promise.all(works);
    }
    expect(slots.limit()).toBe(12);
  });
});
