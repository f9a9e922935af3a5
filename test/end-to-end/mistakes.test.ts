import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { jsonLines, regrade } from "../support/cli.ts";

/** Mistakes of a suite's author, each with what is said before anything is paid for: what it is, and the way out. */

const right: Readonly<Record<string, string>> = {
  dataset: "rows.jsonl",
  prompt_template: '"Q {{text}}"',
  target_template: '"{{label}}"',
  grader: "exact_match",
  candidates: "{ app: { command: [python3, app.py] } }",
};

const python = (file: string, more = ""): string => `{ type: python, file: ${file}${more} }`;

interface Mistake {
  /** Keys of the manifest that are other than right. */
  readonly suite: Readonly<Record<string, string>>;
  readonly said: readonly string[];
}

/** Warned of, and refused under `--strict`. */
const slips: Readonly<Record<string, Mistake>> = {
  "a misspelt field of the prompt": {
    suite: { prompt_template: '"Q {{txet}}"' },
    said: ["no row has such a field: it renders as nothing", "Did you mean '{{text}}'?"],
  },
  "a target that is no label": {
    suite: {
      dataset: "labels.jsonl",
      output_extraction: "{ type: label_set, labels: [billing, bug] }",
    },
    said: [
      "the target of 1 of 3 cases is none of the labels of `output_extraction`",
      'the first is "biling"',
      'Did you mean "billing"?',
    ],
  },
  "a field that is like none": {
    suite: { prompt_template: '"Q {{banana}}"' },
    said: ["The rows have id, text, label."],
  },
  "a file in a template": {
    suite: { prompt_template: '"{{q.txt}}"' },
    said: ["'{{q.txt}}'", "never a file: paste the file's text into it"],
  },
  "a name that a field does not have": {
    suite: { dataset: "nested.jsonl", prompt_template: '"{{q.tx}}"' },
    said: ["reads '{{q.tx}}', and no row has such a field", "Did you mean '{{q.txt}}'?"],
  },
  "a name within a field that is a text": {
    suite: { prompt_template: '"{{text.body}}"' },
    said: ["reads '{{text.body}}', and no row has such a field"],
  },
  "a name within a field, in messages": {
    suite: {
      dataset: "nested.jsonl",
      prompt_template: "",
      messages_template: '[{ role: user, content: [{ type: text, text: "{{q.tx}}" }] }]',
    },
    said: ["Did you mean '{{q.txt}}'?"],
  },
  "single braces": {
    suite: { prompt_template: '"Q {text}"' },
    said: ["the template has no field: '{text}' is sent as it stands", "written {{text}}"],
  },
  "a dollar before braces": {
    suite: { prompt_template: '"Q ${text}"' },
    said: ["'${text}' is sent as it stands"],
  },
  "attributes of a dict": {
    suite: { grader: python("attribute.py") },
    said: ["the grader reads .output_text, and sample and item are dicts"],
  },
  "a score outside its range": {
    suite: { grader: python("percent.py"), metrics: "[{ id: score, range: [0, 1] }]" },
    said: ['the grader gives 85 as "score", outside its range [0, 1]'],
  },
  "choices that nobody declares": {
    suite: { prompt_template: '"{{text}} {{choices}}"' },
    said: ["neither the task nor any row has `choices`", "choices: [A, B, C, D]"],
  },
  "a list of choices that nobody declares": {
    suite: { prompt_template: '"{{text}} {{choice_list}}"' },
    said: ["'{{choice_list}}'"],
  },
  "the grader choice without choices": {
    suite: { grader: "choice" },
    said: ["the grader choice has nothing to choose from", "choices: [A, B, C, D]"],
  },
  "required calls in a field that no row has": {
    suite: { grader: "{ type: tool_calls, required: labels }" },
    said: ["the grader tool_calls reads the row's field 'labels'", "Did you mean 'label'?"],
  },
  "triggers whose rows don't say what is right": {
    suite: { grader: "{ type: triggers, skill: x }" },
    said: [
      "the grader triggers reads the row's field 'should_trigger', and no row has such a field",
    ],
  },
  "a field to hand on that no row has": {
    suite: { candidates: "{ app: { command: [python3, app.py], pass: [lable, id] } }" },
    said: [
      "candidates.app: the candidate is to be given the field 'lable'",
      "Did you mean 'label'?",
    ],
  },
  "a misspelt field in a request": {
    suite: {
      candidates:
        '{ app: { http: { url: "http://127.0.0.1:9/", body: { p: "{{prompt}}", t: ["{{txet}}"] } } } }',
    },
    said: ["is to be given the field 'txet'", "Did you mean 'text'?"],
  },
  "choices in an answer": {
    suite: { candidates: '{ app: { answer: "{{prompt}} {{choices}}" } }' },
    said: ["is to be given the field 'choices'", "The rows have id, text, label."],
  },
  "an empty prompt": {
    suite: { prompt_template: '"  "' },
    said: ["`prompt_template` is empty: the candidate is asked nothing"],
  },
  "an empty target": {
    suite: { target_template: '""' },
    said: ["every answer is compared with nothing"],
  },
  "a grader that returns a bool": {
    suite: { grader: python("bool.py") },
    said: ["with the target as the answer, grade returned the bool True: return 1.0 or 0.0"],
  },
  "a grader that returns nothing": {
    suite: { grader: python("none.py") },
    said: ["grade returned None: every path through grade needs a return"],
  },
  "a score that is no metric": {
    suite: { grader: python("key.py"), metrics: "[{ id: exact, range: [0, 1] }]" },
    said: ['gives "exakt" and not the task\'s metric "exact"', 'or return "exact"'],
  },
  "a metric of the whole that is not declared": {
    suite: {
      grader: python("batch.py", ", contract: batch"),
      metrics: "[{ id: f1, range: [0, 1] }]",
    },
    said: ['gives "macro" and not the task\'s metric "f1"'],
  },
  "a misspelt key of the sample": {
    suite: { grader: python("typo.py") },
    said: ['the grader reads "outputtext"', 'Did you mean "output_text"?'],
  },
  "a grader without a judge": {
    suite: { grader: python("judge.py", ", contract: model_backed") },
    said: ["the grader may ask models, and the run names none"],
  },
  "embeddings without their model": {
    suite: {
      grader: python("embed.py", ", contract: model_backed"),
      run: '{ judge_model: "openai:gpt-5.4-mini" }',
    },
    said: ["ctx.embeddings_create without a model of its own", "run: { embedding_model: "],
  },
  "an extraction that can explode": {
    suite: { output_extraction: '{ type: regex, pattern: "(a+)+$" }' },
    said: ['"(a+)+$" takes minutes on a short text', "A repetition within a repetition"],
  },
  "a counted repetition that can explode": {
    suite: { output_extraction: '{ type: regex, pattern: "(.*?,){20}P" }' },
    said: ['"(.*?,){20}P" takes minutes on a short text'],
  },
  "a grader's pattern that can explode": {
    suite: { grader: '{ type: regex, pattern: "(\\\\d+,?)+!" }' },
    said: ["takes minutes on a short text"],
  },
  "a temperature where the model reasons": {
    suite: {
      candidates:
        '{ app: { model: "openai:gpt-5.4-mini", temperature: 0, reasoning: { effort: low } } }',
    },
    said: ["will refuse temperature, reasoning.effort: low", "set reasoning.effort to none"],
  },
  "a judge that takes no temperature": {
    suite: {
      grader: '{ type: judge, rubric: "good?" }',
      run: '{ judge_model: "openai:gpt-5-mini" }',
    },
    said: ["openai:gpt-5-mini will refuse temperature", "option temperature to null"],
  },
};

