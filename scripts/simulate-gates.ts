import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { type Cell, type Figures, readFigures, writeFigures } from "./document-statistics.ts";
import {
  evidenceCells,
  resimulateRepeats,
  simulateEvidence,
  simulateNoDrop,
} from "./simulate-gates/evidence.ts";
import { againstCells, simulateAgainst } from "./simulate-gates/against.ts";
import { simulateAll } from "./simulate-gates/cell.ts";
import { judgedCells, simulateJudged } from "./simulate-gates/judged.ts";
import { simulatePooled } from "./simulate-gates/pooled.ts";
import { simulateLooks } from "./simulate-gates/two-looks.ts";
import { repeats, simulated } from "./simulate-gates/five-repeats.ts";
import { fiveVerdicts } from "./simulate-gates/five-verdicts.ts";
import {
  type Blocked,
  exactly,
  gateThresholds,
  type Thresholds,
} from "./simulate-gates/one-repeat.ts";

/**
 * How often different rules block a pull request: the figures of docs/statistics.md and docs/verdict.md.
 * `node scripts/simulate-gates.ts` takes some minutes and always prints the same; a number after it is that of the seeded
 * runs a cell. With `--write` it keeps the figures, and writes them into docs/statistics.md. With `--no-drop` it simulates the rules
 * with `prove: no_drop` alone, and leaves the other figures as they are; with `--repeats` those of several repeats a case,
 * with `--pooled` those of several earlier runs, with `--two-looks` those of two looks, with `--judged` those of a judge's error,
 * with `--against` those of candidates of one run. `--cell "5 earlier runs, 50 cases: neutral" 40000` prints the cells whose names begin so,
 * from so many seeded runs each, and keeps nothing.
 *
 * Each case has a chance of its own to be answered right, drawn from a beta distribution with mean 0.8; two runs of the
 * same candidate then disagree on 12 % of the cases, as runs of a model with a temperature do. A drop loses some cases
 * outright, and the others not at all. With one repeat the figures are exact: every number of broken and fixed cases is
 * judged by the gate itself. With five, seeded runs go through the gate's comparison and decision. `confirmed`: the cases
 * that differed run again on both sides, and only their fresh results decide, at alpha 0.2.
 */
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean" },
    cell: { type: "string" },
    "no-drop": { type: "boolean" },
    repeats: { type: "boolean" },
    pooled: { type: "boolean" },
    "two-looks": { type: "boolean" },
    judged: { type: "boolean" },
    against: { type: "boolean" },
  },
});
const root = dirname(import.meta.dirname);
const runs = Number(positionals[0] ?? 20_000);
const repeatedRuns = Math.ceil(runs / 8);
const sizes = [50, 100, 200, 500];

const rules: Readonly<Record<keyof Blocked, string>> = {
  below_baseline: "head below baseline",
  below_mean: "head below 0.80",
  two_points: "drop of 2 points",
  gate: "regrade's default",
  confirmed: "the same, confirmed",
};

const thresholds = new Map<number, Thresholds>(sizes.map((n) => [n, gateThresholds(n)]));

if (flags.cell === undefined) await simulateFigures();
else simulateCells(flags.cell);

async function simulateFigures(): Promise<void> {
  const found = await (partAsked()?.() ?? simulateEverything());
  if (flags.write) await writeFigures(root, found);
}

function partAsked(): (() => Promise<Figures>) | undefined {
  if (flags["no-drop"]) return withNoDrop;
  if (flags.repeats) return withRepeats;
  if (flags.pooled) return withPooled;
  if (flags["two-looks"]) return withLooks;
  if (flags.judged) return withJudged;
  return flags.against ? withAgainst : undefined;
}

function simulateCells(beginning: string): void {
  const all = [...evidenceCells, ...againstCells, ...judgedCells];
  const cells = all.filter(({ name }) => name.startsWith(beginning));
  if (cells.length > 0) {
    for (const figures of simulateAll(cells, runs)) console.log(JSON.stringify(figures));
    return;
  }
  const names = all.map(({ name }) => `  ${name}`).join("\n");
  console.error(`no cell begins with "${beginning}"; there are\n${names}`);
  process.exitCode = 2;
}

