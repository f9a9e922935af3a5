import { describe, expect, it } from "vitest";

import type { Problem } from "../../../src/model/refusal.ts";
import { renderProblems } from "../../../src/report/terminal/problems.ts";

function found(message: string, rest: Partial<Problem> = {}): Problem {
  return { code: "replay_empty", message, hint: undefined, place: undefined, ...rest };
}

const problems = [
  found("unknown key “grdaer”", {
    hint: "Did you mean “grader”?",
    place: { file: "a.yaml", line: 9, column: 3, path: "tasks[0]" },
  }),
  found("not JSON", { place: { file: "b.jsonl", line: 2 } }),
  found("no candidates", { place: { file: "a.yaml", line: 1, column: 1 } }),
  found("no suite was given", { hint: "Name one." }),
];

describe("problems on stderr", () => {
  it("can be opened by their place, stand together by file, and are counted", () => {
    expect(renderProblems(problems, { colour: false })).toBe(
      [
        "a.yaml:1:1: no candidates",
        "a.yaml:9:3: tasks[0]: unknown key “grdaer”",
        "  Did you mean “grader”?",
        "",
        "b.jsonl:2: not JSON",
        "",
        "no suite was given",
        "  Name one.",
        "",
        "4 problems in 2 files",
        "",
      ].join("\n"),
    );
  });

  it("keep the place free of colour codes in its text", () => {
    expect(renderProblems(problems.slice(0, 1), { colour: true })).toContain("a.yaml:9:3:");
  });

  it("are no commands, whatever they quote", () => {
    const text = renderProblems([found("::error::x\n##[error]y", { hint: "\u001b[2Jz" })], {
      colour: false,
    });
    expect(text).not.toMatch(/^\s*::|##\[/m);
    expect(text).not.toContain("\u001b");
  });

  it("are nothing where there are none", () => {
    expect(renderProblems([], { colour: false })).toBe("");
  });

  it("are not called problems where they are warnings", () => {
    const text = renderProblems(problems.slice(0, 1), { colour: false, word: "warning" });
    expect(text).toMatch(/\n\n1 warning\n$/);
  });
});
