import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { documentStatistics, readFigures } from "../../scripts/document-statistics.ts";
import { fiveVerdicts } from "../../scripts/simulate-gates/five-verdicts.ts";
import { exactly, gateThresholds } from "../../scripts/simulate-gates/one-repeat.ts";

const figures = await readFigures(".");

describe("docs/statistics.md", () => {
  it("has the table of the figures that the simulation found (node scripts/document-statistics.ts)", async () => {
    expect(await documentStatistics(".")).toBe(await readFile("docs/statistics.md", "utf8"));
  });

  it("has figures of the gate as it is", () => {
    for (const { n, loss, repeats, blocked } of figures.cells) {
      if (repeats > 1 || n > 100) continue;
      expect(blocked.gate).toBeCloseTo(exactly(n, loss, gateThresholds(n)).gate, 4);
    }
  });
});

function ends(values: readonly number[]): readonly number[] {
  return [Math.min(...values), Math.max(...values)].map(Math.round);
}

it("docs/suite.md quotes the figures of the rules that it names", async () => {
  const text = (await readFile("docs/suite.md", "utf8")).replaceAll(/\s+/g, " ");
  const quoted =
    /with (\d+) to (\d+) cases, asked once each, of 100 .*?"below the baseline" blocks (\d+) to (\d+), and "2 points below it" (\d+) to (\d+),.*? This one blocks (\d+) to (\d+)\./.exec(
      text,
    );
  const once = figures.cells.filter(({ loss, repeats }) => loss === 0 && repeats === 1);
  const of = (rule: "below_baseline" | "two_points" | "gate"): readonly number[] =>
    ends(once.map(({ blocked }) => 100 * blocked[rule]));
  expect(quoted?.slice(1).map(Number)).toEqual([
    ...ends(once.map(({ n }) => n)),
    ...of("below_baseline"),
    ...of("two_points"),
    ...of("gate"),
  ]);
});

it.each(figures.evidence.no_drop)(
  "prove: no_drop, $world, within $limit: fails at most 5.5 % of what changed nothing",
  ({ failed }) => {
    // Chance adds up to three standard errors.
    const margin = 3 * Math.sqrt((0.05 * 0.95) / figures.evidence.runs);
    expect(failed).toBeLessThan(0.055 + margin);
  },
);

it.each(figures.against.cells)(
  "against: $change, $candidates candidates, $n cases: at most 5.5 % are blocked",
  ({ blocked }) => {
    const margin = 3 * Math.sqrt((0.05 * 0.95) / figures.against.runs);
    expect(blocked).toBeLessThan(0.055 + margin);
  },
);

describe("the same data, five verdicts", () => {
  const found = fiveVerdicts(figures.verdicts.history.draws);

  it("are what the rules of the five kinds say, computed again", () => {
    expect(figures.verdicts).toEqual(found);
  });

  it("are five: only the tested rule blocks it without blocking what changed nothing, or passing what broke", () => {
    expect(found.bare.blocks && found.bare.false_alarms > 0.15).toBe(true);
    expect(found.intervals).toEqual({ blocks: false, blocks_twenty_broken: false });
    expect(found.margin.says).toBe("undecided");
    expect(found.history.blocks).toBeGreaterThan(found.history.false_alarms);
    expect(found.gate).toMatchObject({ blocks: true, p: expect.closeTo(0.0073, 4) });
    expect(found.gate.false_alarms).toBeLessThan(0.055);
    expect(found.gate.confirmed).toBeLessThan(0.015);
  });
});

it.each(figures.cells.filter(({ loss }) => loss === 0))(
  "nothing changed, $n cases, $repeats repeats: at most 5.5 % are blocked, and 1.5 % where they are confirmed",
  ({ repeats, blocked }) => {
    // Of a share that was simulated, chance adds up to three standard errors.
    const margin = repeats === 1 ? 0 : 3 / Math.sqrt(figures.runs);
    expect(blocked.gate).toBeLessThan(0.055 + margin * Math.sqrt(0.05 * 0.95));
    expect(blocked.confirmed).toBeLessThan(0.015 + margin * Math.sqrt(0.01 * 0.99));
    expect(blocked.below_baseline).toBeGreaterThan(0.4);
  },
);

it.each(figures.evidence.detectable)(
  "$world, $rules rules: what an unchanged run says it could detect is proven 76 to 86 times in 100",
  ({ proven }) => {
    expect(proven).toBeGreaterThan(0.76);
    expect(proven).toBeLessThan(0.86);
  },
);

it.each(figures.evidence.noise)(
  "$world, $rules rules: at most 5.5 % of what changed nothing is blocked",
  ({ blocked }) => expect(blocked).toBeLessThanOrEqual(0.055),
);

it.each(figures.evidence.neutral)(
  "a neutral change, $n cases, $reproduces of it comes again: at most 5.5 % are blocked",
  ({ blocked, confirmed }) => {
    expect(blocked).toBeLessThanOrEqual(0.055);
    expect(confirmed).toBeLessThanOrEqual(blocked);
  },
);
