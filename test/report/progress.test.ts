import { describe, expect, it } from "vitest";

import type { Progress } from "../../src/domain/ports.ts";
import {
  advance,
  noProgress,
  progressLine,
  progressLogLines,
  type ProgressState,
} from "../../src/report/progress.ts";

const started: Progress = { kind: "task_started", suite: "s", task: "qa", samples: 40 };
const finished = (failed: boolean): Progress => ({ kind: "sample_finished", task: "qa", failed });

/** `done` samples, one a second, every fourth of them failed. */
function after(done: number): ProgressState {
  let state = advance(noProgress, started, 0);
  for (let i = 1; i <= done; i += 1) state = advance(state, finished(i % 4 === 0), i * 1000);
  return state;
}

describe("the progress line", () => {
  it("says what is done, how much has errors, how fast, how long", () => {
    expect(progressLine(after(10), 10_000, 80)).toBe(
      "qa 10/40 · 2 with errors · 1.0/s · 30.0 s left",
    );
  });

  it("promises no time before there is something to reckon with", () => {
    expect(progressLine(after(0), 0, 80)).toBe("qa 0/40");
    expect(progressLine(noProgress, 0, 80)).toBe("");
  });

  it("stays within the terminal", () => {
    expect(progressLine(after(10), 10_000, 12)).toHaveLength(12);
  });
});

describe("the lines of a CI log", () => {
  it("come at the start, at every tenth and at the end", () => {
    let state = noProgress;
    const lines: string[] = [];
    const events = [started, ...Array.from({ length: 40 }, () => finished(false))];
    for (const [i, event] of events.entries()) {
      state = advance(state, event, i * 1000);
      lines.push(...progressLogLines(state, event, i * 1000));
    }
    expect(lines).toHaveLength(11);
    expect(lines[0]).toBe("qa: 40 samples");
    expect(lines[1]).toBe("qa: 4 of 40 (10%), 1.0/s, 36.0 s left");
    expect(lines.at(-1)).toBe("qa: 40 of 40 done in 40.0 s");
  });

  it("count every sample that was not scored, under no outcome's name", () => {
    expect(progressLogLines(after(8), finished(true), 8000)).toEqual([
      "qa: 8 of 40 (20%), 2 with errors, 1.0/s, 32.0 s left",
    ]);
  });

  it("pass on a warning, harmless", () => {
    const warning: Progress = { kind: "warning", text: "x\n::error::y" };
    expect(progressLogLines(noProgress, warning, 0)).toEqual(["warning: x ::error::y"]);
  });

  it("do not count samples of another task", () => {
    const stray: Progress = { kind: "sample_finished", task: "other", failed: true };
    expect(advance(after(3), stray, 4000)).toEqual(after(3));
    expect(progressLogLines(after(3), stray, 4000)).toEqual([]);
  });
});
