import { describe, expect, it } from "vitest";
import { sfc32 } from "../../../src/stats/distributions/sfc32.ts";
import { varianceComponents } from "../../../src/stats/sizing/variance-components.ts";

describe("variance components", () => {
  it("find the two sources again, also where repeats are missing", () => {
    const random = sfc32([2, 7, 1]);
    const uniform = (width: number): number => (random() / 2 ** 32 - 0.5) * width * Math.sqrt(12);
    const rows = Array.from({ length: 20_000 }, (_, i) => {
      const own = uniform(0.3);
      return Array.from({ length: 1 + (i % 4) }, () => own + uniform(0.2));
    });
    const { within = 0, between = 0, intraclass = 0 } = varianceComponents(rows);
    expect(Math.sqrt(within)).toBeCloseTo(0.2, 2);
    expect(Math.sqrt(between)).toBeCloseTo(0.3, 2);
    expect(intraclass).toBeCloseTo(0.09 / 0.13, 1);
  });

  it("say what more repeats would bring: as measured, with as many", () => {
    const rows = [
      [1, 0, 1],
      [0, 0, 1],
      [1, 1, 1],
      [0, 0, 0],
    ];
    const of = varianceComponents(rows);
    expect(of.stderrAt(3)).toBeCloseTo(of.stderr, 14);
    expect(of.stderrAt(1)).toBeGreaterThan(of.stderr);
    expect(of.stderrAt(Number.POSITIVE_INFINITY)).toBeLessThan(of.stderr);
    expect(of.stderr).toBeCloseTo(Math.sqrt(of.meanSquareBetween / 12), 14);
  });

  it("do not tell noise apart that was measured once", () => {
    const of = varianceComponents([[1], [0], [1]]);
    expect(of).toMatchObject({ within: undefined, between: undefined, intraclass: undefined });
    expect(of.stderrAt(5)).toBeUndefined();
    expect(of.stderr).toBeCloseTo(1 / 3, 14);
  });

  it("are nothing where nothing varies, and never below 0", () => {
    const still = varianceComponents([
      [1, 1],
      [1, 1],
    ]);
    expect(still).toMatchObject({ within: 0, between: 0, intraclass: undefined, stderr: 0 });
    const noise = varianceComponents([
      [0, 1],
      [1, 0],
    ]);
    expect(noise).toMatchObject({ within: 0.5, between: 0, intraclass: 0 });
  });

  it("refuse fewer than two cases, and a case without a repeat", () => {
    expect(() => varianceComponents([[1, 0]])).toThrow(RangeError);
    expect(() => varianceComponents([[1], []])).toThrow(RangeError);
  });
});
