import { describe, expect, it } from "vitest";
import { below, sfc32 } from "../../../src/stats/distributions/sfc32.ts";

describe("sfc32", () => {
  it("gives the sequence that every other implementation gives", () => {
    const random = sfc32([1, 2, 3]);
    expect([random(), random(), random()]).toEqual([1936341825, 3001364500, 1029104839]);
  });

  it("keeps its state to itself: two generators do not disturb each other", () => {
    const [one, other] = [sfc32([1, 2, 3]), sfc32([1, 2, 3])];
    one();
    expect([one(), other(), other()]).toEqual([3001364500, 1936341825, 3001364500]);
  });

  it("is fair to within chance", () => {
    const random = sfc32([3, 1, 4]);
    const counts = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 100_000; i += 1) {
      const k = below(random, 10);
      counts[k] = (counts[k] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});
