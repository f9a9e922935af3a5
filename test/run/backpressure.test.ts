import { describe, expect, it } from "vitest";
import { Pace } from "../../src/run/backpressure.ts";

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
async function beginAll(pace: Pace, items: AsyncIterable<Iterable<number>>): Promise<number[]> {
  const begun: number[] = [];
  for await (const batch of items) {
    for (const item of batch) {
      pace.begin();
      begun.push(item);
    }
  }
  return begun;
}

describe("samples that are begun", () => {
  it("wait for answers, so that few are in memory that nobody can ask yet", async () => {
    const pace = new Pace(4, () => undefined);
    let begun = 0;
    const going = (async () => {
      for await (const batch of pace.through(batchesOf(500, 500))) {
        for (const _ of batch) {
          pace.begin();
          begun += 1;
        }
      }
    })();
    await turn();
    expect(begun).toBe(4 + 64);
    for (let i = 0; i < 31; i += 1) pace.answered();
    await turn();
    expect(begun).toBe(4 + 64);
    pace.answered();
    await turn();
    expect(begun).toBe(4 + 64 + 32);
    pace.letGo();
    await going;
    expect(begun).toBe(1000);
  });

  it("come all, once and in order, however the batches are cut", async () => {
    const pace = new Pace(1, () => undefined);
    const answering = setInterval(() => {
      for (let i = 0; i < 20; i += 1) pace.answered();
    }, 0);
    const begun = await beginAll(pace, pace.through(batchesOf(0, 1, 100, 0, 65, 300, 0)));
    clearInterval(answering);
    expect(begun).toEqual(Array.from({ length: 466 }, (_, i) => i + 1));
  });

  it("are told to be all with their grader when no more are planned, and at the last of them", () => {
    let told = 0;
    const pace = new Pace(4, () => {
      told += 1;
    });
    pace.begin();
    pace.begin();
    pace.graded();
    pace.graded();
    pace.begin();
    pace.begin();
    expect(told).toBe(0);
    pace.planned();
    expect(told).toBe(1);
    pace.graded();
    expect(told).toBe(1);
    pace.graded();
    expect(told).toBe(2);
  });
});
