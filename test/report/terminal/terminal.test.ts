import { describe, expect, it } from "vitest";

import type { ConfirmRound } from "../../../src/model/outcomes/confirmation.ts";
import type { Run } from "../../../src/model/outcomes/run.ts";
import { escapeLog } from "../../../src/report/escape.ts";
import { renderSummary } from "../../../src/report/markdown/markdown.ts";
import { renderTerminal } from "../../../src/report/terminal/terminal.ts";
import { columns, naturalWidth, type TextCell } from "../../../src/report/terminal/text-table.ts";
import * as examples from "../examples.ts";

const textWidth = (text: string): number => naturalWidth([[{ text, align: "left" }]]);

const place = {
  kind: "slice",
  name: "language=de",
  broke: 7,
  cases: 34,
  p_adjusted: 0.002,
  family: 2,
} as const;
const notAgain: ConfirmRound = {
  task: "qa",
  candidate: "main",
  base_candidate: "main",
  repeats: 1,
  cases: 24,
  samples: 0,
  outcome: "not_possible",
  obstacle: "head_recorded",
  reason: "the answers are a recording",
  directory: null,
  base_sha: null,
};

const directory = ".regrade/runs/run_4f2c9e1a";
const shown = {
  fail: examples.failed,
  pass: examples.passed,
  "pass-grey": examples.grey,
  "pass-without-baseline": examples.first,
  inconclusive: examples.inconclusive,
  error: examples.errored,
  neutral: examples.neutral,
  "gate-none": examples.ungated,
  cancelled: examples.cancelled,
};

