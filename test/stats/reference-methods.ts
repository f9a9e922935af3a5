import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { benjaminiHochberg } from "../../src/stats/inference/adjustment.ts";
import { betaQuantile, incompleteBeta } from "../../src/stats/distributions/beta.ts";
import { binomialAtLeast, binomialAtMost } from "../../src/stats/distributions/binomial.ts";
import { bootstrap, describe as summarise } from "../../src/stats/inference/bootstrap.ts";
import { clopperPearson } from "../../src/stats/inference/proportion.ts";
import { clusterT } from "../../src/stats/inference/cluster-t.ts";
import { clustersOf } from "../../src/stats/clusters.ts";
import { holm } from "../../src/stats/inference/adjustment.ts";
import { mcnemarExact, mcnemarMidP } from "../../src/stats/inference/mcnemar.ts";
import { meanOf, tInterval } from "../../src/stats/aggregates/mean.ts";
import { noninferiorityT, noninferiorityTango } from "../../src/stats/inference/noninferiority.ts";
import { normalQuantile } from "../../src/stats/distributions/normal.ts";
import { pairedT } from "../../src/stats/inference/paired-t.ts";
import { casesNeeded, mcnemarPower } from "../../src/stats/sizing/power.ts";
import { quantile } from "../../src/stats/aggregates/quantile.ts";
import { reduceRepeats } from "../../src/stats/aggregates/repeats.ts";
import { resampler } from "../../src/stats/aggregates/shapes.ts";
import { below, sfc32 } from "../../src/stats/distributions/sfc32.ts";
import { signFlip } from "../../src/stats/inference/sign-flip.ts";
import { studentQuantile, studentUpperTail } from "../../src/stats/distributions/student.ts";
import { tangoInterval, tangoScore } from "../../src/stats/inference/tango.ts";
import { varianceComponents } from "../../src/stats/sizing/variance-components.ts";
import { wilsonInterval } from "../../src/stats/inference/proportion.ts";
import {
  agreement,
  alphaSpent,
  empiricalBernstein,
  mixtureReach,
  shaped,
  spendingBounds,
} from "./sequential.ts";
import {
  agrestiCoull,
  betaLimits,
  chiSquareTail,
  detectableDrop,
  evalues,
  hochberg,
  jeffreys,
  mcnemarAsymptotic,
  mcnemarExactTwoSided,
  mcnemarMidPTwoSided,
  newcombe,
  newcombePaired,
  pairedVariance,
  pairsNeeded,
  uniformSequence,
  wald,
  waldPaired,
  wilcoxon,
  wilsonCorrected,
} from "./textbook.ts";

const shared = new URL("../../../shared/", import.meta.url);

/** Every field that some method's input has. */
export interface Input {
  readonly p: number | number[];
  readonly df: number;
  readonly t: number | number[];
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
  readonly rows?: number | number[][];
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
  readonly clusters?: number[];
  readonly groups: number[][];
  readonly sorted: number[];
  readonly q: number[];
  readonly B: number;
  readonly k: number;
  readonly K: number;
  readonly delta: number;
  readonly power: number;
  readonly p10: number;
  readonly p01: number;
  readonly info: number[];
  readonly spend: string;
  readonly sigma: number;
  readonly rho: number;
  readonly pattern: number[];
  readonly repeats: number;
  readonly units: number[][];
  readonly metric: string;
  readonly range: number;
  readonly x1: number;
  readonly n1: number;
  readonly x2: number;
  readonly n2: number;
}

export interface Vector {
  readonly id: string;
  readonly method: string;
  readonly input: Input;
  readonly expected: unknown;
  readonly tol: { readonly rel: number; readonly abs: number };
}

export interface Method {
  readonly compute: (input: Input) => unknown;
}

