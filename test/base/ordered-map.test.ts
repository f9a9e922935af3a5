import { describe, expect, it } from "vitest";
import type { ScoreRow } from "../../src/model/outcomes/sample.ts";
import { createReorderBuffer, type ReorderBuffer } from "../../src/base/ordered-map.ts";

function row(caseId: string): ScoreRow {
  return {
    task: "qa",
    case_id: caseId,
    content: "",
    candidate: "main",
    repeat: 0,
    outcome: "scored",
    scores: {},
    cluster: null,
    slices: {},
  };
}

function added(steps: (order: ReorderBuffer<ScoreRow>) => void): string[] {
  const seen: string[] = [];
  steps(createReorderBuffer<ScoreRow>((each) => seen.push(each.case_id)));
  return seen;
}

describe("rows in the order of the plan", () => {
  it("come out the same, whichever sample finishes first", () => {
    const forwards = added((order) => [0, 1, 2, 3].forEach((i) => order.put(i, row(`case-${i}`))));
    const mixed = added((order) => [2, 0, 3, 1].forEach((i) => order.put(i, row(`case-${i}`))));
    expect(mixed).toEqual(forwards);
  });

  it("keep what waits behind a gap when a run is stopped", () => {
    const seen = added((order) => {
      [5, 0, 3].forEach((i) => order.put(i, row(`case-${i}`)));
      order.flush();
    });
    expect(seen).toEqual(["case-0", "case-3", "case-5"]);
  });
});
