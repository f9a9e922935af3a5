import { describe, expect, it } from "vitest";
import { reduceRepeats } from "../../../src/stats/aggregates/repeats.ts";

interface Attempts {
  readonly n: number;
  readonly passed: number;
  readonly k: number;
}

const passAtK = (attempts: Attempts): number => reduced("pass_at_k", attempts);
const passHatK = (attempts: Attempts): number => reduced("pass_hat_k", attempts);

/** The score of a case some of whose repeats are passed. */
function reduced(kind: "pass_at_k" | "pass_hat_k", { n, passed, k }: Attempts): number {
  const scores = Array.from({ length: n }, (_, i) => (i < passed ? 1 : 0));
  return reduceRepeats(scores, { kind, k, pass: 1 }) ?? Number.NaN;
}

/** C(n, k), without end. */
function choose(n: number, k: number): bigint {
  if (k > n) return 0n;
  let ways = 1n;
  for (let i = 0; i < k; i += 1) ways = (ways * BigInt(n - i)) / BigInt(i + 1);
  return ways;
}

function ratio(above: bigint, below: bigint): number {
  return Number((above << 80n) / below) / 2 ** 80;
}

describe("pass@k and pass^k", () => {
  it("are the shares of all ways to take k of the attempts", () => {
    for (let n = 1; n <= 12; n += 1) {
      for (let passed = 0; passed <= n; passed += 1) {
        for (let k = 1; k <= n; k += 1) {
          const all = choose(n, k);
          const some = ratio(all - choose(n - passed, k), all);
          expect(passAtK({ n, passed, k })).toBeCloseTo(some, 14);
          expect(passHatK({ n, passed, k })).toBeCloseTo(ratio(choose(passed, k), all), 14);
        }
      }
    }
    const exact = ratio(choose(57, 10), choose(200, 10));
    expect(passHatK({ n: 200, passed: 57, k: 10 }) / exact).toBeCloseTo(1, 12);
  });

  it("are unbiased: their mean over all outcomes is the chance itself", () => {
    const [n, k, p] = [6, 3, 0.7];
    let [at, hat] = [0, 0];
    for (let passed = 0; passed <= n; passed += 1) {
      const chance = Number(choose(n, passed)) * p ** passed * (1 - p) ** (n - passed);
      at += chance * passAtK({ n, passed, k });
      hat += chance * passHatK({ n, passed, k });
    }
    expect(at).toBeCloseTo(1 - 0.3 ** 3, 13);
    expect(hat).toBeCloseTo(0.7 ** 3, 13);
  });

  it("refuse what was not tried", () => {
    for (const attempts of [
      { n: 2, passed: 1, k: 0 },
      { n: 2, passed: 1, k: -1 },
      { n: 2, passed: 1, k: 1.5 },
    ]) {
      expect(() => passAtK(attempts)).toThrow(RangeError);
      expect(() => passHatK(attempts)).toThrow(RangeError);
    }
  });
});

describe("the score of a case from its repeats", () => {
  const cases: readonly (readonly [
    Parameters<typeof reduceRepeats>[1],
    readonly number[],
    number | undefined,
  ])[] = [
    [{ kind: "mean" }, [1, 0, 0, 1], 0.5],
    [{ kind: "max" }, [0.2, 0.9, 0.4], 0.9],
    [{ kind: "max" }, [-3, -2], -2],
    [{ kind: "mode" }, [1, 0, 1], 1],
    [{ kind: "mode" }, [2, 3, 3, 2, 5], 2.5],
    [{ kind: "mode" }, [0, 1], 0.5],
    [{ kind: "at_least_k", k: 2, pass: 1 }, [1, 0, 1], 1],
    [{ kind: "at_least_k", k: 2, pass: 1 }, [1, 0, 0], 0],
    [{ kind: "at_least_k", k: 2, pass: 0.5 }, [0.5, 0.49, 0.7], 1],
    // 0.1 + 0.2 is a bit more than 0.3, and 0.3 as good as it.
    [{ kind: "at_least_k", k: 1, pass: 0.1 + 0.2 }, [0.3], 1],
    [{ kind: "pass_at_k", k: 2, pass: 1 }, [1, 0, 0], 2 / 3],
    [{ kind: "pass_hat_k", k: 2, pass: 1 }, [1, 1, 0], 1 / 3],
    [{ kind: "pass_hat_k", k: 1, pass: 0.5 }, [0.6], 1],
    // An attempt that was not made is neither passed nor failed.
    [{ kind: "pass_at_k", k: 3, pass: 1 }, [1, 1], undefined],
    [{ kind: "pass_hat_k", k: 3, pass: 1 }, [0, 0], undefined],
    [{ kind: "at_least_k", k: 3, pass: 1 }, [1, 1], undefined],
    [{ kind: "mean" }, [], undefined],
    [{ kind: "mode" }, [], undefined],
    [{ kind: "max" }, [], undefined],
  ];

  it.each(cases)("%j of %j is %j", (reducer, scores, expected) => {
    const got = [reduceRepeats(scores, reducer), reduceRepeats(scores.toReversed(), reducer)];
    if (expected === undefined) expect(got).toEqual([undefined, undefined]);
    else for (const value of got) expect(value).toBeCloseTo(expected, 14);
  });
});
