import { expect, it } from "vitest";
import type { MetricValue, Run } from "../../../src/model/outcomes/run.ts";
import { compareCandidates, comparisonBlock } from "../../../src/report/markdown/comparison.ts";

type Made = [candidate: string, name: string, value: number | null, more?: object];
type Shown = Pick<Run, "candidates" | "metrics" | "suite">;

function metric(...[candidate, name, value, more = {}]: Made): MetricValue {
  return {
    task: "qa",
    candidate,
    metric: name,
    slice: null,
    aggregation: "mean",
    higher_is_better: true,
    range: [0, 1],
    scale: "graded",
    value,
    n: 10,
    stderr: null,
    ci: [0.1, 0.9],
    ci_method: "t",
    ...more,
  };
}

function runOf(candidates: readonly string[], metrics: readonly MetricValue[]): Run {
  const shown: Shown = {
    candidates: candidates.map((id) => ({ id, kind: "model", model: id })),
    metrics,
    suite: { tasks: {} } as Run["suite"],
  };
  return shown as Run;
}

const slower = { higher_is_better: false, range: null, ci: null };
const two = runOf(
  ["small", "large|x"],
  [
    metric("small", "latency_seconds", 1, slower),
    metric("large|x", "latency_seconds", 2, slower),
    metric("small", "score", 0.5),
    metric("large|x", "score", 0.75),
    metric("large|x", "score", 0.9, { slice: "language=de" }),
    metric("small", "only", 1),
    metric("large|x", "only", null),
    metric("small", "tie", 1),
    metric("large|x", "tie", 1),
  ],
);

it("puts candidates side by side, a task's own metrics first, the best of each marked", () => {
  const { rows } = compareCandidates(two);
  expect(
    rows.map(({ name, cells }) => [
      name,
      cells.map(({ value, best }) => value + (best ? "*" : "")),
    ]),
  ).toEqual([
    ["qa/score", ["50.0%", "75.0%*"]],
    ["qa/only", ["100.0%", "–"]],
    ["qa/tie", ["100.0%", "100.0%"]],
    ["qa/latency_seconds", ["1 s*", "2 s"]],
  ]);
});

it("is a table of the summary, names from outside escaped", () => {
  const block = comparisonBlock(two);
  const text = block.render(block.rows);
  expect(text).toContain("**Candidates side by side**");
  expect(text).toContain("| **75.0%**<br>10.0% to 90.0% |");
  expect(text.split("\n").find((line) => line.startsWith("| Metric"))).toMatch(
    /large\\?\|x|large&#124;x/,
  );
});

it("has up to six candidates in a table, and all of them in some", () => {
  const ids = Array.from({ length: 20 }, (_, i) => `c${i}`);
  const block = comparisonBlock(
    runOf(
      ids,
      ids.map((id, i) => metric(id, "score", i / 20)),
    ),
  );
  const text = block.render(block.rows);
  expect(text.match(/^\| Metric/gm)).toHaveLength(4);
  for (const id of ids) expect(text).toContain(`\`${id}\``);
});

it("is not there for one candidate", () => {
  const block = comparisonBlock(runOf(["a"], [metric("a", "score", 1)]));
  expect([block.rows, block.render(0)]).toEqual([0, ""]);
});
