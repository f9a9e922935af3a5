import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseJsonText } from "../../src/base/json-text.ts";
import { isJsonObject } from "../../src/model/json.ts";
import { mostPromptBytes } from "../../src/base/written-size.ts";
import type { Row } from "../../src/model/outcomes/sample.ts";
import { createFieldPicker, passProblems } from "../../src/prompt/fields.ts";
import { graderItem } from "../../src/prompt/item.ts";
import {
  templateFields,
  parseTemplate,
  render,
  targetOnlyFields,
  toldFields,
} from "../../src/prompt/template.ts";
import { targetShownWarnings, templateWarnings, useWarnings } from "../../src/prompt/warnings.ts";

const choices = ["A", "B"];
const rowOf = (text: string): Row => {
  const parsed = parseJsonText(text);
  if (parsed.kind !== "json" || !isJsonObject(parsed.value)) throw new Error(`no row: ${text}`);
  return parsed.value;
};
const rendered = (template: string, row: Row) => render(parseTemplate(template), { row, choices });

describe("a template", () => {
  const row = rowOf(
    `{"q": "2+2?", "n": 51.0, "big": 12345678901234567890, "yes": true, "none": null, "list": [1.0, "x"],
      "o": {"deep": {"x": "y"}, "n": 1e3}, "a.b": "dotted", "a": {"b": "nested"}, "row": "r", "choices": "c",
      "evil": "{{q}} $& $1", "Question Text": "spaced", "\u00FC": "umlaut", "empty": ""}`,
  );
  it.each([
    ["{{q}}", "2+2?"],
    ["Q: {{ q }}!\n{{q}}", "Q: 2+2?!\n2+2?"],
    ["{{n}} {{big}} {{o.n}}", "51.0 12345678901234567890 1e3"],
    ["{{yes}}", "true"],
    ["[{{none}}{{gone}}{{o.gone}}{{q.x}}{{empty}}]", "[]"],
    ["{{list}}", '[1.0,"x"]'],
    ["{{list.1}}", "x"],
    ["{{o}}", '{"deep":{"x":"y"},"n":1e3}'],
    ["{{o.deep.x}}", "y"],
    ["{{a.b}}", "dotted"],
    ["{{choices}}", '["A","B"]'],
    ["{{choice_list}}", "A\nB"],
    ["{{evil}}", "{{q}} $& $1"],
    ["{{Question Text}}{{\u00FC}}", "spacedumlaut"],
    ["{{constructor}}{{__proto__}}{{toString}}{{o.constructor}}{{list.length}}", ""],
    ["{{row.q}}", ""],
    ["{q} {{}} {{ }} {{q} {{q", "{q} {{}} {{ }} {{q} {{q"],
    ['{"a": {"b": {}}} {{"k": 1}}', '{"a": {"b": {}}} {{"k": 1}}'],
    ["{{{q}}}", "{2+2?}"],
    ["{{q\n}}", "2+2?"],
    ["", ""],
  ])("%j renders as %j", (template, expected) => {
    expect(rendered(template, row)).toBe(expected);
  });

  it("shows the whole row as JSON, with its numbers as they were written", () => {
    expect(rendered("{{row}}", rowOf('{"b": 1.0, "a": [null]}'))).toBe('{"b":1.0,"a":[null]}');
  });

  it("ends where no sample has room for more, instead of at what a text may hold", () => {
    const large: Row = { q: "x".repeat(10_000_000) };
    const text = render(parseTemplate("{{q}}".repeat(100)), { row: large, choices: [] });
    expect(text.length).toBeGreaterThan(mostPromptBytes);
  });

  it("shows no choices as an empty list", () => {
    const template = parseTemplate("{{choices}}|{{choice_list}}");
    expect(render(template, { row: {}, choices: [] })).toBe("[]|");
  });

  it("reads a field called __proto__ where the row has one", () => {
    expect(rendered("{{__proto__}}{{__proto__.x}}", rowOf('{"__proto__": {"x": "y"}}'))).toBe(
      '{"x":"y"}y',
    );
  });
});