/** Refused with and without `--strict`. */
const refused: Readonly<Record<string, Mistake>> = {
  "a field to hand on that says what triggers expect, by its default": {
    suite: {
      dataset: "{ rows: [{ id: a, text: x, should_trigger: true }] }",
      target_template: "",
      grader: "{ type: triggers, skill: x }",
      candidates: "{ app: { command: [python3, app.py], pass: [should_trigger] } }",
    },
    said: ["'pass' hands the candidate 'should_trigger', which the target is made of"],
  },
  "max_tokens, as providers call it": {
    suite: { run: "{ generation: { max_tokens: 5 } }" },
    said: ["no key `max_tokens` here", "Did you mean `max_output_tokens`?"],
  },
  "a setting of the run at the top": {
    suite: { temperature: "0" },
    said: ["Write it as `run.generation.temperature`."],
  },
  "the judge at the top": {
    suite: { judge_model: "openai:gpt-5.4-mini" },
    said: ["Write it as `run.judge_model`."],
  },
  "another tool's name for a setting of the run": {
    suite: { timeout: "20" },
    said: ["Write it as `run.generation.timeout_seconds`."],
  },
  "a limit of the gate at the top": {
    suite: { max_drop: "0.02" },
    said: ["Write it as `gate.max_drop`."],
  },
  "another tool's name for a key": {
    suite: { repetitions: "3" },
    said: ["Did you mean `repeats`?"],
  },
  "a rule at the top": {
    suite: { min: "0.8" },
    said: ["Write it as `gate: { rules: [{ metric: …, min: … }] }`."],
  },
  "repeats of the run": {
    suite: { run: "{ repeats: 3 }" },
    said: ["Write it as `repeats` of the task."],
  },
  "models of the run": {
    suite: { run: "{ models: [a] }" },
    said: ["Write it as `candidates`, beside `run`."],
  },
  "a setting that another API writes flat": {
    suite: { candidates: '{ app: { model: "openai:gpt-5.4-mini", reasoning_effort: low } }' },
    said: ["Write it as `reasoning: { effort: … }`."],
  },
  "a setting of one provider": {
    suite: { candidates: '{ app: { model: "mistral:m", random_seed: 5 } }' },
    said: ["Write it as `extra_body: { random_seed: … }`, which OpenAI and Azure don't get."],
  },
  "another API's number of answers": {
    suite: { candidates: '{ app: { model: "google:m", candidateCount: 5 } }' },
    said: ["Write it as `repeats` of the task."],
  },
  "a judge without a model": {
    suite: { grader: '{ type: judge, rubric: "good?" }' },
    said: ["asks a model, and the run names none", "Set run.judge_model"],
  },
  "an embedding metric without its model": {
    suite: { grader: "answer_relevance", run: '{ judge_model: "openai:gpt-5.4-mini" }' },
    said: ["embedding_model"],
  },
  "a rule for no metric": {
    suite: { gate: "{ rules: [{ metric: exactmatch, min: 0.8 }] }" },
    said: ["matches no metric of this suite"],
  },
};

