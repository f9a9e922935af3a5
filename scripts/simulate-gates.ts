import { repeats, simulated } from "./simulate-gates/five-repeats.ts";
import {
  type Blocked,
  exactly,
  gateThresholds,
  type Thresholds,
} from "./simulate-gates/one-repeat.ts";

/**
 * How often different rules block a pull request: the figures of docs/verdict.md. `node scripts/simulate-gates.ts` takes a
 * minute or two and always prints the same; a number after it is that of the seeded runs a cell.
 *
 * Each case has a chance of its own to be answered right, drawn from a beta distribution with mean 0.8; two runs of
 * the same candidate then disagree on 12 % of the cases, as runs of a model with a temperature do. A drop
 * loses some cases outright, and the others not at all. With one repeat the figures are exact: every number of broken and fixed cases is
 * judged by the gate itself. With five, seeded runs go through the gate's comparison and decision. `confirmed`: the cases
 * that differed run again on both sides, and only their fresh results decide, at alpha 0.2.
 */
const runs = Number(process.argv[2] ?? 20_000);
const sizes = [50, 100, 200, 500];

const rules: Readonly<Record<keyof Blocked, string>> = {
  below_baseline: "head below baseline",
  below_mean: "head below 0.80",
  two_points: "drop of 2 points",
  gate: "regrade's default",
  confirmed: "the same, confirmed",
};

const thresholds = new Map<number, Thresholds>(sizes.map((n) => [n, gateThresholds(n)]));

for (const loss of [0, 0.05, 0.1]) {
  console.log(loss === 0 ? "nothing changed" : `a real drop of ${loss * 100} points`);
  print("1 repeat", (n) => exactly(n, loss, thresholds.get(n) ?? gateThresholds(n)));
  print(`${repeats} repeats`, (n) => simulated(runs, { n, loss }));
}

function print(title: string, blockedAt: (n: number) => Blocked): void {
  const columns = sizes.map(blockedAt);
  console.log(`  ${title.padEnd(20)} ${sizes.map((n) => `n=${n}`.padStart(7)).join(" ")}`);
  for (const [rule, name] of Object.entries(rules)) {
    const shares = columns.map((column) => share(new Map(Object.entries(column)).get(rule) ?? 0));
    console.log(`    ${name.padEnd(18)} ${shares.join(" ")}`);
  }
}

function share(value: number): string {
  return `${(100 * value).toFixed(1)} %`.padStart(7);
}
