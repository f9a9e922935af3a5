import { describe, expect, it } from "vitest";
import { Backpressure } from "../../src/run/backpressure.ts";

async function* batchesOf(...sizes: readonly number[]): AsyncGenerator<readonly number[]> {
  let next = 0;
  for (const size of sizes) {
    yield Array.from({ length: size }, () => (next += 1));
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Begins what comes, and tells how many there were. */
async function beginAll(
  backpressure: Backpressure,
  items: AsyncIterable<Iterable<number>>,
): Promise<number[]> {
  const begun: number[] = [];
  for await (const batch of items) {
    for (const item of batch) {
      backpressure.begin();
      begun.push(item);
    }
  }
  return begun;
}

describe("samples that are begun", () => {
  it("wait for answers, so that few are in memory that nobody can ask yet", async () => {
    const backpressure = new Backpressure(4, () => undefined);
    let begun = 0;
    const going = (async () => {
      for await (const batch of backpressure.through(batchesOf(500, 500))) {
        for (const _ of batch) {
          backpressure.begin();
          begun += 1;
        }
      }
    })();
    await turn();
    expect(begun).toBe(4 + 64);
    for (let i = 0; i < 31; i += 1) backpressure.answered();
    await turn();
    expect(begun).toBe(4 + 64);
    backpressure.answered();
    await turn();
    expect(begun).toBe(4 + 64 + 32);
    backpressure.releaseAll();
    await going;
    expect(begun).toBe(1000);
  });

  it("come all, once and in order, however the batches are cut", async () => {
    const backpressure = new Backpressure(1, () => undefined);
    const answering = setInterval(() => {
      for (let i = 0; i < 20; i += 1) backpressure.answered();
    }, 0);
    const begun = await beginAll(
      backpressure,
      backpressure.through(batchesOf(0, 1, 100, 0, 65, 300, 0)),
    );
    clearInterval(answering);
    expect(begun).toEqual(Array.from({ length: 466 }, (_, i) => i + 1));
  });

  it("are told to be all with their grader when no more are planned, and at the last of them", () => {
    let told = 0;
    const backpressure = new Backpressure(4, () => {
      told += 1;
    });
    backpressure.begin();
    backpressure.begin();
    backpressure.graded();
    backpressure.graded();
    backpressure.begin();
    backpressure.begin();
    expect(told).toBe(0);
    backpressure.planned();
    expect(told).toBe(1);
    backpressure.graded();
    expect(told).toBe(1);
    backpressure.graded();
    expect(told).toBe(2);
  });
});
