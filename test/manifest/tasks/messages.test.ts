import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/model/json.ts";
import { brief, problemsOf, shortForm, suiteOf } from "../resolve-text.ts";

type Changes = Readonly<Record<string, Json | undefined>>;

const asked = (messages_template: Json, more: Changes = {}): string =>
  shortForm({ prompt_template: undefined, messages_template, ...more });
const user = (content: Json): Json => [{ role: "user", content }];

async function taskOf(text: string) {
  const { suite, warnings } = await suiteOf(text);
  return { task: suite.tasks[0], warnings: brief(warnings) };
}

describe("messages", () => {
  it("are a list, a field of the row, or a start and turns", async () => {
    const list = [
      { role: "system", content: "s" },
      "{{history}}",
      {
        role: "user",
        content: [
          { type: "text", text: "t" },
          { type: "image", url: "{{u}}" },
        ],
      },
    ];
    const start = [
      { kind: "message", role: "system", content: "s" },
      { kind: "field", text: "{{history}}" },
      {
        kind: "message",
        role: "user",
        content: [
          { type: "text", text: "t" },
          { type: "image", from: "url", text: "{{u}}", detail: undefined },
        ],
      },
    ];
    const { task, warnings } = await taskOf(asked(list));
    expect(task).toMatchObject({ prompt_template: "", messages: { start, turns: undefined } });
    expect(warnings).toEqual([]);
    const field = { start: [{ kind: "field", text: "{{messages}}" }] };
    expect((await taskOf(asked("{{messages}}"))).task?.messages).toMatchObject(field);
    const turns = await taskOf(asked({ start: list, turns: "{{turns}}" }));
    expect(turns.task?.messages).toEqual({ start, turns: "{{turns}}" });
    expect((await taskOf(asked({ turns: "{{turns}}" }))).task?.messages?.start).toEqual([]);
  });

  it.each<[string, string, string]>([
    [
      "a literal list as a prompt",
      shortForm({ prompt_template: user("{{text}}") }),
      "prompt_is_list prompt_template",
    ],
    [
      "a prompt beside them",
      shortForm({ messages_template: user("x") }),
      "keys_exclusive messages_template",
    ],
    ["neither of the two", shortForm({ prompt_template: undefined }), "keys_none"],
    ["a text around the field", asked("Hi {{messages}}"), "value_characters messages_template"],
    ["no turns beside a start", asked({ start: "{{messages}}" }), "key_missing messages_template"],
    [
      "an unknown role",
      asked([{ role: "bot", content: "x" }]),
      "value_unknown messages_template[0].role",
    ],
    ["no content", asked([{ role: "user" }]), "key_missing messages_template[0]"],
    [
      "an unknown key",
      asked([{ role: "user", content: "x", name: "y" }]),
      "key_unknown messages_template[0].name",
    ],
    ["a number as a content", asked(user(3)), "value_type messages_template[0].content"],
    [
      "an unknown part",
      asked(user([{ type: "video" }])),
      "value_unknown messages_template[0].content[0].type",
    ],
    [
      "a text part without a text",
      asked(user([{ type: "text" }])),
      "keys_none messages_template[0].content[0]",
    ],
    [
      "a text part with a file",
      asked(user([{ type: "text", text: "x", file: "y" }])),
      "key_misplaced messages_template[0].content[0].file",
    ],
    [
      "an image from nowhere",
      asked(user([{ type: "image" }])),
      "keys_none messages_template[0].content[0]",
    ],
    [
      "an image from two places",
      asked(user([{ type: "image", file: "a", url: "b" }])),
      "keys_exclusive messages_template[0].content[0].url",
    ],
    [
      "a strange detail",
      asked(user([{ type: "image", file: "a", detail: "x" }])),
      "value_unknown messages_template[0].content[0].detail",
    ],
    [
      "a result and an error at once",
      shortForm({ tool_results: { f: [{ result: 1, error: 2 }] } }),
      "keys_exclusive tool_results.f[0].error",
    ],
    ["neither of the two", shortForm({ tool_results: { f: [{}] } }), "keys_none tool_results.f[0]"],
    ["a number as a result", shortForm({ tool_results: { f: 3 } }), "value_type tool_results.f"],
    [
      "arguments as a text",
      shortForm({ tool_results: { f: [{ arguments: "{}", result: 1 }] } }),
      "value_type tool_results.f[0].arguments",
    ],
  ])("refuse %s", async (_, text, expected) => {
    expect(brief(await problemsOf(text))).toEqual([expected]);
  });
});

