import { describe, expect, it } from "vitest";
import { brief, problemsOf, shortForm } from "../resolve-text.ts";

describe("one mistake is one problem, at its place", () => {
  it.each([
    [
      "a misspelt key",
      { prompt_template: undefined, promt_template: "x" },
      "key_unknown promt_template",
    ],
    ["a misspelt top-level key", { candidates: undefined, candidate: {} }, "key_unknown candidate"],
    [
      "a misspelt key of a grader",
      { grader: { type: "numeric", tolerence: 1 } },
      "key_unknown grader.tolerence",
    ],
    [
      "an option of another grader",
      { grader: { type: "exact_match", tolerance: 1 } },
      "key_unknown grader.tolerance",
    ],
    [
      "a misspelt grader type",
      { grader: { type: "pyton", source: "x" } },
      "value_unknown grader.type",
    ],
    ["a misspelt grader", { grader: "exact_mach" }, "value_unknown grader"],
    ["a grader without a type", { grader: { source: "x" } }, "key_missing grader"],
    [
      "a misspelt extraction",
      { output_extraction: { type: "regexp" } },
      "value_unknown output_extraction.type",
    ],
    [
      "a regex without a pattern",
      { output_extraction: { type: "regex" } },
      "key_missing output_extraction",
    ],
    [
      "a negative group",
      { output_extraction: { type: "regex", pattern: "x", group: -1 } },
      "value_range output_extraction.group",
    ],
    [
      "a group that is a list",
      { output_extraction: { type: "regex", pattern: "x", group: [1] } },
      "value_type output_extraction.group",
    ],
    [
      "a pointer without its slash",
      { output_extraction: { type: "json", path: "answer" } },
      "pointer_malformed output_extraction.path",
    ],
    [
      "a field's pointer with a lone tilde",
      { output_extraction: { type: "json", fields: { a: "/a~b" } } },
      "pointer_malformed output_extraction.fields.a",
    ],
    [
      "a field's name that no template can have",
      { output_extraction: { type: "json", fields: { "a b": "/a" } } },
      'value_characters output_extraction.fields["a b"]',
    ],
    [
      "fields of an answer that is no JSON",
      { output_extraction: { type: "number", fields: { a: "/a" } } },
      "key_unknown output_extraction.fields",
    ],
    [
      "no labels",
      { output_extraction: { type: "label_set", labels: [] } },
      "value_count output_extraction.labels",
    ],
    [
      "a label twice",
      { output_extraction: { type: "label_set", labels: ["a", "A"] } },
      "label_repeated output_extraction.labels[1]",
    ],
    [
      "more labels than a regular expression holds",
      {
        output_extraction: {
          type: "label_set",
          labels: Array.from({ length: 5001 }, (_, i) => `l${i}`),
        },
      },
      "labels_too_many output_extraction.labels",
    ],
    [
      "lines: 0",
      { output_extraction: { type: "take_first", lines: 0 } },
      "value_range output_extraction.lines",
    ],
    ["an unknown task type", { type: "clasification" }, "value_unknown type"],
    ["concurrency above 25", { run: { concurrency: 26 } }, "value_range run.concurrency"],
    ["concurrency as another word", { run: { concurrency: "8" } }, "value_unknown run.concurrency"],
    [
      "a grader's time-out above 600",
      { grader: { type: "python", source: "x", timeout_seconds: 601 } },
      "value_range grader.timeout_seconds",
    ],
    [
      "501 model calls",
      { grader: { type: "python", source: "x", max_model_calls: 501 } },
      "value_range grader.max_model_calls",
    ],
    ["repeats: 0", { repeats: 0 }, "value_range repeats"],
    ["repeats: 1.5", { repeats: 1.5 }, "value_type repeats"],
    ["min_cases: 0", { min_cases: 0 }, "value_range min_cases"],
    ["a choice that is a number", { choices: [1] }, "value_type choices[0]"],
    ["a slice twice", { slices: ["a", "a"] }, "value_repeated slices[1]"],
    ["an empty gate rule list item", { gate: { rules: ["x"] } }, "value_type gate.rules[0]"],
    ["alpha 0", { gate: { alpha: 0 } }, "value_range gate.alpha"],
    ["alpha 0.5", { gate: { alpha: 0.5 } }, "value_range gate.alpha"],
    ["an error rate above 1", { gate: { max_error_rate: 1.1 } }, "value_range gate.max_error_rate"],
    ["a gate that is another word", { gate: "nonee" }, "value_unknown gate"],
    ["a negative max_drop", { gate: { max_drop: -0.1 } }, "value_range gate.max_drop"],
    [
      "a misspelt level",
      { gate: { rules: [{ metric: "exact_match", min: 1, level: "blok" }] } },
      "value_unknown gate.rules[0].level",
    ],
    ["a rule without a metric", { gate: { rules: [{ min: 1 }] } }, "key_missing gate.rules[0]"],
    ["a name that is no slug", { name: "my suite" }, "value_characters name"],
    ["a name that is a path", { name: "../x" }, "value_characters name"],
    ["a metric id with a slash", { metrics: [{ id: "a/b" }] }, "value_characters metrics[0].id"],
    [
      "a range of three",
      { metrics: [{ id: "exact_match", range: [0, 1, 2] }] },
      "value_count metrics[0].range",
    ],
    [
      "an unknown aggregation",
      { metrics: [{ id: "exact_match", aggregation: "meen" }] },
      "value_unknown metrics[0].aggregation",
    ],
    ["a long metadata value", { metadata: { a: "x".repeat(513) } }, "value_long metadata.a"],
    [
      "a long metadata key",
      { metadata: { ["k".repeat(65)]: "x" } },
      `value_long metadata.${"k".repeat(65)}`,
    ],
    [
      "a command that is a text",
      { candidates: { app: { command: "python3 app.py" } } },
      "value_type candidates.app.command",
    ],
    [
      "an empty command",
      { candidates: { app: { command: [] } } },
      "value_count candidates.app.command",
    ],
    [
      "an empty argument",
      { candidates: { app: { command: ["x", ""] } } },
      "value_empty candidates.app.command[1]",
    ],
    [
      "a misspelt candidate kind",
      { candidates: { app: { comand: ["x"] } } },
      "key_unknown candidates.app.comand",
    ],
    [
      "a key of another candidate kind",
      { candidates: { app: { replay: "a.jsonl", env: ["A"] } } },
      "key_unknown candidates.app.env",
    ],
    [
      "21 candidates",
      {
        candidates: Object.fromEntries(
          Array.from({ length: 21 }, (_, i) => [`c${i}`, { command: ["x"] }]),
        ),
      },
      "value_count candidates",
    ],
    ["no slot", { candidates: {} }, "value_count candidates"],
    ["an empty path", { dataset: "" }, "value_empty dataset"],
    ["another schema version", { schema_version: "2026-05-28" }, "value_unknown schema_version"],
    [
      "a manifest without a task",
      { dataset: undefined, prompt_template: undefined, grader: undefined },
      "key_missing ",
    ],
    ["a missing prompt", { prompt_template: undefined }, "keys_none "],
    ["a missing dataset", { dataset: undefined }, "key_missing "],
    ["a null where a mapping belongs", { gate: null }, "value_type gate"],
  ])("%s", async (_, changes, expected) => {
    expect(brief(await problemsOf(shortForm(changes)))).toEqual([expected.trim()]);
  });

  it.each([
    ["tasks: []\ncandidates: { a: { command: [x] } }", ["value_count tasks"]],
    ["- a\n- b", ["value_type"]],
    ["just a text", ["value_type"]],
    ["taks: []\ncandidates: { a: { command: [x] } }", ["key_unknown taks"]],
  ])("%j", async (text, expected) => {
    expect(brief(await problemsOf(text))).toEqual(expected);
  });

  it("refuses task 101", async () => {
    const tasks = Array.from({ length: 101 }, (_, i) => ({
      id: `t${i}`,
      dataset: "d.csv",
      prompt_template: "p",
      target_template: "t",
      grader: "contains",
    }));
    const candidates = { a: { command: ["x"] } };
    expect(brief(await problemsOf(JSON.stringify({ tasks, candidates })))).toEqual([
      "value_count tasks",
    ]);
    expect(await problemsOf(JSON.stringify({ tasks: tasks.slice(1), candidates }))).toEqual([]);
  });

  it("says line, column and what was probably meant", async () => {
    const text = [
      "dataset: data.jsonl",
      'prompt_template: "{{a}}"',
      "target_template: t",
      "grader: exact_match",
      "candidates:",
      "  app:",
      "    comand: [python3, app.py]",
      "gate: { rules: [{ metric: exact_match, mni: 0.5 }] }",
    ].join("\n");
    const problems = await problemsOf(text);
    expect(problems.map(({ place, hint }) => [place?.line, place?.column, hint])).toEqual([
      [7, 5, "Did you mean `command`?"],
      [8, 40, "Did you mean `min`?"],
    ]);
  });

  it("sends no key of a candidate to the settings of models, which would not hold for it", async () => {
    const text = [
      "dataset: data.jsonl",
      'prompt_template: "{{a}}"',
      "target_template: t",
      "grader: exact_match",
      "candidates:",
      "  app: { command: [python3, app.py], max_retries: 2 }",
      "  agent: { agent: claude-code, instructions: Be brief. }",
    ].join("\n");
    expect((await problemsOf(text)).map(({ hint }) => hint)).toEqual([
      "Allowed here: command, fence, env, setup, timeout_seconds, pass, inputs.",
      "Did you mean `system_prompt`?",
    ]);
  });

  it("says what is allowed, in words", async () => {
    const problems = await problemsOf(
      shortForm({ run: { concurrency: 0 }, repeats: "two", choices: [51] }),
    );
    expect(new Set(problems.map(({ message }) => message))).toEqual(
      new Set([
        "found 51; allowed is a text",
        'found 0, which is out of range; allowed is "auto" or a whole number from 1 to 25',
        'found "two"; allowed is a whole number of 1 or more',
      ]),
    );
    expect(problems.find(({ place }) => place?.path === "choices[0]")?.hint).toBe(
      'Put it in quotes: "51".',
    );
  });
});