describe("the fields of a template", () => {
  it("are its names and the top-level fields they may read", () => {
    expect(templateFields(parseTemplate("{{a}} {{b.c}} {{a}} {{choices}}"))).toEqual({
      names: new Set(["a", "b.c"]),
      topLevel: new Set(["choices", "a", "b.c", "b"]),
      wholeRow: false,
    });
    expect(templateFields(parseTemplate("{{row}}")).wholeRow).toBe(true);
  });

  it.each([
    ["{{q}}", "{{a}}", ["a"]],
    ["{{q}} {{a}}", "{{a}}", []],
    ["{{q}}", "{{a.text}} {{q}}", ["a.text", "a"]],
    ["{{row}}", "{{a}}", []],
    ["{{q}}", "{{row}}", []],
    ["{{q}}", undefined, []],
  ])("prompt %j and target %j leave %j to the target alone", (prompt, target, expected) => {
    const parsed = target === undefined ? undefined : parseTemplate(target);
    expect([...targetOnlyFields(parseTemplate(prompt), parsed)]).toEqual(expected);
  });
});

describe("warnings", () => {
  const fields = new Set(["question", "answer", "meta", "choices"]);
  const hints = (template: string) =>
    templateWarnings(parseTemplate(template), fields).map(({ code, hint }) => [code, hint]);
  it.each([
    ["{{question}} {{meta.lang}}", []],
    ["{{qestion}}", [["template_unknown_field", "Did you mean '{{question}}'?"]]],
    ["{{mta.lang}}", [["template_unknown_field", "Did you mean '{{meta.lang}}'?"]]],
    ["{{banana}}", [["template_unknown_field", `The rows have ${[...fields].join(", ")}.`]]],
    ["{{question} {", [["template_unclosed", "A field is written {{field}}."]]],
    ["ends in {{question", [["template_unclosed", "A field is written {{field}}."]]],
    ['{{"k": 1}} {{}}', []],
  ])("of %j are %j", (template, expected) => {
    expect(hints(template)).toEqual(expected);
  });

  it.each([
    [["A"], ["choices"], ["template_hidden_field"]],
    [["A"], [], []],
    [[], ["choices"], []],
    [[], [], ["template_choices_missing"]],
  ])("of {{choices}} with %j declared and the fields %j are %j", (declared, known, expected) => {
    const use = { key: "prompt_template", choices: declared, fields: new Set(known) };
    const found = useWarnings(parseTemplate("{{choices}}"), use);
    expect(found.map(({ code }) => code)).toEqual(expected);
  });

  it("have the place that they are given", () => {
    const place = { file: "s.yaml", path: "prompt_template" };
    expect(templateWarnings(parseTemplate("{{x}}"), fields, place)[0]?.place).toBe(place);
  });

  it("say that a prompt with the whole row shows the target", () => {
    const warned = ["{{row}}", "{{question}}"].map(
      (prompt) => targetShownWarnings(parseTemplate(prompt), parseTemplate("{{answer}}")).length,
    );
    expect(warned).toEqual([1, 0]);
  });
});

