import { expect, it } from "vitest";
import { createProgress } from "../../src/github/runner/progress.ts";

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
  report({ kind: "throttled", provider: "openai", seconds: 11.2 });
  report({ kind: "throttled", provider: "openai", seconds: 1 });
  now += 20_000;
  report({ kind: "sample_finished", task: "one", failed: false, usd: 0.5 });
  report({ kind: "note", text: "at most $3" });
  report({ kind: "warning", text: "low disk" });
  expect(lines).toEqual([
    "s, task qa: 1000 samples",
    "qa: 375 of 1000 samples, 3 with errors",
    "qa: 750 of 1000 samples, 7 with errors",
    "s, task one: 1 sample",
    "openai asks to wait 12 s",
    "one: 1 of 1 samples, $0.50",
    "at most $3",
    "Warning: low disk",
  ]);
});
