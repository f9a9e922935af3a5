import { describe, expect, it } from "vitest";
import { canBeBaseline } from "../../../src/model/outcomes/chosen.ts";
import type { Run } from "../../../src/model/outcomes/run.ts";

type Left = Partial<Run["suite"]["not_selected"]>;

function run(left: Left, more: Partial<Pick<Run, "status" | "shard">> = {}): Run {
  const not_selected = { tasks: [], candidates: [], ...left };
  return { status: "completed", suite: { not_selected }, ...more } as unknown as Run;
}

const drawn = (selected: number): Left => ({
  cases: [{ task: "qa", selected, of: 240, up_to: 0.5 }],
});
const named: Left = { cases: [{ task: "qa", selected: 3, of: 240, up_to: 1, only: ["a*"] }] };

describe("`--baseline latest` takes", () => {
  it.each<readonly [string, Run, number | undefined, boolean]>([
    ["a run of all cases", run({}), undefined, true],
    ["a run of all cases, for one that draws some", run({}), 20, true],
    ["no run that drew some, for one of all cases", run(drawn(20)), undefined, false],
    ["no run that drew fewer", run(drawn(20)), 30, false],
    ["a run that drew as many", run(drawn(20)), 20, true],
    ["no run of named cases", run(named), undefined, false],
    ["no run of some tasks", run({ tasks: ["other"] }), undefined, false],
    ["no run of some candidates", run({ candidates: ["other"] }), undefined, false],
    ["no stopped run", run({}, { status: "cancelled" }), undefined, false],
  ])("%s", (...[, found, wanted, serves]) => {
    expect(canBeBaseline(found, wanted)).toBe(serves);
  });
});