describe("what a candidate is given beside the prompt", () => {
  const row = rowOf('{"q": "x", "id": 7, "meta": {"n": 1.0}, "a": "42", "secret": "s"}');
  const picked = (prompt: string, pass: readonly string[] = []) =>
    JSON.stringify(createFieldPicker(parseTemplate(prompt), pass, parseTemplate("{{a}}"))(row));
  it.each([
    ["{{q}}", [], '{"q":"x"}'],
    ["{{q}} {{meta.n}} {{gone}}", ["id"], '{"q":"x","id":7,"meta":{"n":1.0}}'],
    ["{{q}}", ["a"], '{"q":"x"}'],
    ["none", [], "{}"],
  ])("for %j and pass %j is %s", (prompt, pass, expected) => {
    expect(picked(prompt, pass)).toBe(expected);
  });

  const nested = rowOf(
    '{"q": "x", "meta": {"lang": "en", "answer": "42", "more": [{"key": "k", "n": 1}]}}',
  );
  const pickedOf = (prompt: string, target: string, pass: readonly string[] = []) =>
    JSON.stringify(createFieldPicker(parseTemplate(prompt), pass, parseTemplate(target))(nested));
  it.each([
    ["{{meta.lang}}", "{{meta.answer}}", [], '{"meta":{"lang":"en","more":[{"key":"k","n":1}]}}'],
    [
      "{{q}} {{meta.lang}}",
      "{{meta.more.0.key}}",
      [],
      '{"q":"x","meta":{"lang":"en","answer":"42","more":[{"n":1}]}}',
    ],
    [
      "{{meta.lang}}",
      "{{meta.more.0}}",
      ["meta"],
      '{"meta":{"lang":"en","answer":"42","more":[null]}}',
    ],
    ["{{meta.lang}}", "{{meta}}", [], '{"meta":{"lang":"en"}}'],
    ["{{q}}", "{{meta}}", ["meta.lang"], '{"q":"x"}'],
    ["{{meta}}", "{{meta.answer}}", [], JSON.stringify({ meta: nested["meta"] })],
  ])(
    "for %j with the target %j and pass %j holds no part that only the target has: %s",
    (...[prompt, target, pass, expected]) => {
      expect(pickedOf(prompt, target, pass)).toBe(expected);
    },
  );

  it("is everything where the prompt shows everything", () => {
    expect(picked("{{row}}")).toBe(JSON.stringify(row));
  });

  it("may not be told to hold the target", () => {
    for (const code of ["pass_target", "request_target", "answer_target"] as const) {
      const found = passProblems(["q", "a"], { targetOnly: new Set(["a"]), code });
      expect(found.map((each) => each.code)).toEqual([code]);
    }
  });
});

describe("what a grader is given", () => {
  it("is the row with the convenience fields, which win", () => {
    const parts = { prompt: "P", target: "T", choices, taskId: "t" };
    const item = graderItem(rowOf('{"q": 1.0, "prompt": "own", "task_id": "HumanEval/0"}'), parts);
    expect(JSON.stringify(item)).toBe(
      '{"q":1.0,"prompt":"P","task_id":"t","target":"T","choices":["A","B"]}',
    );
  });
});

const svamp = new URL("../../../shared/data/svamp/svamp.jsonl", import.meta.url);
describe.skipIf(!existsSync(svamp))("SVAMP (../shared is absent: skipped)", () => {
  it("has targets with their decimal point", () => {
    const lines = readFileSync(svamp, "utf8").trim().split("\n");
    const targets = lines.map((line) => rendered("{{answer}}", rowOf(line)));
    expect(targets.slice(0, 3)).toEqual(["51.0", "1.0", "17.0"]);
    expect(targets.every((target) => /^-?\d+\.\d+$/.test(target))).toBe(true);
  });
});

describe("fields of the target that a prompt tells, and the base's does not", () => {
  it.each([
    ["{{q}}", "{{a}}", "{{q}}", []],
    ["{{q}}", "{{a}}", "{{q}} {{ a }}", ["a"]],
    ["{{q}}", "{{a}} {{b}}", "{{row}}", ["a", "b"]],
    ["{{row}}", "{{a}}", "{{row}} {{a}}", []],
    ["{{q}} {{a}}", "{{a}}", "{{a}}", []],
    ["{{m.q}}", "{{m.a}}", "{{m.q}} {{m.a}}", ["m.a"]],
    ["{{m.q}}", "{{m.a}}", "{{m}}", ["m.a"]],
    ["{{m}}", "{{m.a}}", "{{m.a}}", []],
    ["{{q}}", "{{m}}", "{{m.a.b}}", ["m"]],
    ["{{m.q}}", "{{m}}", "{{m.q}}", []],
    ["{{q}}", "{{ab}}", "{{a}}", []],
  ])("%s, %s: %s tells %j", (...[base, target, prompt, expected]) => {
    const sides = { prompt: parseTemplate(base), target: parseTemplate(target) };
    expect(toldFields(sides, parseTemplate(prompt))).toEqual(expected);
  });
});