describe("few-shot examples of messages", () => {
  const shown = (fewshot: Json, more: Changes = {}): string =>
    asked(user("{{text}}"), { fewshot, ...more });

  it("ask what the messages ask, or what their own prompt says", async () => {
    expect((await taskOf(shown({ count: 1 }))).task?.fewshot?.prompt_template).toBeUndefined();
    const own = await taskOf(shown({ count: 1, prompt_template: "Q {{text}}" }));
    expect(own.task?.fewshot?.prompt_template).toBe("Q {{text}}");
  });

  it.each<[string, string, string]>([
    [
      "a text that would join them",
      shown({ count: 1, example_template: "x" }),
      "fewshot_joined fewshot.example_template",
    ],
    ["a separator", shown({ count: 1, separator: "x" }), "fewshot_joined fewshot.separator"],
    [
      "examples without an answer",
      shown({ count: 1 }, { target_template: undefined, grader: "json_valid" }),
      "fewshot_answer_missing fewshot",
    ],
    [
      "turns as an example's question",
      asked({ turns: "{{t}}" }, { num_fewshot: 1 }),
      "fewshot_question_missing num_fewshot",
    ],
  ])("refuse %s", async (_, text, expected) => {
    expect(brief(await problemsOf(text))).toEqual([expected]);
  });
});

describe("braces where no template is", () => {
  const model = (more: Changes): Changes => ({ candidates: { m: { model: "ollama:m", ...more } } });

  it.each<[string, Changes, readonly string[]]>([
    [
      "a command",
      { candidates: { app: { command: ["x", "{{prompt}}"] } } },
      ["braces_literal candidates.app.command[1]"],
    ],
    [
      "a judge's rubric",
      { run: { judge_model: "ollama:j" }, grader: { type: "judge", rubric: "Is {{label}} said?" } },
      ["braces_literal grader.rubric"],
    ],
    ["choices", { choices: ["{{a}}"] }, ["braces_literal choices[0]"]],
    ["a model's stop sequence", model({ stop: "{{ end }}" }), ["braces_literal candidates.m.stop"]],
    [
      "a tool's description",
      model({ tools: [{ type: "function", name: "f", description: "{{x}}" }] }),
      ["braces_literal candidates.m.tools[0].description"],
    ],
  ])("are told in %s: they stay as they stand", async (_, changes, expected) => {
    expect((await taskOf(shortForm(changes))).warnings).toEqual(expected);
  });

  it.each<[string, Changes]>([
    [
      "templates",
      {
        target_template: "{{a}}",
        tool_results: { f: [{ arguments: { a: "{{a}}" }, result: "{{b}}" }] },
      },
    ],
    ["instructions", model({ instructions: "Speak {{lang}}." })],
    [
      "an app's request",
      {
        candidates: {
          app: {
            http: {
              url: "http://127.0.0.1/{{a}}",
              headers: { x: "{{a}}" },
              body: { m: ["{{messages}}"] },
            },
          },
        },
      },
    ],
    ["source", { grader: { type: "python", source: "x = '{{a}}'" } }],
    ["a pattern", { grader: { type: "regex", pattern: "{{a}}" } }],
    ["a schema", { grader: { type: "json_schema", schema: { const: "{{a}}" } } }],
    ["metadata", { metadata: { a: "{{a}}" } }],
    [
      "extra_body and what a chat template is given",
      model({ extra_body: { a: "{{a}}" }, chat_template_kwargs: { a: "{{a}}" } }),
    ],
    [
      "a tool's parameters",
      model({ tools: [{ type: "function", name: "f", parameters: { pattern: "{{a}}" } }] }),
    ],
    ["JSON and braces that are no field", { choices: ['{"a": {"b": 1}}', "{{}}", "{{a b}}"] }],
  ])("are nobody's mistake in %s", async (_, changes) => {
    const { warnings } = await taskOf(shortForm(changes));
    expect(warnings.filter((each) => each.startsWith("braces"))).toEqual([]);
  });
});