/** Nothing is said of these. */
const good: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a name that only some rows have within a field": {
    dataset: "nested.jsonl",
    prompt_template: '"{{q.rare}}"',
  },
  "braces of a language beside a field": { prompt_template: '"{{text}} as { text }"' },
  "a CSV file of semicolons": { dataset: "semicolons.csv" },
  "a CSV file of tabs": { dataset: "tabs.csv" },
  "a CSV file of vertical bars": { dataset: "bars.csv" },
  "rows with choices of their own": {
    dataset: "choices.jsonl",
    prompt_template: '"{{text}} {{choice_list}}"',
  },
  "a grader that may fail for an answer that nobody gave": {
    grader: python("json.py"),
    gate: "none",
  },
  "patterns that are harmless": {
    output_extraction: '{ type: regex, pattern: "(?i)answer[^A-D]*([A-D])\\\\b" }',
  },
};

const graders: Readonly<Record<string, string>> = {
  "bool.py": "return sample['output_text'] == item['target']",
  "none.py": "print(sample['output_text'])",
  "key.py": "return {'scores': {'exakt': 1.0}}",
  "attribute.py": "return 1.0 if sample.output_text == item['label'] else 0.0",
  "percent.py": "return 85",
  "typo.py": "return 1.0 if sample['outputtext'] else 0.0",
  "json.py": "import json\n    return json.loads(sample['output_text'])['answer']",
};

const rows = [
  { id: "a", text: "hello", label: "x" },
  { id: "b", text: "bye", label: "y" },
];

