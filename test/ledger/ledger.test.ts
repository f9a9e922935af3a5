import { describe, expect, it } from "vitest";
import { countedScore } from "../../src/model/outcomes/counted-score.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import type { ScoreRow } from "../../src/model/outcomes/sample.ts";
import { loadRunShapes } from "../../src/store/shapes.ts";

const row: ScoreRow = {
  task: "qa",
  case_id: "a",
  content: "0123456789abcdef",
  candidate: "main",
  repeat: 0,
  outcome: "scored",
  scores: { em: 1 },
  cluster: "p1",
  slices: { language: "de" },
  measured: { latency_seconds: 1.5, input_tokens: 10, output_tokens: 3, usd: 0.001 },
};
const { measured: _, ...unmeasured } = row;

describe("a ledger", () => {
  const rows: readonly ScoreRow[] = [
    row,
    { ...row, repeat: 1, scores: { f1: 0.5 }, measured: { latency_seconds: 2 } },
    { ...unmeasured, case_id: "b", outcome: "failed", scores: {}, cluster: null, slices: {} },
    { ...row, case_id: "c", outcome: "invalid", scores: {}, measured: { usd: 0 } },
    { ...row, case_id: "d", judged_by: "fedcba9876543210" },
  ];
  const ledger = createLedger();
  for (const one of rows) ledger.add(one);
  const group = ledger.group("qa", "main");
  if (group === undefined) throw new Error("the group was added");

  it("gives back every row as it was, and as a file of scores may hold it", async () => {
    const { scoreShape } = await loadRunShapes();
    const back = rows.map((_row, i) => group.row(i));
    expect(back).toEqual(rows);
    for (const one of back) expect(scoreShape.is(JSON.parse(JSON.stringify(one)))).toBe(true);
    expect(scoreShape.is({ ...row, measured: { latency_seconds: -1 } })).toBe(false);
    expect(scoreShape.is({ ...row, measured: { minutes: 1 } })).toBe(false);
  });

  it("keeps a case once, however many samples it has", () => {
    expect(group.caseIds()).toEqual(["a", "b", "c", "d"]);
    expect([0, 1, 2, 3, 4].map(group.caseAt)).toEqual([0, 0, 1, 2, 3]);
    expect(group.slices(0)).toBe(group.slices(3));
    expect(group.sliceCombinations()).toEqual([{ language: "de" }, {}]);
  });

  it.each([
    ["em", [1, 0, -1, 0, 1]],
    ["latency_seconds", [1.5, 2, -1, undefined, 1.5]],
    ["usd", [0.001, undefined, -1, 0, 0.001]],
  ] as const)("counts samples in %s", (id, expected) => {
    const metric = { id, substitutes: { invalid: 0, failed: -1, range: null } };
    expect(rows.map((_row, i) => countedScore(group, i, metric))).toEqual(expected);
  });
});

const place = { task: "t", candidate: "a" };

function sampleRow(i: number, scores: ScoreRow["scores"] = {}): ScoreRow {
  return {
    ...place,
    case_id: `c${i}`,
    content: "h",
    repeat: 0,
    outcome: "scored",
    scores,
    cluster: null,
    slices: {},
  };
}

function filled() {
  const ledger = createLedger();
  ledger.add(sampleRow(0, { x: 1 }));
  ledger.add(sampleRow(1));
  ledger.add(sampleRow(2, { x: 3, y: 0 }));
  return ledger;
}

describe("amend", () => {
  it("puts other scores in the place of a sample's, and leaves the others alone", () => {
    const ledger = filled();
    ledger.amend({ ...place, i: 1 }, { outcome: "invalid", scores: { z: 0.5 } });
    ledger.amend({ ...place, i: 2 }, { outcome: "scored", scores: { y: 1 } });
    const group = ledger.group("t", "a");
    expect([0, 1, 2].map((i) => [group?.outcome(i), group?.row(i).scores])).toEqual([
      ["scored", { x: 1 }],
      ["invalid", { z: 0.5 }],
      ["scored", { y: 1 }],
    ]);
    ledger.add(sampleRow(3, { z: 2 }));
    expect([0, 1, 2, 3].map((i) => group?.score(i, "z"))).toEqual([undefined, 0.5, undefined, 2]);
  });

  it("refuses a sample that is not there", () => {
    const ledger = filled();
    const amend = () => ledger.amend({ ...place, i: 3 }, { outcome: "scored", scores: {} });
    expect(amend).toThrow(RangeError);
  });
});

describe("give", () => {
  it("keeps what a batch grader gave beside the samples", () => {
    const ledger = filled();
    ledger.give({ ...place, metrics: { f1: 0.25 }, dropped: ["acc"] });
    const group = ledger.group("t", "a");
    expect(group?.given("f1")).toBe(0.25);
    expect(group?.given("acc")).toBeUndefined();
    expect(group?.given("toString")).toBeUndefined();
    expect(group?.givenIds()).toEqual(["acc", "f1"]);
    expect(group?.scoreIds()).toEqual(["x", "y"]);
  });
});
