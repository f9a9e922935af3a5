import { describe, expect, it } from "vitest";
import { parseJsonText } from "../../src/base/json-text.ts";
import { resultOfProgram } from "../../src/grading/held/program.ts";
import { sessionOf } from "../../src/model/models/session.ts";
import { agentSample, graded } from "./checks/graded.ts";

/** Python writes 1.0 and 1e-05 where JavaScript writes 1 and 0.00001: their value counts, not their text. */

const ended = {
  kind: "ended",
  exitCode: 0,
  signal: undefined,
  isLate: false,
  stderr: "",
  notLaidOut: [],
} as const;

describe("a number as Python writes it", () => {
  it.each([
    ["1.0", 1],
    ["0.0", 0],
    ["0.50", 0.5],
    ["1e-05", 0.00001],
    ["1E0", 1],
    ["-0.0", 0],
  ])("is a score: %s", (text, score) => {
    const stdout = `{"score": ${text}, "passed": true, "message": "m"}\n`;
    const { result, broken } = resultOfProgram({ result: "json" }, { ...ended, stdout });
    expect(broken).toBeUndefined();
    expect(result.score + 0).toBe(score);
  });

  it.each(["1.01", "-0.5", "NaN", "1e5", '"1.0"'])("is no score: %s", (text) => {
    const stdout = `{"score": ${text}}`;
    const { broken } = resultOfProgram({ result: "json" }, { ...ended, stdout });
    expect(broken).toBeDefined();
  });

  it.each([
    [{ equals: 42 }, "42.0", 1],
    [{ equals: 42 }, "42.5", 0],
    [{ equals: { a: [1] } }, '{"a": [1.0]}', 1],
    [{ range: { gte: 2, lt: 3 } }, "2.0", 1],
    [{ range: { gt: 2 } }, "2.0", 0],
    [{ regex: "^42$" }, "42.0", 1],
    [{ json_schema: { type: "integer" } }, "42.0", 1],
  ])("is an argument: %j of %s", async (matcher, text, score) => {
    const parsed = parseJsonText(`{"n": ${text}}`);
    const given = parsed.kind === "json" ? Object(parsed.value) : {};
    const told = await graded(
      "tool_constraint",
      { expect_tools: [{ tool: "t", args: { n: matcher } }] },
      agentSample({ calls: [{ name: "t", arguments: given }] }),
    );
    expect(told).toMatchObject({ scores: { tool_constraint: score } });
  });

  it("is a number of turns", () => {
    const parsed = parseJsonText('[{"type": "end", "turns": 3.0}]');
    const transcript = parsed.kind === "json" && Array.isArray(parsed.value) ? parsed.value : [];
    expect(sessionOf(Object(transcript)).turns).toBe(3);
  });
});