function files(): Record<string, string> {
  const table = (separator: string): string =>
    [["id", "text", "label"], ...rows.map((row) => Object.values(row))]
      .map((each) => `${each.join(separator)}\n`)
      .join("");
  return {
    "app.py": "print('x')\n",
    "rows.jsonl": jsonLines(rows),
    "choices.jsonl": jsonLines(
      rows.map(({ id, text }) => ({ id, text, label: "x", choices: ["x", "y"] })),
    ),
    "labels.jsonl": jsonLines(
      ["Billing", "bug", "biling"].map((label, i) => ({ id: `${i}`, text: "t", label })),
    ),
    "nested.jsonl": jsonLines(
      [1, 2, 3].map((n) => ({ text: `${n}`, label: "x", q: n === 3 ? { rare: 1 } : { txt: "t" } })),
    ),
    "semicolons.csv": table(";"),
    "tabs.csv": table("\t"),
    "bars.csv": table("|"),
    "batch.py": "def grade_batch(samples):\n    return {'metrics': {'macro': 1.0}}\n",
    "judge.py": "def grade(sample, item, ctx):\n    ctx.responses_create(input='?')\n",
    "embed.py":
      "def grade(sample, item, ctx):\n    ctx.responses_create(model='auto', input='?')\n    ctx.embeddings_create(input=['?'])\n",
    ...Object.fromEntries(
      Object.entries(graders).map(([name, body]) => [
        name,
        `def grade(sample, item):\n    ${body}\n`,
      ]),
    ),
  };
}

/** Writes a suite, and says what its file is called. */
async function write(
  fixture: FsFixture,
  name: string,
  suite: Readonly<Record<string, string>>,
): Promise<string> {
  const file = `${name.replaceAll(/[^a-z]+/gi, "-")}.yaml`;
  const keys = { name: file.slice(0, -5), ...right, ...suite };
  const kept = Object.entries(keys).filter(([, value]) => value !== "");
  const text = kept.map(([key, value]) => `${key}: ${value}\n`);
  await writeFile(join(fixture.path, file), text.join(""));
  return file;
}

async function writeAll(
  fixture: FsFixture,
  mistakes: Readonly<Record<string, Mistake>>,
): Promise<ReadonlyMap<string, Mistake>> {
  const written = new Map<string, Mistake>();
  for (const [name, mistake] of Object.entries(mistakes))
    written.set(await write(fixture, name, mistake.suite), mistake);
  return written;
}

/** What was said of one suite. */
function saidOf(file: string, text: string): string {
  const parts = text.split(/^(?=\S+\.yaml:)/m);
  return parts.filter((part) => part.startsWith(`${file}:`)).join("");
}

const env = { OPENAI_API_KEY: "sk-test" };

describe("a mistake in a suite is told before it is paid for", () => {
  it("as a warning, which --strict refuses", { tags: "long" }, async () => {
    await using fixture = await createFixture(files());
    const written = await writeAll(fixture, slips);
    const strict = ["validate", "--strict", ...written.keys()];
    const end = await regrade(strict, { in: fixture.path, env });
    expect(end.code).toBe(2);
    for (const [file, { said }] of written)
      for (const words of said) expect(saidOf(file, end.stderr), file).toContain(words);
    expect(end.stderr.split("--strict refuses what would otherwise be a warning")).toHaveLength(2);
    const [typo = ""] = written.keys();
    const warned = await regrade(["validate", typo], { in: fixture.path, env });
    expect([warned.code, warned.stderr]).toEqual([
      0,
      expect.stringContaining("no row has such a field"),
    ]);
    expect(warned.stderr).not.toContain("--strict");
    const run = await regrade(["run", "--strict", typo], { in: fixture.path, env });
    expect([run.code, run.stdout]).toEqual([2, ""]);
  });

  it("as a refusal that says where it belongs", async () => {
    await using fixture = await createFixture(files());
    const written = await writeAll(fixture, refused);
    const end = await regrade(["validate", ...written.keys()], { in: fixture.path, env });
    expect(end.code).toBe(2);
    for (const [file, { said }] of written)
      for (const words of said) expect(saidOf(file, end.stderr), file).toContain(words);
  });

  it("and what is right is not complained of", async () => {
    await using fixture = await createFixture(files());
    const names: string[] = [];
    for (const [name, suite] of Object.entries(good)) names.push(await write(fixture, name, suite));
    const end = await regrade(["validate", "--strict", ...names], { in: fixture.path, env });
    expect([end.code, end.stderr]).toEqual([0, ""]);
  });
});
