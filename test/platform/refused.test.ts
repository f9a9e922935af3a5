import { expect, it } from "vitest";
import { problem } from "../../src/domain/refusal.ts";
import { describeRefusal } from "../../src/platform/refused.ts";

it("tells every problem with its place and its way out", () => {
  const problems = [
    problem("file_missing", { file: "x" }, { file: "a.yaml", line: 3, column: 5, path: "dataset" }),
    problem("suites_not_found", { patterns: ["b/*"], directory: "/w" }),
  ];
  const escape = { text: (text: string) => `T(${text})`, code: (text: string) => `C(${text})` };
  expect(describeRefusal("a.yaml", problems, escape)).toBe(
    [
      "## ⛔ T(a.yaml) was not run",
      "",
      "2 problems to mend first. Nothing was judged, so this is neither a pass nor a fail.",
      "",
      "- C(a.yaml:3:5) C(dataset): T(no such file: x)",
      "- T(no suite found: nothing in /w matches b/*)<br>T(Name the suite's file with the input 'suite'. Was the repository checked out before this step (actions/checkout)?)",
    ].join("\n"),
  );
});
