import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/model/json.ts";
import { outcomeText, taskText } from "../../../src/report/exports/waza-outcome.ts";
import {
  interpretation,
  wazaComment,
  wazaJunit,
  type WazaOutcome,
} from "../../../src/report/exports/waza-texts.ts";

// Skipped where ../shared, which is not part of the repository, is absent.
const file = "../shared/vectors/waza.json";

interface Vector {
  readonly id: string;
  readonly grader: string;
  readonly input: JsonObject;
  readonly expected: { readonly value: string };
}

const all: readonly Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];

function vectorsOf(...kinds: readonly string[]): readonly Vector[] {
  return all.filter(({ grader }) => kinds.includes(grader));
}

function outcomeOf(outcome: JsonObject): WazaOutcome {
  const { tasks } = outcome;
  return outcomeText(outcome, Array.isArray(tasks) ? tasks.filter(isJsonObject).map(taskText) : []);
}

const texts = {
  interpretation: (outcome: JsonObject) => [...interpretation(outcomeOf(outcome))].join(""),
  junit: (outcome: JsonObject) => [...wazaJunit(outcomeOf(outcome))].join(""),
  comment: (outcome: JsonObject) => [...wazaComment(outcomeOf(outcome))].join(""),
};

describe.skipIf(all.length === 0)("waza's texts of an outcome", () => {
  it.each(vectorsOf("@summary_report"))("$id", ({ input, expected }) => {
    expect(texts.interpretation(input)).toBe(expected.value);
  });

  it.each(vectorsOf("@junit"))("$id", ({ input, expected }) => {
    expect(texts.junit(input)).toBe(expected.value);
  });

  it.each(vectorsOf("@github_comment"))("$id", ({ input, expected }) => {
    expect(texts.comment(input)).toBe(expected.value);
  });

  it.each(vectorsOf("@interpret_score", "@interpret_pass_rate"))("$id", ({ input, expected }) => {
    const summary = { aggregate_score: input, success_rate: input };
    expect(texts.interpretation({ summary })).toContain(expected.value);
  });

  it.each(vectorsOf("@interpret_flaky"))("$id", ({ input, expected }) => {
    expect(texts.interpretation({ tasks: [{ stats: input }] })).toContain(expected.value);
  });
});

const hostile = '<img src=x onerror="a"> | `b` @org/team\n::error::x\n\u001b[31m]]>';

const failed = {
  eval_name: hostile,
  skill: hostile,
  summary: { failed: 1, total_tests: 1, duration_ms: 61_500 },
  tasks: [
    {
      display_name: hostile,
      status: "failed",
      stats: { flaky: true, pass_rate: 0.125, avg_score: 0.125 },
      runs: [
        {
          status: "failed",
          validations: {
            g: {
              identifier: hostile,
              type: "text",
              score: 0,
              passed: false,
              feedback: hostile.repeat(500),
            },
          },
        },
      ],
    },
  ],
};

describe("a name or a feedback from outside", () => {
  it("is no markup of a comment, and no command of a runner", () => {
    const comment = texts.comment(failed);
    expect(comment).not.toMatch(/<img|@org|^::error/m);
    expect(comment.split("\n").filter((line) => line.startsWith("|"))).toHaveLength(3);
    expect(comment.length).toBeLessThan(20_000);
    expect(texts.interpretation(failed)).not.toMatch(/^::error/m);
  });

  it.each(Object.entries(texts))("sends no colours: %s", (_, textOf) => {
    expect(textOf(failed)).not.toContain("\u001b");
  });

  it("is text in the XML", () => {
    const xml = texts.junit(failed);
    expect(xml).not.toMatch(/<img|]]>/);
    expect(xml.match(/<testcase /g)).toHaveLength(1);
  });
});

it("figures are rounded as in Go, where a half goes to the even digit", () => {
  const text = texts.comment(failed);
  expect(text).toContain("12% pass rate, score=0.12±0.00");
  expect(text).toContain("**Duration:** 1m1.5s");
  expect(texts.interpretation({ summary: { aggregate_score: 0.375 } })).toContain("0.38 —");
});
