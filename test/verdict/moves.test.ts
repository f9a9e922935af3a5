import { describe, expect, it } from "vitest";
import type { LedgerGroup } from "../../src/model/figures/ledger.ts";
import type { MetricSpec } from "../../src/model/definition/suite.ts";
import { findMoves } from "../../src/verdict/moves.ts";
import { qa, times, type Case } from "../gate/sides.ts";

interface Grading {
  readonly name: string;
  readonly stored: readonly Case[];
  readonly again: readonly Case[];
  readonly given?: readonly [number, number];
  readonly spec?: Partial<MetricSpec>;
  /** What moved: the stored value, and the new one. */
  readonly moves: readonly (readonly [number, number])[];
}

const graded = { scale: "graded" as const };
const mixed = (wrong: number): readonly Case[] => [...times(wrong, 0), ...times(40 - wrong, 1)];

describe("outputs that are graded twice", () => {
  it.each<Grading>([
    { name: "alike", stored: mixed(4), again: mixed(4), moves: [] },
    // Wilson's 95 % interval of 36 in 40 goes from 76.9 % to 96.0 %.
    { name: "within the interval's lower end", stored: mixed(4), again: mixed(9), moves: [] },
    { name: "below it", stored: mixed(4), again: mixed(10), moves: [[0.9, 0.75]] },
    { name: "above it", stored: mixed(4), again: mixed(1), moves: [[0.9, 0.975]] },
    { name: "all right, then one wrong", stored: mixed(0), again: mixed(1), moves: [] },
    { name: "all right, then all wrong", stored: mixed(0), again: mixed(40), moves: [[1, 0]] },
    { name: "one case alone", stored: [1], again: [0], moves: [[1, 0]] },
    {
      name: "a graded score that all cases share, a little lower",
      stored: times(40, 0.5),
      again: times(40, 0.48),
      spec: graded,
      moves: [],
    },
    {
      name: "a graded score that all cases share, without a range",
      stored: times(40, 0.5),
      again: times(40, 0.48),
      spec: { ...graded, range: null },
      moves: [[0.5, 0.48]],
    },
    {
      name: "with a rounding error alone",
      stored: times(40, 0.3),
      again: times(40, 0.1 + 0.2),
      spec: { ...graded, range: null },
      moves: [],
    },
    { name: "and not at all any more", stored: mixed(4), again: times(40, "ungraded"), moves: [] },
    {
      name: "with a number for all cases together, a little lower",
      stored: mixed(4),
      again: mixed(4),
      given: [0.9, 0.85],
      moves: [],
    },
    {
      name: "with a number for all cases together, far lower",
      stored: mixed(4),
      again: mixed(4),
      given: [0.9, 0.2],
      moves: [[0.9, 0.2]],
    },
  ])("$name", ({ stored, again, given, spec = {}, moves }) => {
    const [before, after] = [given?.[0], given?.[1]].map((em) => (em === undefined ? {} : { em }));
    const base = qa(stored, { metrics: [spec], ...(given && before && { given: before }) });
    const head = qa(again, { metrics: [spec], ...(given && after && { given: after }) });
    const task = base.tasks["qa"];
    if (task === undefined) throw new Error("no task");
    const found = findMoves({
      stored: groupOf(base),
      regraded: groupOf(head),
      base: task,
      metrics: task.metrics,
      hasAttempts: false,
    });
    expect(found.map((move) => [move.stored, move.regraded])).toEqual(
      moves.map(([from, to]) => [expect.closeTo(from, 9), expect.closeTo(to, 9)]),
    );
  });
});

function groupOf({ ledger }: ReturnType<typeof qa>): LedgerGroup {
  const group = ledger.group("qa", "main");
  if (group === undefined) throw new Error("no samples");
  return group;
}
