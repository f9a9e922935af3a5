import type { MetricNoise, RuleCalibration } from "../../model/figures/calibration.ts";
import { isBeyondReach, manyRepeats, roundUp } from "../../model/figures/detectable.ts";
import { statistics } from "../../stats/statistics.ts";
import { count, counted, distance, figure, percentName } from "../../report/words/figures.ts";
import { fewestBroken } from "../../plan/detectable.ts";
import { casesFor, smallestRepeated, type Reach } from "../../stats/sizing/reach.ts";
import { spend } from "../../stats/sizing/spend.ts";
import { spendName } from "../../report/terminal/power.ts";

type Figures = Omit<RuleCalibration, "advice">;

interface Known {
  readonly reach: Reach | undefined;
  /** Noise of the rule's metric over all cases. */
  readonly noise: MetricNoise | undefined;
}

/** z₀.₉₅: chance exceeds it 1 time in 20. */
const oneInTwenty = 1.645;

/** Advice for a more reliable rule, one sentence each. */
export function adviseRule(rule: Figures, known: Known): readonly string[] {
  if (rule.kind === "must_pass") return adviseNamed(rule);
  if (rule.prove === null) return adviseLimit(rule, known.noise);
  // Two candidates may really differ, so a missed rule is no false alarm here.
  if (rule.against !== undefined)
    return [...adviseReach(rule, known), ...adviseCertain(rule, known)];
  if (rule.prove === "nothing" && rule.alarms.count > 0)
    return [
      `\`prove: nothing\` blocked ${ofAll(rule)} in which nothing had changed: it is for metrics that do not vary by chance; remove it, so that a drop has to be proven.`,
    ];
  return [...adviseAlarms(rule), ...adviseReach(rule, known), ...adviseCertain(rule, known)];
}

function ofAll({ alarms, prove }: Figures): string {
  return `${count(alarms.count)} of ${counted(alarms.of, prove === null ? "run" : "pair")}`;
}

/** Advice for a rule about each named case. */
function adviseNamed(rule: Figures): readonly string[] {
  const { count: missed, of } = rule.alarms;
  if (missed === 0) return [];
  return missed === of
    ? [
        `A case that it names fell short in all ${of} runs: fix the case, or remove it from the rule.`,
      ]
    : [
        `A case that it names fell short in ${ofAll(rule)}: \`must_pass\` is for cases with the same result in every run; remove that one, or use \`repeats: ${manyRepeats}\`.`,
      ];
}

/** Advice for an absolute limit: if it lies within the noise, chance alone decides whether it is met. */
function adviseLimit(rule: Figures, noise: MetricNoise | undefined): readonly string[] {
  const { alarms, kind, limit, slice, unit } = rule;
  const never = [
    `All ${counted(alarms.of, "run")} missed it: this is not noise; the suite does not reach ${figure(limit, unit)} at present.`,
  ];
  const always = alarms.count === alarms.of;
  if (noise === undefined || slice !== null) return always ? never : [];
  const reach = oneInTwenty * Math.max(noise.run_sd ?? 0, noise.expected_sd ?? 0);
  const centre = statistics.mean(noise.values);
  if (Math.abs(centre - limit) >= reach) return always ? never : [];
  const safe = kind === "min" ? centre - reach : centre + reach;
  return [
    `The limit of ${figure(limit, unit)} lies within the noise: ${ofAll(rule)} missed it, and their values vary by ± ${distance(reach, unit)}; \`${kind}: ${rounded(safe, kind)}\` would be missed by chance about 1 time in 20.`,
  ];
}

/** Rounds to the side that is missed less often. */
function rounded(value: number, kind: Figures["kind"]): number {
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value) || 1)) - 2);
  const whole = kind === "min" ? Math.floor(value / step) : Math.ceil(value / step);
  return Number((whole * step).toPrecision(3));
}

