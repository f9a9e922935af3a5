import { mcnemarMidP } from "../src/metrics/mcnemar.ts";
import { sfc32 } from "../src/metrics/sfc32.ts";

/**
 * How often different rules block a pull request, by simulation: the figures of docs/verdict.md.
 * `node scripts/simulate-gates.ts` takes about a minute and always prints the same.
 *
 * Each case has a chance of its own to be answered right, drawn from a beta distribution with mean 0.8; two runs of
 * the same candidate then disagree on 12 % of the cases, as runs of a model with a temperature do.
 */
const runs = 20_000;
const sizes = [50, 100, 200, 500];
const shape = { right: 0.48, wrong: 0.12 };
const limit = 0.02;
const alpha = 0.05;

const random = sfc32([1, 2, 3]);
const uniform = (): number => (random() + 0.5) / 2 ** 32;

interface Seen {
  readonly n: number;
  readonly base: number;
  readonly head: number;
  readonly broke: number;
  readonly fixed: number;
}

const rules: Readonly<Record<string, (seen: Seen) => boolean>> = {
  "head below baseline": ({ base, head }) => head < base,
  "head below 0.80": ({ n, head }) => head < 0.8 * n,
  "drop of 2 points": ({ n, base, head }) => isLimitReached(base - head, n),
  "regrade's default": ({ n, base, head, broke, fixed }) =>
    isLimitReached(base - head, n) && mcnemarMidP(broke, fixed) < alpha,
};

/** Met up to rounding, as in the gate. */
function isLimitReached(lost: number, n: number): boolean {
  return lost / n >= limit - 1e-9;
}

/** M. D. Jöhnk's rejection, Metrika 8 (1964), 5–15: suits parameters below 1. */
function drawChance(): number {
  for (;;) {
    const x = uniform() ** (1 / shape.right);
    const y = uniform() ** (1 / shape.wrong);
    if (x + y <= 1 && x + y > 0) return x / (x + y);
  }
}

/** One comparison of `n` cases; `loss` is taken from every case's chance, relative to it. */
function compare(n: number, loss: number): Seen {
  let [base, head, broke, fixed] = [0, 0, 0, 0];
  for (let i = 0; i < n; i += 1) {
    const chance = drawChance();
    const before = uniform() < chance;
    const after = uniform() < chance * (1 - loss / 0.8);
    if (before) base += 1;
    if (after) head += 1;
    if (before && !after) broke += 1;
    if (!before && after) fixed += 1;
  }
  return { n, base, head, broke, fixed };
}

for (const loss of [0, 0.05, 0.1]) {
  console.log(loss === 0 ? "nothing changed" : `a real drop of ${loss * 100} points`);
  const rows = new Map(Object.keys(rules).map((name): [string, number[]] => [name, []]));
  for (const n of sizes) {
    const counts = new Map<string, number>();
    for (let run = 0; run < runs; run += 1) {
      const seen = compare(n, loss);
      for (const [name, blocks] of Object.entries(rules))
        if (blocks(seen)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const [name, shares] of rows) shares.push((counts.get(name) ?? 0) / runs);
  }
  for (const [name, shares] of rows)
    console.log(
      `  ${name.padEnd(20)} ${shares.map((share) => `${(100 * share).toFixed(1)} %`.padStart(7)).join(" ")}`,
    );
}
