import { expect, it } from "vitest";
import { createProgress } from "../../src/platform/progress.ts";

it("shows that a long run is alive, without a line for every sample", () => {
  const lines: string[] = [];
  let now = 0;
  const report = createProgress(
    (line) => lines.push(line),
    () => now,
  );
  report({ kind: "task_started", suite: "s", task: "qa", samples: 1000 });
  for (let i = 1; i <= 1000; i += 1) {
    now += 40;
    report({ kind: "sample_finished", task: "qa", failed: i % 100 === 0 });
  }
  report({ kind: "task_started", suite: "s", task: "one", samples: 1 });
  report({ kind: "warning", text: "low disk" });
  expect(lines).toEqual([
    "s, task qa: 1000 samples",
    "qa: 375 of 1000 samples, 3 with errors",
    "qa: 750 of 1000 samples, 7 with errors",
    "s, task one: 1 sample",
    "Warning: low disk",
  ]);
});