/** Only a clear excess over the promised rate (alpha) is reported: pairs that share runs are not independent. */
function adviseAlarms(rule: Figures): readonly string[] {
  const { alarms, dealt, alpha, level } = rule;
  if (alpha === null || rule.prove !== "drop" || alarms.ci[0] <= alpha) return [];
  const verb = level === "block" ? "blocked" : "was missed in";
  const isRuns = dealt !== null && dealt.ci[1] < alarms.ci[0];
  return [
    `It ${verb} ${ofAll(rule)} in which nothing had changed, against ${percentName(alpha)} promised: ${isRuns ? "whole runs differ, which more cases or repeats do not cure; find out what changes between runs" : "if cases share a source (one document, one conversation), declare it as `cluster_by`"}.`,
  ];
}

function adviseReach(rule: Figures, { reach, noise }: Known): readonly string[] {
  const { detects, limit, unit, slice, prove } = rule;
  if (reach === undefined || prove === "nothing") return [];
  if (detects === null) return noReach(reach);
  if (!isBeyondReach({ limit, detects })) return [];
  const { n } = reach.noise;
  const asked = distance(limit, unit);
  return [
    `More cases: about ${count(casesFor(limit, reach))} instead of ${count(n)} would prove a drop of ${asked} 4 times in 5.`,
    ...repeatsAdvice(rule, { reach, noise }),
    ...spendAdvice(rule, { reach, noise }),
    `A larger \`${rule.kind}\`: ${counted(n, "case")} can hold a limit of ${roundUp(detects)}; a drop between ${asked} and ${distance(detects, unit)} mostly passes as not proven, whatever limit is set.`,
    ...(slice === null ? namedAdvice(noise) : []),
  ];
}

/**
 * Advice where the detectable drop is unknown: scores without noise, or one number for all cases together. More cases
 * are not advised then.
 */
function noReach({ noise: { n, clusters }, alpha }: Reach): readonly string[] {
  if (statistics.canProve({ n, clusters }, alpha)) return [];
  return clusters === null
    ? [
        `${counted(n, "case")} prove no drop, however large: use more cases, or name those that must never break in \`must_pass\`.`,
      ]
    : [
        `${counted(n, "case")} in ${counted(clusters.count, "cluster")} prove no drop, however large: add more clusters.`,
      ];
}

function repeatsAdvice(rule: Figures, { reach, noise }: Known): readonly string[] {
  const better = reach && smallestRepeated(reach, noise?.repeats ?? 1);
  if (better === undefined) return [];
  return [
    `Repeats: \`repeats: ${manyRepeats}\` would lower the smallest detectable drop from ${distance(rule.detects ?? 0, rule.unit)} to about ${distance(better, rule.unit)}.`,
  ];
}

/** Advice on how to spend as many calls again, the most effective use first. */
function spendAdvice({ unit }: Figures, { reach, noise }: Known): readonly string[] {
  const repeats = noise?.repeats ?? 1;
  if (reach === undefined || noise === undefined) return [];
  const calls = reach.noise.n * repeats;
  const options = spend(reach, { calls, repeats, earlier: 1, repeatable: noise.within !== null });
  const told = options.flatMap(({ detects, ...option }) =>
    detects === null ? [] : [`${spendName(option)} (${distance(detects, unit)})`],
  );
  if (told.length < 2) return [];
  const [first, ...others] = told;
  return [`Twice as many calls detect most as ${first}; otherwise as ${others.join(", or ")}.`];
}

function namedAdvice(noise: MetricNoise | undefined): readonly string[] {
  if (noise?.steady === undefined || noise.steady === null || noise.steady === 0) return [];
  const { steady, values } = noise;
  return [
    `Single cases: ${counted(steady, "case")} had the full score in all ${values.length} runs; those that must never break can be named in \`must_pass\`, where a single one blocks.`,
  ];
}

/** Advice where both runs always agree: a proof demands more than is needed. */
function adviseCertain(rule: Figures, { reach }: Known): readonly string[] {
  if (reach === undefined || rule.disagree !== 0 || !reach.noise.bits) return [];
  if (rule.prove !== "drop") return [];
  const fewest = fewestBroken(reach.alpha);
  const { n } = reach.noise;
  if (fewest / n <= Math.max(rule.limit, 1 / n)) return [];
  return [
    `Not one case changed between runs: a proof takes ${fewest} broken cases (${distance(fewest / n, rule.unit)}), while \`prove: nothing\` would block from ${rule.limit > 0 ? distance(rule.limit, rule.unit) : "the first one"} on.`,
  ];
}