function simulateEverything(): Figures {
  const cells: Cell[] = [];
  for (const loss of [0, 0.05, 0.1]) {
    console.log(loss === 0 ? "nothing changed" : `a real drop of ${loss * 100} points`);
    const once = (n: number): Blocked => exactly(n, loss, thresholds.get(n) ?? gateThresholds(n));
    cells.push(...measure({ loss, repeats: 1 }, once));
    cells.push(...severalRepeats(loss));
  }
  const verdicts = fiveVerdicts(runs);
  console.log("the same data, five verdicts");
  for (const [rule, said] of Object.entries(verdicts))
    console.log(`  ${rule}: ${JSON.stringify(said)}`);
  const evidence = simulateEvidence(Math.ceil(runs / 10));
  const { detectable, neutral, noise, no_drop } = evidence;
  printCells("what the gate says of its evidence", [...detectable, ...neutral, ...noise]);
  printCells("prove: no_drop", no_drop);
  printCells("several repeats", evidence.repeats.cells);
  printCells("several earlier runs", [...evidence.pooled.cells, ...evidence.pooled.stored]);
  printCells("two looks", evidence.looks.cells);
  const judged = simulateJudged(Math.ceil(runs / 5));
  printCells("a judge's error", judged.cells);
  const against = simulateAgainst(Math.ceil(runs / 4));
  printCells("candidates of one run", against.cells);
  return { runs: repeatedRuns, cells, verdicts, evidence, judged, against };
}

function severalRepeats(loss: number): readonly Cell[] {
  return measure({ loss, repeats }, (n) => simulated(repeatedRuns, { n, loss }));
}

async function withRepeats(): Promise<Figures> {
  const figures = await readFigures(root);
  const once = figures.cells.filter((cell) => cell.repeats === 1);
  const cells = [0, 0.05, 0.1].flatMap((loss) =>
    once.filter((cell) => cell.loss === loss).concat(severalRepeats(loss)),
  );
  const evidence = resimulateRepeats(figures.evidence, Math.ceil(runs / 10));
  printCells("several repeats", evidence.repeats.cells);
  return { ...figures, runs: repeatedRuns, cells, evidence };
}

async function withNoDrop(): Promise<Figures> {
  const figures = await readFigures(root);
  const no_drop = simulateNoDrop(Math.ceil(runs / 10));
  printCells("prove: no_drop", no_drop);
  return { ...figures, evidence: { ...figures.evidence, no_drop } };
}

async function withLooks(): Promise<Figures> {
  const figures = await readFigures(root);
  const looks = simulateLooks(2 * runs);
  printCells("two looks", looks.cells);
  return { ...figures, evidence: { ...figures.evidence, looks } };
}

async function withJudged(): Promise<Figures> {
  const figures = await readFigures(root);
  const judged = simulateJudged(Math.ceil(runs / 5));
  printCells("a judge's error", judged.cells);
  return { ...figures, judged };
}

async function withAgainst(): Promise<Figures> {
  const figures = await readFigures(root);
  const against = simulateAgainst(Math.ceil(runs / 4));
  printCells("candidates of one run", against.cells);
  return { ...figures, against };
}

async function withPooled(): Promise<Figures> {
  const figures = await readFigures(root);
  const pooled = simulatePooled(Math.ceil(runs / 2));
  printCells("several earlier runs", [...pooled.cells, ...pooled.stored]);
  return { ...figures, evidence: { ...figures.evidence, pooled } };
}

function printCells(title: string, all: readonly object[]): void {
  console.log(title);
  for (const cell of all) console.log(`  ${JSON.stringify(cell)}`);
}

function measure(
  kind: Pick<Cell, "loss" | "repeats">,
  blockedAt: (n: number) => Blocked,
): readonly Cell[] {
  const columns = sizes.map((n): Cell => ({ n, ...kind, blocked: rounded(blockedAt(n)) }));
  print(`${kind.repeats} repeat${kind.repeats === 1 ? "" : "s"}`, columns);
  return columns;
}

function rounded(blocked: Blocked): Blocked {
  return {
    below_baseline: toDigits(blocked.below_baseline),
    below_mean: toDigits(blocked.below_mean),
    two_points: toDigits(blocked.two_points),
    gate: toDigits(blocked.gate),
    confirmed: toDigits(blocked.confirmed),
  };
}

/** Rounds to five decimals, more than 20,000 runs determine. */
function toDigits(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}

function print(title: string, columns: readonly Cell[]): void {
  console.log(`  ${title.padEnd(20)} ${sizes.map((n) => `n=${n}`.padStart(7)).join(" ")}`);
  for (const [rule, name] of Object.entries(rules)) {
    const shares = columns.map(({ blocked }) =>
      share(new Map(Object.entries(blocked)).get(rule) ?? 0),
    );
    console.log(`    ${name.padEnd(18)} ${shares.join(" ")}`);
  }
}

function share(value: number): string {
  return `${(100 * value).toFixed(1)} %`.padStart(7);
}
