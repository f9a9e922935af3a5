import { describe, expect, it } from "vitest";
import { faultsOfAlso } from "../../src/grading/row-checks.ts";
import { isJsonObject } from "../../src/model/json.ts";
import { type Files, translated, wazaTask } from "../support/waza-files.ts";

/** How an eval file is taken: `taken`, or the codes of its problems. */
async function read(text: string, files: Files = {}): Promise<string> {
  const found = await translated(text, { "tasks/a.yaml": wazaTask, ...files });
  if (found.kind === "refused") return found.problems.map(({ code }) => code).join(" ");
  const document = isJsonObject(found.value) ? found.value : {};
  const [first = document] = Array.isArray(document["tasks"]) ? document["tasks"] : [];
  const grader = isJsonObject(first) ? first["grader"] : undefined;
  const faults = faultsOfAlso(isJsonObject(grader) ? grader : {});
  return faults.length > 0 ? `unusable: ${faults[0]}` : "taken";
}

const plain = "{ type: text, name: g, config: { contains: [x] } }";

function file(grader = plain, { config = "", metrics = "[]", rest = "" } = {}): string {
  return `name: e
skill: s
version: "1.0"
config: { trials_per_task: 1, timeout_seconds: 5, executor: mock, model: m${config} }
graders:
  - ${grader}
metrics: ${metrics}
tasks: ["tasks/*.yaml"]
${rest}`;
}

function graderOf(type: string, config: string): string {
  return file(`{ type: ${type}, name: g, config: ${config} }`);
}

const written: Readonly<Record<string, string>> = {
  "with the line ends of Windows": file().replaceAll("\n", "\r\n"),
  "with a byte order mark": `\uFEFF${file()}`,
  "with anchors": file(`&g ${plain}\n  - { <<: *g, name: h }`),
  "with keys and values in quotes": file(
    `{ "type": 'text', "name": "g", "config": { "contains": ["x"] } }`,
  ),
  "as JSON": JSON.stringify({
    name: "e",
    skill: "s",
    config: { trials_per_task: 1, timeout_seconds: 5, executor: "mock", model: "m" },
    graders: [{ type: "text", name: "g", config: { contains: ["x"] } }],
    tasks: ["tasks/*.yaml"],
  }),
  "with a whole number that has a fraction of 0": file().replace("task: 1", "task: 1.0"),
  "with a name beyond ASCII": file("{ type: text, name: 'prüfung ✓', config: { contains: [ß] } }"),
  "with hooks that do nothing": file(plain, { rest: "hooks: { before_run: [] }" }),
  "with flags and classes of RE2": graderOf(
    "text",
    String.raw`{ regex_match: ['(?i)hello', '\A\pL+\z', '\Qa.b\E', '[[:alpha:]]', '(?P<n>a)'] }`,
  ),
  "with a weight of 0": file("{ type: text, name: g, weight: 0, config: { contains: [x] } }"),
};

describe("an eval file of waza is taken", () => {
  it.each(Object.entries(written))("%s", async (_, text) => expect(await read(text)).toBe("taken"));

  it("with spaces in the names of its task files", async () => {
    const text = file().replace('"tasks/*.yaml"', '"my tasks/*.yaml"');
    expect(await read(text, { "my tasks/a b.yaml": wazaTask })).toBe("taken");
  });
});

/** Checks that would always pass, by kind and config. */
const empty: readonly (readonly [kind: string, config: string])[] = [
  ["text", "{ contains: [''] }"],
  ["text", "{ regex_match: [''], contains_cs: [''] }"],
  ["keyword", "{ must_contain: [''] }"],
  ["regex", "{ must_match: [''] }"],
  ["behavior", "{ forbidden_tools: [''] }"],
  ["behavior", "{ max_tool_calls: 0 }"],
  ["behavior", "{ required_tools: [] }"],
  ["tool_constraint", "{ reject_tools: [''] }"],
  ["tool_constraint", "{}"],
  ["tool_calls", "{ min_calls: 0 }"],
  ["skill_invocation", "{ mode: in_order }"],
  ["skill_invocation", "{ mode: in_order, forbidden_skills: [''] }"],
  ["action_sequence", "{ matching_mode: exact_match }"],
  ["diff", "{ expected_files: [] }"],
  ["diff", "{ expected_files: [{ path: a }] }"],
  ["json_schema", "{ extract_json: true }"],
  ["code", "{ assertions: [] }"],
  ["code", "{ language: javascript }"],
];

describe("a check of waza that would always pass is refused", () => {
  it.each(empty)("%s %s", async (kind, config) =>
    expect(await read(graderOf(kind, config))).toContain("waza_check_empty"),
  );
});

