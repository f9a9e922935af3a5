import { describe, expect, it } from "vitest";

import type { Progress } from "../../../src/model/ports/progress.ts";
import {
  advance,
  noProgress,
  progressLine,
  progressLogLines,
} from "../../../src/report/terminal/progress.ts";

type ProgressState = Parameters<typeof progressLine>[0];

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

  it("says what it has cost so far, and that a provider asks to wait for as long as it does", () => {
    const paid: Progress = { kind: "sample_finished", task: "qa", failed: false, usd: 0.0125 };
    const pause: Progress = { kind: "throttled", provider: "openai", seconds: 12 };
    const state = advance(advance(after(10), paid, 10_000), pause, 10_000);
    const head = "qa 11/40 · 2 with errors · $0.0125";
    expect(progressLine(state, 10_000, 100)).toBe(
      `${head} · openai asks to wait 12.0 s · 1.1/s · 26.4 s left`,
    );
    expect(progressLine(state, 22_000, 100)).toBe(`${head} · 0.5/s · 58.0 s left`);
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

  it("tell of a pause and of what is to be known", () => {
    const pause: Progress = { kind: "throttled", provider: "open\nai", seconds: 12 };
    expect(progressLogLines(noProgress, pause, 0)).toEqual(["open ai asks to wait 12.0 s"]);
    const note: Progress = { kind: "note", text: "3 samples\n::error::x" };
    expect(progressLogLines(noProgress, note, 0)).toEqual(["3 samples ::error::x"]);
  });

  it("tell of short pauses now and then, of long ones always", () => {
    const seconds = [...Array.from({ length: 600 }, () => 0.1), 60, 60];
    let state = noProgress;
    const lines = seconds.flatMap((each, i) => {
      const event = { kind: "throttled", provider: "openai", seconds: each } as const;
      state = advance(state, event, i * 100);
      return progressLogLines(state, event, i * 100);
    });
    const [short, long] = ["openai asks to wait 0.1 s", "openai asks to wait 1 min 00 s"];
    expect(lines).toEqual([short, short, short, short, long, long]);
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

  it("pass on a way out as a sentence of its own", () => {
    const warning: Progress = { kind: "warning", text: "no `judge_model`\n  Write one." };
    expect(progressLogLines(noProgress, warning, 0)).toEqual([
      "warning: no `judge_model`. Write one.",
    ]);
  });

  it("tell the share of few samples as it is", () => {
    const three: Progress = { kind: "task_started", suite: "qa", task: "qa", samples: 3 };
    const state = advance(advance(noProgress, three, 0), finished(false), 1000);
    expect(progressLogLines(state, finished(false), 1000)).toEqual([
      "qa: 1 of 3 (33%), 1.0/s, 2.0 s left",
    ]);
  });

  it("count both sides of a task together, where they run at the same time", () => {
    const side: Progress = { kind: "task_started", suite: "qa", task: "qa", samples: 3 };
    const both = advance(advance(advance(noProgress, side, 0), finished(false), 500), side, 500);
    expect(progressLogLines(both, side, 500)).toEqual(["qa: 3 samples"]);
    const next = advance(both, finished(false), 1000);
    expect(progressLogLines(next, finished(false), 1000)).toEqual([
      "qa: 2 of 6 (33%), 2.0/s, 2.0 s left",
    ]);
  });

  it("do not count samples of another task", () => {
    const stray: Progress = { kind: "sample_finished", task: "other", failed: true };
    expect(advance(after(3), stray, 4000)).toEqual(after(3));
    expect(progressLogLines(after(3), stray, 4000)).toEqual([]);
  });
});
