import { describe, expect, it } from "vitest";
import type { FewshotSpec } from "../../src/model/definition/suite.ts";
import { beforePrompt, parseFewshot, renderExamples } from "../../src/prompt/fewshot.ts";

const spec: FewshotSpec = {
  key: "fewshot",
  count: 2,
  dataset: undefined,
  prompt_template: "Q: {{q}}",
  target_template: "{{a}}",
  example_template: "{{prompt}}\n{{target}}",
  separator: "\n--\n",
  strategy: "first",
  seed: 0,
};

const rows = ["1", "2", "3"].map((n) => ({ content: n, row: { q: `q${n}`, a: `a${n}` } }));

interface Asked {
  readonly prompt?: string;
  readonly values?: readonly string[];
}

function shown(change: Partial<FewshotSpec>, content: string, asked: Asked = {}): string {
  const own = { ...spec, ...change };
  const examples = renderExamples(rows, parseFewshot(own, { prompt_template: "Ask {{q}}" }), {
    choices: ["A", "B"],
  });
  return beforePrompt(examples, own)({ content, prompt: "another", values: [], ...asked });
}

function shownOf(odd: typeof rows, own: FewshotSpec): string {
  const examples = renderExamples(odd, parseFewshot(own, { prompt_template: "{{q}}" }), {
    choices: [],
  });
  return beforePrompt(examples, own)({ content: "9", prompt: "another", values: [] });
}

describe("what goes before a prompt", () => {
  it("is the examples, a separator after each", () => {
    expect(shown({}, "9")).toBe("Q: q1\na1\n--\nQ: q2\na2\n--\n");
  });

  it("leaves out the case that is asked, and shows another instead", () => {
    expect(shown({}, "1")).toBe("Q: q2\na2\n--\nQ: q3\na3\n--\n");
    expect(shown({}, "3")).toBe("Q: q1\na1\n--\nQ: q2\na2\n--\n");
  });

  it("leaves out a row that asks the same, whatever else it holds, and shows another instead", () => {
    expect(shown({}, "9", { prompt: "Ask  Q1\n" })).toBe("Q: q2\na2\n--\nQ: q3\na3\n--\n");
  });

  it.each<readonly [readonly string[], string]>([
    [[" Q2"], "Q: q1\na1\n--\nQ: q3\na3\n--\n"],
    [["q1", "a1"], "Q: q2\na2\n--\nQ: q3\na3\n--\n"],
    [["q1", "a2"], "Q: q1\na1\n--\nQ: q2\na2\n--\n"],
    [["q1", "x"], "Q: q1\na1\n--\nQ: q2\na2\n--\n"],
  ])(
    "leaves out a row that has all that is asked, whatever its fields are called: %j",
    (values, text) => {
      expect(shown({}, "9", { values })).toBe(text);
    },
  );

  it("follows the example's own template, braces in values left as they are", () => {
    const example = { example_template: "<{{target}}|{{prompt}}>", target_template: "{{a}}{{q}}" };
    expect(shown({ ...example, count: 1, separator: "" }, "9")).toBe("<a1q1|Q: q1>");
    const odd = [{ content: "x", row: { q: "{{target}}", a: "{{prompt}}" } }];
    const own = { ...spec, count: 1, separator: "" };
    expect(shownOf(odd, own)).toBe("Q: {{target}}\n{{prompt}}");
  });

  it("has the task's choices", () => {
    expect(shown({ count: 1, prompt_template: "{{choice_list}}", separator: "" }, "9")).toBe(
      "A\nB\na1",
    );
  });
});