describe("the end of a run in a terminal", () => {
  it.each(Object.entries(shown))("%s reads as agreed", async (name, run) => {
    const text = renderTerminal({ run, directory, colour: false, width: 140 });
    await expect(text).toMatchFileSnapshot(`../../golden/report/${name}.terminal.txt`);
    expect(text).not.toMatch(/no regression(?! detected)/i);
  });

  it("says with colours what it says without", () => {
    const coloured = renderTerminal({ run: examples.failed, directory, colour: true, width: 140 });
    expect(coloured).toContain("\u001b[");
    expect(escapeLog(coloured)).toBe(
      renderTerminal({ run: examples.failed, directory, colour: false, width: 140 }),
    );
  });

  it("says how many answers are an earlier run's, here and in the summary", () => {
    const { passed } = examples;
    const run = { ...passed, usage: { ...passed.usage, cached: 1200 } };
    const words = "1,200 answers from the cache";
    expect(renderTerminal({ run, directory, colour: false, width: 80 })).toContain(words);
    expect(renderSummary({ run, content: "ids" })).toContain(words);
  });

  it("names the first ten broken cases and counts the others", () => {
    const text = renderTerminal({ run: examples.failed, directory, colour: false, width: 80 });
    expect(text).toContain("refund-010, and 8 more");
    expect(text).not.toContain("refund-011");
  });

  it.each([80, 100, 120])("keeps its table within %i columns", (width) => {
    const text = renderTerminal({ run: examples.failed, directory, colour: false, width });
    const rows = text.split("\n").filter((line) => /^(?:rule |qa\/)/.test(line));
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(width);
    expect(rows[1]).toMatch(/❌ drop proven|fails/);
  });

  it("gives up the interval before the words on how a rule ended", () => {
    const widths = [170, 140, 100];
    const rows = widths.map((width) => {
      const text = renderTerminal({ run: examples.failed, directory, colour: false, width });
      return text.split("\n").find((line) => line.startsWith("qa/exact_match ")) ?? "";
    });
    for (const row of rows) expect(row).toMatch(/(?:fails:|❌) drop proven/);
    expect(rows.map((row) => row.includes("90%: "))).toEqual([true, false, false]);
  });

  it("has no figure of a test that a newcomer would have to look up", () => {
    const located = { reason: "", places: [place] };
    const [lead, ...others] = examples.failed.gate.rules;
    if (lead === undefined) throw new Error("no rule");
    const gate = { ...examples.failed.gate, rules: [{ ...lead, located }, ...others] };
    const run = { ...examples.failed, gate };
    const text = renderTerminal({ run, directory, colour: false, width: 170 });
    expect(text).toContain(
      "7 of 18 broken cases are language=de (7 of its 34 cases), more than by",
    );
    expect(text).not.toMatch(/\bp [=<]|Holm|over \d+ slices/);
    expect(/^cases .*/m.exec(text)?.[0]).not.toContain("detect");
  });

  it("says why samples have no grade, but not the words where only ids may be shown", () => {
    const group = { task: "qa", candidate: "main", stage: "generate", caseIds: ["a"] } as const;
    const errors = [
      {
        ...group,
        fault: "infra",
        type: "mcp_failed",
        count: 9,
        message: "words: ended\nexit code 3",
      },
      { ...group, fault: "candidate", type: "exit_code", count: 4, message: "1" },
      { ...group, fault: "infra", type: "a", count: 1, message: "" },
      { ...group, fault: "infra", type: "b", count: 1, message: "" },
      { ...group, fault: "infra", type: "c", count: 1, message: "" },
    ] as const;
    const input = { run: examples.failed, directory, errors, colour: false, width: 140 };
    const text = renderTerminal(input);
    expect(text).toMatch(/^ungraded {2}9 samples: mcp_failed: .*exit code 3\n {10}1 sample: a/m);
    expect(text).toContain("and 1 more kind of error");
    expect(text).not.toContain("exit_code");
    const suite = { ...examples.failed.suite, publish: "ids" } as const;
    const quiet = renderTerminal({ ...input, run: { ...examples.failed, suite } });
    expect(quiet).toContain("9 samples: mcp_failed\n");
  });

  it("says beside the baseline why a proven drop was not run again", () => {
    const line = "qa, main: the proven drop was not run again: the answers are a recording";
    const { gate } = examples.failed;
    const run: Run = {
      ...examples.failed,
      gate: { ...gate, reasons: [...gate.reasons, line] },
      confirmation: { alpha: 0.2, joint_error: 0.01, rounds: [notAgain] },
    };
    const text = renderTerminal({ run, directory, colour: false, width: 140 });
    expect(text).toMatch(/^baseline .*\n +qa, main: the proven drop was not run again: /m);
    expect(text.split(line)).toHaveLength(2);
  });

  it("says why cases broke before it lists the rules", async () => {
    const input = { run: examples.failed, broken: examples.brokenCases, directory };
    const text = renderTerminal({ ...input, colour: false, width: 140 });
    await expect(text).toMatchFileSnapshot("../../golden/report/fail-reasons.terminal.txt");
    expect(text.indexOf("why  ")).toBeLessThan(text.indexOf("rule  "));
  });

  it("lets no name act on the terminal or the runner", () => {
    const name = "x\u001b[2J\u001b]0;t\u0007\n::error::y ##[error]z";
    const suite = { ...examples.failed.suite, name };
    const rules = [examples.rule({ metric: name, reason: name, slice: name })];
    const run = { ...examples.failed, suite, gate: { ...examples.failed.gate, rules } };
    const text = renderTerminal({ run, directory: name, colour: false, width: 100 });
    expect(escapeLog(text)).toBe(text);
    expect(text).not.toMatch(/##\[|^\s*::/m);
    expect(text).not.toContain("\u001b");
  });
});

function left(text: string): TextCell {
  return { text, align: "left" };
}

describe("columns", () => {
  it("line up under wide characters", () => {
    expect(
      columns(
        [
          [left("語"), left("a")],
          [left("abc"), left("b")],
        ],
        80,
      ),
    ).toBe("語   a\nabc  b");
    expect([textWidth("語🙂"), textWidth("e\u0301"), textWidth("ab")]).toEqual([4, 1, 2]);
  });

  it("shorten the first where all would be too wide", () => {
    const text = columns([[left("a-rather-long-name-of-a-metric"), left("12345")]], 22);
    expect(textWidth(text)).toBe(22);
    expect(text).toBe("a-rathe…-metric  12345");
  });
});
