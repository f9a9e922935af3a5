import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Evidence } from "./simulate-gates/evidence.ts";
import type { Against } from "./simulate-gates/against.ts";
import type { Judged } from "./simulate-gates/judged.ts";
import type { PooledCell } from "./simulate-gates/pooled.ts";
import type { Verdicts } from "./simulate-gates/five-verdicts.ts";

/**
 * Writes the tables of docs/statistics.md from scripts/simulate-gates/figures.json: `node
 * scripts/document-statistics.ts`. The figures come from `node scripts/simulate-gates.ts`.
 */
export async function documentStatistics(root: string): Promise<string> {
  const figures = await readFigures(root);
  const page = await readFile(join(root, "docs/statistics.md"), "utf8");
  const gates = `${table(figures, 0)}\n\n${powerTable(figures)}\n\n${legend(figures)}`;
  const { evidence, verdicts } = figures;
  const texts = {
    gates,
    verdicts: verdictTable(verdicts),
    detectable: detectableTable(evidence),
    neutral: neutralTable(evidence),
    clusters: noiseTable(evidence),
    no_drop: noDropTable(evidence),
    repeats: repeatsTable(evidence),
    pooled: pooledTable(evidence),
    looks: looksTable(evidence),
    judged: judgedTable(figures.judged),
    against: againstTable(figures.against),
  };
  return Object.entries(texts).reduce((filled, [name, text]) => fill(filled, name, text), page);
}

/** Results of the simulation. */
export interface Figures {
  /** Number of seeded runs for each cell with several repeats; cells with one repeat are exact. */
  readonly runs: number;
  readonly cells: readonly Cell[];
  /** Results of five kinds of rules on the same data. */
  readonly verdicts: Verdicts;
  /** Whether the gate's statements about its evidence are true. */
  readonly evidence: Evidence;
  readonly judged: Judged;
  readonly against: Against;
}

export interface Cell {
  readonly n: number;
  readonly repeats: number;
  /** True loss, from 0 to 1. */
  readonly loss: number;
  /** Share of runs that each rule blocks, from 0 to 1. */
  readonly blocked: Readonly<Record<keyof typeof rules, number>>;
}

const rules = {
  below_baseline: "below the baseline",
  below_mean: "below 0.80, its true value",
  two_points: "2 points below the baseline",
  gate: "**Regrade's default rule**",
  confirmed: "**the same, confirmed**",
} as const;

/** The figures stored in the repository. */
export async function readFigures(root: string): Promise<Figures> {
  return JSON.parse(await readFile(fileIn(root), "utf8")) as Figures;
}

/** Stores the figures of a simulation, and writes the page with them. */
export async function writeFigures(root: string, figures: Figures): Promise<void> {
  await writeFile(fileIn(root), `${JSON.stringify(figures, undefined, 2)}\n`);
  await writeFile(join(root, "docs/statistics.md"), await documentStatistics(root));
}

function fileIn(root: string): string {
  return join(root, "scripts/simulate-gates/figures.json");
}

/** Share of runs that each rule blocks at this loss, by repeats and cases. */
function table({ cells }: Figures, loss: number): string {
  const shown = cells.filter((cell) => cell.loss === loss);
  const rows = (Object.keys(rules) as (keyof typeof rules)[]).map(
    (rule) =>
      `| ${rules[rule]} | ${shown.map(({ blocked }) => percent(blocked[rule])).join(" | ")} |`,
  );
  return [head("nothing changed: how often the rule blocks", shown), ...rows].join("\n");
}

function powerTable({ cells }: Figures): string {
  const losses = [...new Set(cells.map(({ loss }) => loss))].filter((loss) => loss > 0);
  const first = cells.filter(({ loss }) => loss === losses[0]);
  const rows = losses.flatMap((loss) =>
    (["gate", "confirmed"] as const).map((rule) => {
      const shares = cells.filter((cell) => cell.loss === loss).map((cell) => cell.blocked[rule]);
      const name = rule === "gate" ? `by ${100 * loss} points` : "the same, confirmed";
      return `| ${name} | ${shares.map(percent).join(" | ")} |`;
    }),
  );
  return [head("it really dropped: how often the default rule blocks", first), ...rows].join("\n");
}

