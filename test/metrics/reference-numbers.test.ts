import { existsSync, readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { afterAll, describe, expect, it } from "vitest";
import { betaQuantile, incompleteBeta } from "../../src/metrics/beta.ts";
import { binomialAtLeast, binomialAtMost } from "../../src/metrics/binomial.ts";
import { detectableDrop } from "../../src/metrics/detectable-drop.ts";
import { holm } from "../../src/metrics/holm.ts";
import {
  mcnemarExact,
  mcnemarExactTwoSided,
  mcnemarMidP,
  mcnemarMidPTwoSided,
} from "../../src/metrics/mcnemar.ts";
import { meanOf, tInterval } from "../../src/metrics/mean.ts";
import { normalCdf, normalQuantile } from "../../src/metrics/normal.ts";
import { pairedT } from "../../src/metrics/paired-t.ts";
import { below, sfc32 } from "../../src/metrics/sfc32.ts";
import { signFlip } from "../../src/metrics/sign-flip.ts";
import { studentQuantile, studentUpperTail } from "../../src/metrics/student.ts";
import { tangoInterval, tangoScore } from "../../src/metrics/tango.ts";
import { wilsonInterval } from "../../src/metrics/wilson.ts";

const shared = new URL("../../../shared/", import.meta.url);
const vectorsFile = new URL("vectors/stats.json", shared);

/** Every field that some method's input has. */
interface Input {
  readonly p: number | number[];
  readonly df: number;
  readonly t: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly x: number;
  readonly n: number;
  readonly p0: number;
  readonly level: number;
  readonly values: number[];
  readonly diffs: number[];
  readonly n11: number;
  readonly n10: number;
  readonly n01: number;
  readonly n00: number;
  readonly seed: [number, number, number];
  readonly file: string;
  readonly rows?: number;
  readonly baseline: string;
  readonly candidate: string;
  readonly regressions: number;
  readonly fixes: number;
  readonly margin: number;
  readonly omega2: number;
  readonly sigmaA2: number;
  readonly sigmaB2: number;
  readonly KA: number;
  readonly KB: number;
  readonly alpha: number;
}

interface Vector {
  readonly id: string;
  readonly method: string;
  readonly input: Input;
  readonly expected: unknown;
  readonly tol: { readonly rel: number; readonly abs: number };
}

interface Method {
  readonly compute: (input: Input) => unknown;
  /** Parts of the expectation that belong to methods Regrade does not use. */
  readonly notOurs?: readonly string[];
}

const methods: Readonly<Record<string, Method>> = {
  norm_ppf: { compute: ({ p }) => normalQuantile(Number(p)) },
  t_ppf: { compute: ({ p, df }) => studentQuantile(Number(p), df) },
  t_sf: { compute: ({ t, df }) => studentUpperTail(t, df) },
  betainc_reg: { compute: ({ a, b, x }) => incompleteBeta({ a, b }, x) },
  beta_ppf: { compute: ({ p, a, b }) => betaQuantile(Number(p), { a, b }) },
  binomial_tails: {
    compute: ({ x, n, p0 }) => {
      const binomial = { trials: n, probability: p0 };
      return { p_le: binomialAtMost(x, binomial), p_ge: binomialAtLeast(x, binomial) };
    },
  },
  "proportion_ci.wilson": { compute: ({ x, n, level }) => wilsonInterval(x, n, level) },
  mean_t_ci: {
    compute: ({ values, level }) => {
      const summary = meanOf(values);
      const { mean, stderr: se, n } = summary;
      return { mean, se, df: n - 1, ...tInterval(summary, level) };
    },
  },
  paired_t: {
    compute: ({ diffs, level }) => {
      const { mean, stderr = Number.NaN, pLess, interval } = pairedT(diffs, level);
      const pGreater = pairedT(negated(diffs), level).pLess;
      return {
        mean,
        se: stderr,
        df: diffs.length - 1,
        ...interval,
        t: mean / stderr,
        p_two: 2 * Math.min(pLess, pGreater),
        p_less: pLess,
        p_greater: pGreater,
      };
    },
  },
  mcnemar: {
    compute: ({ b, c }) => ({
      exact_two: mcnemarExactTwoSided(b, c),
      midp_two: mcnemarMidPTwoSided(b, c),
      exact_regression: mcnemarExact(b, c),
      exact_improvement: mcnemarExact(c, b),
      midp_regression: mcnemarMidP(b, c),
    }),
    notOurs: ["chi2", "chi2_p", "chi2_cc", "chi2_cc_p"],
  },
  // Here the difference is p10 − p01: what this table calls n10 counts as fixed.
  paired_proportion_ci: {
    compute: ({ n11, n10, n01, n00, level }) => {
      const pairs = { broke: n01, fixed: n10, n: n11 + n10 + n01 + n00 };
      return { tango: { diff: (n10 - n01) / pairs.n, ...tangoInterval(pairs, level) } };
    },
    notOurs: ["newcombe10", "wald", "agresti_min"],
  },
  tango_noninferiority_gate: {
    compute: ({ regressions, fixes, n, margin }) => {
      const pairs = { broke: regressions, fixed: fixes, n };
      const z = tangoScore(pairs, -margin);
      return {
        diff: (fixes - regressions) / n,
        z,
        p: normalCdf(-z),
        lower95_one_sided: tangoInterval(pairs, 0.9).lower,
      };
    },
  },
  sign_flip_exact: {
    compute: ({ diffs }) => {
      const less = signFlip(diffs).pLess;
      const greater = signFlip(negated(diffs)).pLess;
      return { p_two: Math.min(1, 2 * Math.min(less, greater)), p_less: less, p_greater: greater };
    },
  },
  p_adjust: {
    compute: ({ p }) => ({ holm: holm(p as number[], (p as number[]).length) }),
    notOurs: ["bonferroni", "hochberg", "bh", "by", "rejected_at_05"],
  },
  "power.miller_mde": {
    compute: ({ n, omega2, sigmaA2, sigmaB2, KA, KB, alpha }) =>
      detectableDrop({
        perCaseVariance: omega2 + sigmaA2 / KA + sigmaB2 / KB,
        n,
        // These are two-sided.
        alpha: alpha / 2,
      }),
  },
  "prng.sfc32": {
    compute: ({ seed }) => {
      const random = sfc32(seed);
      return Array.from({ length: 8 }, random);
    },
  },
  "prng.below": {
    compute: ({ seed, n }) => {
      const random = sfc32(seed);
      return Array.from({ length: 16 }, () => below(random, n));
    },
  },
  // Here n10 is right in the baseline and wrong in the candidate, and the difference is candidate − baseline.
  paired_binary_report: { compute: pairedBinaryReport, notOurs: ["newcombe10"] },
};

function pairedBinaryReport({ file, rows, baseline, candidate }: Input): unknown {
  const differences = differencesIn(file, { baseline, candidate }).slice(0, rows);
  const count = (change: string): number => differences.filter((pair) => pair === change).length;
  const pairs = { broke: count("10"), fixed: count("01"), n: differences.length };
  const t = pairedT(
    differences.map((pair) => Number(pair[1]) - Number(pair[0])),
    0.95,
  );
  const { mean, stderr = Number.NaN, pLess, interval } = t;
  return {
    n: pairs.n,
    n11: count("11"),
    n10: pairs.broke,
    n01: pairs.fixed,
    n00: count("00"),
    diff: mean,
    mcnemar_exact_two: mcnemarExactTwoSided(pairs.broke, pairs.fixed),
    exact_regression: mcnemarExact(pairs.broke, pairs.fixed),
    tango: { diff: (pairs.fixed - pairs.broke) / pairs.n, ...tangoInterval(pairs, 0.95) },
    paired_t: { t: mean / stderr, se: stderr, ...interval, p_two: 2 * Math.min(pLess, 1 - pLess) },
  };
}

/** `10` for a case that the baseline got right and the candidate wrong. */
function differencesIn(file: string, sides: { baseline: string; candidate: string }): string[] {
  const rows: Record<string, string>[] = parse(readFileSync(new URL(file, shared)), {
    columns: true,
  });
  return rows.map((row) => `${row[sides.baseline]}${row[sides.candidate]}`);
}

function negated(values: readonly number[]): number[] {
  return values.map((value) => -value);
}

/** Every number in `expected` (but those that are not ours) must be in `got`, within the tolerance. */
function check(got: unknown, expected: unknown, tol: Vector["tol"]): number {
  if (typeof expected === "number") {
    expect(got).toBeTypeOf("number");
    const allowed = Math.max(tol.abs, tol.rel * Math.abs(expected));
    expect(Math.abs(Number(got) - expected)).toBeLessThanOrEqual(allowed);
    return 1;
  }
  expect(got).toBeTypeOf("object");
  if (Array.isArray(expected)) expect(got).toHaveLength(expected.length);
  let checked = 0;
  for (const [key, value] of Object.entries(expected as object)) {
    checked += check((got as Record<string, unknown>)[key], value, tol);
  }
  return checked;
}

describe.skipIf(!existsSync(vectorsFile))(
  "the numbers of SciPy, mpmath and published tables (in ../shared; skipped where it is absent)",
  () => {
    const vectors: Vector[] = existsSync(vectorsFile)
      ? JSON.parse(readFileSync(vectorsFile, "utf8")).vectors
      : [];
    const ours = vectors.filter(({ method }) => method in methods);
    const ran = new Map<string, number>();
    let numbers = 0;

    it.each(ours)("$id", ({ method, input, expected, tol }) => {
      const { compute, notOurs = [] } = methods[method] as Method;
      const wanted =
        typeof expected === "object" && !Array.isArray(expected)
          ? Object.fromEntries(
              Object.entries(expected as object).filter(([key]) => !notOurs.includes(key)),
            )
          : expected;
      numbers += check(compute(input), wanted, tol);
      ran.set(method, (ran.get(method) ?? 0) + 1);
    });

    it("no method is without its numbers", () => {
      expect(Object.fromEntries(ran)).toEqual({
        norm_ppf: 5,
        t_ppf: 4,
        t_sf: 2,
        betainc_reg: 2,
        beta_ppf: 3,
        binomial_tails: 2,
        "proportion_ci.wilson": 7,
        mean_t_ci: 1,
        paired_t: 3,
        mcnemar: 5,
        paired_proportion_ci: 4,
        tango_noninferiority_gate: 2,
        sign_flip_exact: 4,
        p_adjust: 4,
        "power.miller_mde": 5,
        "prng.sfc32": 2,
        "prng.below": 1,
        paired_binary_report: 3,
      });
      expect([...ran.keys()].toSorted()).toEqual(Object.keys(methods).toSorted());
    });

    afterAll(() => {
      console.log(`${ours.length} reference results of ${ran.size} methods, ${numbers} numbers`);
    });
  },
);