/** Misspelt keys at each level. */
const misspelt: readonly (readonly [where: string, text: string, files?: Files])[] = [
  ["the file", file(plain, { rest: "graderz: []" })],
  ["config", file(plain, { config: ", trails_per_task: 2" })],
  ["a grader", file("{ type: text, name: g, wieght: 2, config: { contains: [x] } }")],
  ["a grader's config", graderOf("text", "{ contains: [x], regex_mach: [y] }")],
  ["an entry of files", graderOf("file", "{ content_patterns: [{ path: a, must_mach: [x] }] }")],
  ["an entry of diff", graderOf("diff", "{ expected_files: [{ path: a, contain: [x] }] }")],
  ["an entry of tools", graderOf("tool_constraint", "{ expect_tools: [{ tool: a, comand: x }] }")],
  ["an entry of calls", graderOf("tool_calls", "{ expect: [{ tool: a, arg: {} }] }")],
  ["a metric", file(plain, { metrics: "[{ name: trigger_accuracy, treshold: 1 }]" })],
  ["a task", file(), { "tasks/a.yaml": `${wazaTask}grader: [${plain}]\n` }],
  ["inputs", file(), { "tasks/a.yaml": "id: a\ninputs: { prompt: p, file: [] }\n" }],
  ["expected", file(), { "tasks/a.yaml": `${wazaTask}expected: { output_contain: [x] }\n` }],
  [
    "trigger tests",
    file(),
    { "trigger_tests.yaml": "skill: s\nshould_triger_prompts: [{ prompt: x }]\n" },
  ],
  [
    "a prompt of trigger tests",
    file(),
    {
      "trigger_tests.yaml": "skill: s\nshould_trigger_prompts: [{ prompt: x, confidense: low }]\n",
    },
  ],
];

describe("a misspelt key is refused in", () => {
  it.each(misspelt.map(([where, text, files = {}]) => [where, text, files] as const))(
    "%s",
    async (_, text, files) => expect(await read(text, files)).toContain("waza_key_unknown"),
  );
});

/** Values of a wrong type or without a meaning. */
const wrong: Readonly<Record<string, string>> = {
  "a weight in quotes": file("{ type: text, name: g, weight: '2', config: { contains: [x] } }"),
  "trials in quotes": file().replace("task: 1", "task: '1'"),
  "half a trial": file().replace("task: 1", "task: 1.5"),
  "a flag in quotes": file(plain, { rest: "baseline: 'true'" }),
  "a text for a list": graderOf("text", "{ contains: x }"),
  "a number in a list of texts": graderOf("text", "{ contains: [404] }"),
  "a mapping for a list of calls": graderOf("tool_calls", "{ min_calls: 1, expect: { tool: a } }"),
  "a limit in quotes": graderOf("behavior", "{ max_tool_calls: '3' }"),
  "a limit below 0": graderOf("tool_calls", "{ max_calls: -1 }"),
  "a mode of another grader": graderOf(
    "skill_invocation",
    "{ mode: in_order_match, required_skills: [a] }",
  ),
  "a mode that is none": graderOf("prompt", "{ prompt: x, mode: pairwize }"),
  "assertions in two places": file(
    "{ type: code, name: g, assertions: ['False'], config: { assertions: ['True'] } }",
  ),
  "metrics as a mapping": file(plain, { metrics: "{ trigger_accuracy: 0.9 }" }),
  "a metric that is almost trigger_accuracy": file(plain, {
    metrics: "[{ name: triger_accuracy, threshold: 0.9 }]",
  }),
  "a threshold that nothing measures": file(plain, {
    metrics: "[{ name: trigger_accuracy, threshold: 0.9 }]",
  }),
  "another case of letters": file().replace("executor: mock", "executor: Mock"),
};

describe("an eval file of waza is refused for", () => {
  it.each(Object.entries(wrong))("%s", async (_, text) =>
    expect(await read(text)).toContain("waza_value"),
  );

  it.each(["(?=x)", String.raw`(a)\1`, "(?<=a)b", "a++", String.raw`\d{1001}`, "("])(
    "the pattern %s, which RE2 has not",
    async (pattern) => {
      const config = JSON.stringify({ regex_match: [pattern] });
      expect(await read(graderOf("text", config))).toContain("no pattern of RE2");
    },
  );

  it.each(["/etc/passwd", "../x", ".", ""])("the path %j of a file", async (path) => {
    const config = JSON.stringify({ must_exist: [path] });
    expect(await read(graderOf("file", config))).not.toBe("taken");
  });

  it.each([
    ["", "waza_file_unusable"],
    ["- id: a\n", "waza_file_unusable"],
    ["id: a\n", "waza_value"],
    ["id: a\nenabled: 'false'\ninputs: { prompt: p }\n", "waza_value"],
  ])("the task %j", async (text, code) => {
    expect(await read(file(), { "tasks/a.yaml": text })).toContain(code);
  });
});
