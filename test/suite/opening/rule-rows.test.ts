import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../../src/model/refusal.ts";
import { runFixture, validateFixture } from "../../support/run-fixture.ts";

const python = {
  grade: () => ({ kind: "scored" as const, scores: { pass: 1 }, judge: null, printed: null }),
};

/** Four cases, two of them in German. */
function project(more: readonly string[]): Promise<FsFixture> {
  const ids = ["a1", "a2", "b1", "b2"];
  return createFixture({
    "suite.yaml": [
      "name: rows",
      "dataset: data.jsonl",
      'prompt_template: "{{asked}}"',
      "grader: { type: python, file: g.py }",
      "metrics: [{ id: pass, range: [0, 1] }]",
      "slices: [lang]",
      "candidates: { app: { replay: outputs.jsonl } }",
      ...more,
    ].join("\n"),
    "data.jsonl": ids
      .map((id) => `{"id":"${id}","asked":"x","lang":"${id < "b" ? "de" : "en"}"}\n`)
      .join(""),
    "outputs.jsonl": ids.map((id) => `{"case_id":"${id}","output_text":"x"}\n`).join(""),
    "g.py": "",
  });
}

function messagesOf(error: unknown): readonly string[] {
  if (!(error instanceof Refusal)) throw error;
  return error.problems.map(({ message }) => message);
}

const rule = (text: string): string => `gate: { rules: [{ metric: pass, ${text} }] }`;

const noCase = '`must_pass`: no case of the task "rows"';

describe("a rule that the rows do not bear out", () => {
  it.each([
    ["an unknown id", [rule("must_pass: [a1, a11]")], [`${noCase} has the id "a11"`]],
    ["a glob without a case", [rule('must_pass: ["nope-*"]')], [`${noCase} matches "nope-*"`]],
    [
      "a glob beside a case that is there",
      [rule('must_pass: [a1, "c{1..9}"]')],
      [`${noCase} matches "c{1..9}"`],
    ],
    ["a group without a case", [rule('must_pass: ["@(x|y)"]')], [`${noCase} matches "@(x|y)"`]],
    [
      "a value that no row has",
      [rule('min: 0.5, slice: "lang=fr"')],
      ['no case of the task "rows" is in the rule\'s slice "lang=fr"'],
    ],
    [
      "a field's values, none of which matches",
      [rule('max_drop: 0.1, slice: "lang=f*"')],
      ['no case of the task "rows" is in the rule\'s slice "lang=f*"'],
    ],
    ["more cases than there are", ["min_cases: 5"], ["`min_cases: 5` is more than the 4 cases"]],
    [
      "more cases than the run takes",
      ["min_cases: 3", "run: { max_samples: 2 }"],
      ["`min_cases: 3` is more than the 2 cases"],
    ],
  ])("is refused by a check: %s", async (_, more, told) => {
    await using fixture = await project(more);
    const found = await validateFixture(fixture, { python }).then(() => [], messagesOf);
    expect(found).toEqual(told.map((text) => expect.stringContaining(text)));
  });

  it.each([
    ["ids and globs", rule('must_pass: [a1, "b*"]')],
    [
      "a glob that a selection might leave out",
      `run: { max_samples: 1 }\n${rule('must_pass: ["b*"]')}`,
    ],
    ["slices", rule('min: 0.5, slice: "lang=*"')],
    ["as many cases as there are", "min_cases: 4"],
  ])("is not found in %s that the rows have", async (_, more) => {
    await using fixture = await project([more]);
    await validateFixture(fixture, { python });
  });

  it.each(["nope", "nope-*", "[x-z]*", "@(x|y)"])(
    "fails the gate of a run, and warns before it: must_pass: %s",
    async (name) => {
      await using fixture = await project([rule(`must_pass: [a1, "${name}"]`)]);
      const { run, warnings } = await runFixture(fixture, { python });
      expect(warnings.map(({ code }) => code)).toContain("must_pass_unknown");
      expect(run.gate).toMatchObject({
        verdict: "fail",
        rules: [{ outcome: "missed", code: "cases_absent" }],
        reasons: [expect.stringContaining(`no case of this run is called ${name}`)],
      });
    },
  );
});
