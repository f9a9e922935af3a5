import { describe, expect, it } from "vitest";
import { createSemaphore, forEachConcurrently, inSlot } from "../../src/base/semaphore.ts";

function* counting(n: number, given: number[] = []): Generator<number> {
  for (let i = 0; i < n; i += 1) {
    given.push(i);
    yield i;
  }
}

function tick(ms = 0): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

describe("work side by side", () => {
  it("works on every item, and never on more at once than there are places", async () => {
    let [now, most] = [0, 0];
    const done = new Set<number>();
    await forEachConcurrently([counting(100)], 7, async (item) => {
      now += 1;
      most = Math.max(most, now);
      await tick(item % 3);
      now -= 1;
      done.add(item);
    });
    expect({ done: done.size, most }).toEqual({ done: 100, most: 7 });
  });

  it("reads no further than what is in flight and one more, so that memory stays bounded", async () => {
    const given: number[] = [];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const all = forEachConcurrently([counting(50, given)], 3, () => held);
    await tick(20);
    expect(given.length).toBe(4);
    release();
    await all;
    expect(given.length).toBe(50);
  });

  it("throws the first failure once what is under way has ended, and starts nothing after it", async () => {
    const [started, ended]: [number[], number[]] = [[], []];
    const working = forEachConcurrently([counting(100)], 4, async (item) => {
      started.push(item);
      await tick(item === 1 ? 1 : 10);
      if (item === 1) throw new Error("disk full");
      ended.push(item);
    });
    await expect(working).rejects.toThrow("disk full");
    expect(started.length).toBeLessThanOrEqual(5);
    expect(ended.length).toBe(started.length - 1);
  });

  it("ends where there is nothing to do", async () => {
    await forEachConcurrently([counting(0)], 4, async () => {
      throw new Error("nothing to do");
    });
  });
});

describe("slots", () => {
  it("let the waiting in, in the order they came, also after a failure", async () => {
    const slots = createSemaphore(1);
    const order: string[] = [];
    const results = await Promise.allSettled([
      inSlot(slots, async () => {
        await tick(5);
        order.push("a");
      }),
      inSlot(slots, async () => {
        order.push("b");
        throw new Error("b failed");
      }),
      inSlot(slots, async () => order.push("c")),
    ]);
    expect(order).toEqual(["a", "b", "c"]);
    expect(results.map((each) => each.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });
});
