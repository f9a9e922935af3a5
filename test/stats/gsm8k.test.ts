import { existsSync, readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { mcnemarExact, mcnemarMidP } from "../../src/stats/inference/mcnemar.ts";
import { normalQuantile } from "../../src/stats/distributions/normal.ts";
import { pairedT } from "../../src/stats/inference/paired-t.ts";
import { signFlip } from "../../src/stats/inference/sign-flip.ts";
import { tangoInterval, tangoScore } from "../../src/stats/inference/tango.ts";

const file = new URL("../../../shared/data/gsm8k/is_correct_1319.csv", import.meta.url);
const models = ["6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"];

/** 2ⁿ·(P(X > broke) + ½·P(X = broke)), X ~ Bin(n, ½), in whole numbers, as a share. */
function midPByHand(broke: number, fixed: number): number {
  const n = broke + fixed;
  let ways = 1n;
  let twice = 0n;
  for (let x = 0; x <= n; x += 1) {
    if (x >= broke) twice += x === broke ? ways : 2n * ways;
    ways = (ways * BigInt(n - x)) / BigInt(x + 1);
  }
  // As a fraction of 2ⁿ⁺¹, with 900 bits for the quotient.
  return Number((twice << 900n) >> BigInt(n + 1)) / 2 ** 900;
}

describe.skipIf(!existsSync(file))(
  "four models on GSM8K (in ../shared; skipped where it is absent)",
  () => {
    const rows: Record<string, string>[] = existsSync(file)
      ? parse(readFileSync(file), { columns: true })
      : [];
    const pairs = models.flatMap((base) =>
      models
        .filter((head) => head !== base)
        .flatMap((head) => [1319, 100].map((n) => ({ base, head, n }))),
    );

    it.each(pairs)("$base → $head, $n cases", ({ base, head, n }) => {
      const differences = rows.slice(0, n).map((row) => Number(row[head]) - Number(row[base]));
      expect(differences).toHaveLength(n);
      const broke = differences.filter((difference) => difference < 0).length;
      const fixed = differences.filter((difference) => difference > 0).length;

      expect(mcnemarMidP(broke, fixed) / midPByHand(broke, fixed)).toBeCloseTo(1, 10);
      const flip = signFlip(differences);
      expect(flip.exact).toBe(true);
      expect(flip.pLess / mcnemarExact(broke, fixed)).toBeCloseTo(1, 10);

      const z = normalQuantile(0.95);
      const { lower, upper } = tangoInterval({ broke, fixed, n }, 0.9);
      expect(tangoScore({ broke, fixed, n }, lower)).toBeCloseTo(z, 8);
      expect(tangoScore({ broke, fixed, n }, upper)).toBeCloseTo(-z, 8);

      // Σd² = broke + fixed, so that the standard error has a closed form.
      const mean = (fixed - broke) / n;
      const square = (broke + fixed - n * mean * mean) / (n * (n - 1));
      const t = pairedT(differences, 0.9);
      expect(t.mean).toBeCloseTo(mean, 14);
      expect(t.stderr).toBeCloseTo(Math.sqrt(square), 14);
    });
  },
);