/** What Regrade judges by. */
export const methods: Readonly<Record<string, Method>> = {
  norm_ppf: { compute: ({ p }) => normalQuantile(Number(p)) },
  t_ppf: { compute: ({ p, df }) => studentQuantile(Number(p), df) },
  t_sf: { compute: ({ t, df }) => studentUpperTail(Number(t), df) },
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
      ...mcnemarAsymptotic(b, c),
    }),
  },
  // Here the difference is p10 − p01: what this table calls n10 counts as fixed.
  paired_proportion_ci: {
    compute: ({ n11, n10, n01, n00, level }) => {
      const pairs = { broke: n01, fixed: n10, n: n11 + n10 + n01 + n00 };
      const table = { n11, n10, n01, n00 };
      const diff = (n10 - n01) / pairs.n;
      return {
        tango: { diff, ...tangoInterval(pairs, level) },
        newcombe10: newcombePaired(table, level),
        wald: waldPaired(table, level),
        agresti_min: waldPaired(table, level, 0.5),
      };
    },
  },
  tango_noninferiority_gate: {
    compute: ({ regressions, fixes, n, margin }) => {
      const pairs = { broke: regressions, fixed: fixes, n };
      const { p, lower } = noninferiorityTango(pairs, { margin, alpha: 0.05 });
      const z = tangoScore(pairs, -margin);
      return { diff: (fixes - regressions) / n, z, p, lower95_one_sided: lower };
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
    compute: ({ p }) => adjusted(Array.isArray(p) ? p : [p]),
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
  paired_binary_report: { compute: pairedBinaryReport },
  "proportion_ci.clopper_pearson": { compute: ({ x, n, level }) => clopperPearson(x, n, level) },
  paired_cluster_t: {
    compute: ({ diffs, clusters = [], level }) => clustered(diffs, clusters, level),
  },
  bootstrap_cluster_prng: {
    compute: ({ groups, B, seed, level }) => {
      const values = groups.flat();
      const names = groups.flatMap((group, i) => group.map(() => i));
      const clusters = clustersOf(names, values.length);
      const mean = resampler({ values, clusters }, { kind: "mean" });
      const drawn = bootstrap({ units: clusters.size, draws: B, seed }, mean);
      const { stderr, interval } = summarise(drawn, level);
      return { boot_se: stderr, perc_lower: interval.lower, perc_upper: interval.upper };
    },
  },
  quantile_type7: { compute: ({ sorted, q }) => q.map((p) => quantile(sorted, p)) },
  noninferiority_t: {
    compute: ({ diffs, clusters, margin, alpha }) => {
      const values = clusters ? { values: diffs, clusters } : diffs;
      const summary = clusters
        ? clusterT({ values: diffs, clusters }, 0.9)
        : { ...pairedT(diffs, 0.9), clusters: diffs.length };
      const { p, lower, shown } = noninferiorityT(values, { margin, alpha });
      const t = (summary.mean + margin) / (summary.stderr ?? Number.NaN);
      return { t, df: summary.clusters - 1, p, lower, passed: shown };
    },
  },
  "power.miller_n": {
    // Two-sided, as the drops that are detected are above.
    compute: ({ delta, omega2, sigmaA2, sigmaB2, KA, KB, alpha, power }) =>
      casesNeeded({
        perCaseVariance: omega2 + sigmaA2 / KA + sigmaB2 / KB,
        drop: delta,
        alpha: alpha / 2,
        power,
      }),
  },
  "power.mcnemar_n_connor": {
    compute: ({ p10, p01, alpha, power }) =>
      pairsNeeded({ breaks: p10, fixes: p01 }, { alpha: alpha / 2, power }),
  },
  "power.mcnemar_exact": {
    compute: ({ n, p10, p01, alpha }) =>
      mcnemarPower({ breaks: p10, fixes: p01, n, alpha, test: "exact" }),
  },
  variance_components: {
    compute: ({ rows }) => {
      const of = varianceComponents(Array.isArray(rows) ? rows : []);
      return {
        mean: of.mean,
        MSB: of.meanSquareBetween,
        MSW: of.within,
        sigma2_within: of.within,
        sigma2_between: of.between,
        icc: of.intraclass,
        se_mean: of.stderr,
        se_if_K1: of.stderrAt(1),
        se_if_Kinf: of.stderrAt(Number.POSITIVE_INFINITY),
      };
    },
  },
  pass_at_k: { compute: ({ n, c, k }) => reduceRepeats(attempts(n, c), passing("pass_at_k", k)) },
  pass_hat_k: { compute: ({ n, c, k }) => reduceRepeats(attempts(n, c), passing("pass_hat_k", k)) },
};

/** What it does not judge by, computed with its parts; the last few stand by themselves. */
export const otherMethods: Readonly<Record<string, Method>> = {
  chi2_sf: { compute: ({ x, df }) => (df === 1 ? chiSquareTail(x) : Number.NaN) },
  "proportion_ci.wald": { compute: ({ x, n, level }) => wald(x, n, level) },
  "proportion_ci.wilson_cc": { compute: ({ x, n, level }) => wilsonCorrected(x, n, level) },
  "proportion_ci.beta_uniform": {
    compute: ({ x, n, level }) => betaLimits({ a: x + 1, b: n - x + 1 }, level),
  },
  "proportion_ci.jeffreys": { compute: ({ x, n, level }) => jeffreys(x, n, level) },
  "proportion_ci.agresti_coull": { compute: ({ x, n, level }) => agrestiCoull(x, n, level) },
  "two_proportion_ci.newcombe": {
    compute: ({ x1, n1, x2, n2, level }) =>
      newcombe({ x: x1, n: n1 }, { x: x2, n: n2 }, { level, phi: 0 }),
  },
  miller_variance_identity: { compute: ({ a, b }) => pairedVariance([a].flat(), [b].flat()) },
  wilcoxon_exact: { compute: ({ diffs }) => wilcoxon(diffs) },
  evalue_discordant: { compute: ({ regressions, fixes }) => evalues(regressions, fixes) },
  confseq_bernoulli: { compute: ({ x, n, alpha }) => uniformSequence(x, n, alpha) },
  "group_sequential.pocock": { compute: ({ K, alpha }) => shaped(K, alpha, () => 1) },
  "group_sequential.obrien_fleming": {
    compute: ({ K, alpha }) => shaped(K, alpha, (share) => 1 / Math.sqrt(share)),
  },
  "group_sequential.lan_demets": {
    compute: ({ alpha, info, spend }) => spendingBounds(alpha, info, spend),
  },
  alpha_spent: {
    compute: ({ alpha, t, spend }) => [t].flat().map((share) => alphaSpent(alpha, share, spend)),
  },
  confseq_normal_mixture_halfwidth: {
    compute: ({ t, sigma, rho, alpha }) => mixtureReach({ t: Number(t), sigma, rho, alpha }),
  },
  confseq_empirical_bernstein: {
    compute: ({ pattern, repeats, alpha, c }) => {
      const values = Array.from({ length: repeats }, () => pattern).flat();
      const limits = empiricalBernstein(values, { alpha, cap: c });
      return { t10: limits[9], t50: limits[49], t100: limits[99] };
    },
  },
  hoeffding_halfwidth: {
    compute: ({ n, alpha, range }) => range * Math.sqrt(Math.log(2 / alpha) / (2 * n)),
  },
  krippendorff_alpha: { compute: ({ units, metric }) => agreement(units, metric) },
};

function clustered(diffs: number[], clusters: number[], level: number): unknown {
  const less = clusterT({ values: diffs, clusters }, level);
  const greater = clusterT({ values: negated(diffs), clusters }, level).pLess;
  return {
    mean: less.mean,
    se: less.stderr,
    df: less.clusters - 1,
    ...less.interval,
    t: less.mean / (less.stderr ?? Number.NaN),
    p_two: 2 * Math.min(less.pLess, greater),
    p_less: less.pLess,
    p_greater: greater,
  };
}

function adjusted(p: readonly number[]): unknown {
  const harmonic = p.reduce((sum, _, i) => sum + 1 / (i + 1), 0);
  const all = {
    bonferroni: p.map((each) => Math.min(1, each * p.length)),
    holm: holm(p, p.length),
    hochberg: hochberg(p),
    bh: benjaminiHochberg(p),
    by: benjaminiHochberg(p.map((each) => each * harmonic)).map((each) => Math.min(1, each)),
  };
  const rejected = (name: keyof typeof all): number =>
    all[name].filter((each) => each <= 0.05).length;
  return {
    ...all,
    rejected_at_05: {
      bonferroni: rejected("bonferroni"),
      holm: rejected("holm"),
      hochberg: rejected("hochberg"),
      bh: rejected("bh"),
    },
  };
}

function pairedBinaryReport({ file, rows, baseline, candidate }: Input): unknown {
  const differences = differencesIn(file, { baseline, candidate }).slice(
    0,
    typeof rows === "number" ? rows : undefined,
  );
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
    newcombe10: newcombePaired(
      { n11: count("11"), n10: pairs.fixed, n01: pairs.broke, n00: count("00") },
      0.95,
    ),
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

function attempts(n: number, passed: number): number[] {
  return Array.from({ length: n }, (_, i) => (i < passed ? 1 : 0));
}

function passing<Kind extends "pass_at_k" | "pass_hat_k">(kind: Kind, k: number) {
  return { kind, k, pass: 1 } as const;
}