function head(title: string, cells: readonly Cell[]): string {
  const names = cells.map(
    ({ n, repeats }) => `${n} cases${repeats > 1 ? `, ${repeats} repeats` : ""}`,
  );
  return `| ${title} | ${names.join(" | ")} |\n|---|${"--:|".repeat(cells.length)}`;
}

function legend({ runs }: Figures): string {
  const error = (100 * Math.sqrt((0.05 * 0.95) / runs)).toFixed(1);
  return `With one repeat the figures are exact; with several, ${runs.toLocaleString("en-US")} seeded comparisons stand behind each (standard error of a 5 %: ${error} points).`;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

function verdictTable({ bare, intervals, margin, history, gate }: Verdicts): string {
  const [lower, upper] = margin.interval.map((value) => `−${Math.abs(100 * value).toFixed(1)}`);
  const undecided = margin.shown.map(({ share }) => `${(100 * (1 - share)).toFixed(0)} %`);
  const rows = [
    [
      "a bare drop of 2 points",
      said(bare.blocks),
      `${whole(bare.false_alarms)} of unchanged pull requests of this size, too`,
    ],
    [
      "blocks where the 95 % intervals of the two averages don't overlap",
      said(intervals.blocks),
      `20 broken and none fixed of 240 ${intervals.blocks_twenty_broken ? "would be blocked" : "would pass, too"}`,
    ],
    [
      "blocks unless shown to be within 2 points",
      `${margin.says === "undecided" ? "can't decide" : margin.says}: ${lower} to ${upper} points`,
      `so it says of ${undecided[0]} of those that changed nothing; with 1,000 cases still of ${undecided[1]}`,
    ],
    [
      `a t-test of the average against the averages of ${history.runs} earlier runs`,
      `blocks with ${percent(history.blocks)} of such histories`,
      `${percent(history.false_alarms)} of unchanged pull requests; 12 broken and none fixed, or 114 and 102, are the same to it`,
    ],
    [
      "**Regrade's default rule**",
      `**${said(gate.blocks)}**: p = ${gate.p.toFixed(4)}`,
      `${percent(gate.false_alarms)} of unchanged pull requests of this size; ${percent(gate.confirmed)} confirmed`,
    ],
  ];
  return [
    "| rule | says | and |",
    "|---|---|---|",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
}

/** Drops that unchanged runs claim to detect, and the share of such drops that is proven. */
function detectableTable({ detectable, runs, repeated_runs }: Evidence): string {
  const worlds = [...new Set(detectable.map(({ world }) => world))];
  const rows = worlds.map((world) => {
    const cells = [1, 3].flatMap((several) => {
      const cell = detectable.find((one) => one.world === world && one.rules === several);
      return cell === undefined ? ["–", "–"] : [points(cell.detects), percent(cell.proven)];
    });
    return `| ${world} | ${cells.join(" | ")} |`;
  });
  return [
    "| suite | could detect ≥ | proven | with three rules | proven |",
    "|---|--:|--:|--:|--:|",
    ...rows,
    "",
    `${runs.toLocaleString("en-US")} seeded pairs of runs stand behind each figure, of repeats ${repeated_runs.toLocaleString("en-US")} (standard error: ${(100 * Math.sqrt(0.16 / runs)).toFixed(1)} points).`,
  ].join("\n");
}

function neutralTable({ neutral, runs }: Evidence): string {
  const sizes = [...new Set(neutral.map(({ n }) => n))];
  const shares = [...new Set(neutral.map(({ reproduces }) => reproduces))];
  const rows = shares.map((reproduces) => {
    const cells = sizes.map((n) => {
      const cell = neutral.find((one) => one.n === n && one.reproduces === reproduces);
      return cell === undefined ? "–" : `${percent(cell.blocked)}, ${percent(cell.confirmed)}`;
    });
    return `| ${100 * reproduces} % | ${cells.join(" | ")} |`;
  });
  return [
    `| of the changed cases change again in the same way | ${sizes.map((n) => `${n} cases`).join(" | ")} |`,
    `|---|${"--:|".repeat(sizes.length)}`,
    ...rows,
    "",
    `Blocked at first, and blocked after they were run again; ${(10 * runs).toLocaleString("en-US")} seeded changes a cell.`,
  ].join("\n");
}

/** Share of unchanged runs that is blocked. */
function noiseTable({ noise, runs, repeated_runs }: Evidence): string {
  const worlds = [...new Set(noise.map(({ world }) => world))];
  const rows = worlds.map((world) => {
    const cells = [1, 3].map((several) => {
      const cell = noise.find((one) => one.world === world && one.rules === several);
      return cell === undefined ? "–" : percent(cell.blocked);
    });
    return `| ${world} | ${cells.join(" | ")} |`;
  });
  return [
    "| nothing changed | one rule blocks | one of three rules blocks |",
    "|---|--:|--:|",
    ...rows,
    "",
    `${(5 * runs).toLocaleString("en-US")} seeded pairs of runs a figure, of repeats ${repeated_runs.toLocaleString("en-US")}.`,
  ].join("\n");
}

/** Results of `prove: no_drop` for unchanged runs, and for a drop as large as its limit. */
function noDropTable({ no_drop, runs }: Evidence): string {
  return [
    "| suite | `max_drop` | unchanged: passes | unchanged: fails | dropped by `max_drop`: passes |",
    "|---|--:|--:|--:|--:|",
    ...no_drop.map(
      ({ world, limit, passed, failed, wrong }) =>
        `| ${world} | ${limit} | ${percent(passed)} | ${percent(failed)} | ${percent(wrong)} |`,
    ),
    "",
    `${runs.toLocaleString("en-US")} seeded pairs of runs a figure (standard error of a 5 %: ${(100 * Math.sqrt(0.0475 / runs)).toFixed(1)} points).`,
  ].join("\n");
}

/** Benefit and cost of weighting by repeats. */
function repeatsTable({ repeats: { cells: all, runs } }: Evidence): string {
  const sizes = [...new Set(all.map(({ n }) => n))];
  const rows = [...new Set(all.map(({ change }) => change))].map((change) => {
    const cells = sizes.map((n) => {
      const cell = all.find((one) => one.change === change && one.n === n);
      return cell === undefined
        ? "–"
        : `${percent(cell.mean)} → **${percent(cell.weighted)}** (${percent(cell.shuffled)})`;
    });
    return `| ${change} | ${cells.join(" | ")} |`;
  });
  return [
    `| 5 repeats: blocked by the mean → weighted (shuffled) | ${sizes.map((n) => `${n} cases`).join(" | ")} |`,
    `|---|${"--:|".repeat(sizes.length)}`,
    ...rows,
    "",
    `${runs.toLocaleString("en-US")} seeded pairs of runs a figure (standard error of a 5 %: ${(100 * Math.sqrt(0.0475 / runs)).toFixed(1)} points).`,
  ].join("\n");
}

function pooledFigures(cell: PooledCell | undefined): string {
  if (cell === undefined) return "–";
  return `${percent(cell.mean)} → **${percent(cell.stratified)}** (${percent(cell.shuffled)})`;
}

/** Benefit of stratifying by several earlier runs, and the number of runs worth it. */
function pooledTable({ pooled: { cells, stored, runs } }: Evidence): string {
  const sizes = [...new Set(cells.map(({ n }) => n))];
  const rows = [...new Set(cells.map(({ change }) => change))].map((change) => {
    const shown = sizes.map((n) =>
      pooledFigures(cells.find((one) => one.change === change && one.n === n)),
    );
    return `| ${change} | ${shown.join(" | ")} |`;
  });
  return [
    `| 5 earlier runs: blocked by the mean → stratified (shuffled alone) | ${sizes.map((n) => `${n} cases`).join(" | ")} |`,
    `|---|${"--:|".repeat(sizes.length)}`,
    ...rows,
    "",
    `| 5 points lost by cases that break for good, 100 cases | ${stored.map(({ earlier }) => `${earlier} earlier run${earlier === 1 ? "" : "s"}`).join(" | ")} |`,
    `|---|${"--:|".repeat(stored.length)}`,
    `| blocked | ${stored.map(({ stratified }) => percent(stratified)).join(" | ")} |`,
    "",
    `${runs.toLocaleString("en-US")} seeded pairs a figure (standard error of a 5 %: ${(100 * Math.sqrt(0.0475 / runs)).toFixed(1)} points).`,
  ].join("\n");
}

/** Rules with two looks, which the page compares to explain why Regrade offers none. */
function looksTable({ looks: { cells, runs } }: Evidence): string {
  const rows = cells.map(
    ({ change, n, confirmed, twice, halves, spent }) =>
      `| ${change} | ${n} | ${[confirmed, twice, halves, spent].map(percent).join(" | ")} |`,
  );
  return [
    "| change | cases | one look, confirmed | two looks at 0.2 | two halves at 0.2 | first level by what comes again |",
    "|---|--:|--:|--:|--:|--:|",
    ...rows,
    "",
    `${runs.toLocaleString("en-US")} seeded changes a cell.`,
  ].join("\n");
}

function judgedTable({ cells, runs }: Judged): string {
  const rows = cells.map((cell) => {
    const judge = `${whole(cell.sensitivity)}, ${whole(cell.specificity)}`;
    const shares = [
      cell.mean,
      cell.mean_corrected,
      cell.loss,
      cell.loss_corrected,
      cell.passed,
      cell.passed_counted,
      cell.neutral,
      cell.stricter,
    ];
    return `| ${judge} | ${cell.labels} | ${shares.map(percent).join(" | ")} |`;
  });
  return [
    "| Se, Sp | labels | 95 % interval of the mean holds people's | corrected | 90 % interval of a loss of 10 points holds it | in people's scores | `no_drop` passes a loss at its limit | its error counted | a neutral change is blocked | where the judge is stricter with it |",
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ...rows,
    "",
    `${runs.toLocaleString("en-US")} seeded runs a cell, of 400 cases.`,
  ].join("\n");
}

function againstTable({ cells, runs }: Against): string {
  const kinds = new Map(cells.map((cell) => [`${cell.change} ${cell.candidates}`, cell]));
  const rows = [...kinds.values()].map(({ change, candidates }) => {
    const row = cells.filter((cell) => cell.change === change && cell.candidates === candidates);
    const shares = row.map(({ blocked }) => percent(blocked));
    return `| ${change} | ${candidates} | ${shares.join(" | ")} |`;
  });
  return [
    "| no candidate is worse than the reference | candidates | 50 cases | 100 cases | 200 cases |",
    "|---|--:|--:|--:|--:|",
    ...rows,
    "",
    `${runs.toLocaleString("en-US")} seeded runs a figure.`,
  ].join("\n");
}

function points(share: number): string {
  return (100 * share).toFixed(1);
}

function said(blocks: boolean): string {
  return blocks ? "blocks" : "passes";
}

function whole(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function fill(page: string, name: string, text: string): string {
  const marks = [
    `<!-- ${name}: generated by scripts/simulate-gates.ts -->`,
    `<!-- end of ${name} -->`,
  ] as const;
  const [start, end] = [page.indexOf(marks[0]), page.indexOf(marks[1])];
  if (start < 0 || end < start)
    throw new Error(`docs/statistics.md lacks the lines ${marks.join(" and ")}`);
  return `${page.slice(0, start)}${marks[0]}\n\n${text}\n\n${page.slice(end)}`;
}

if (import.meta.main) {
  const root = dirname(import.meta.dirname);
  await writeFile(join(root, "docs/statistics.md"), await documentStatistics(root));
}
