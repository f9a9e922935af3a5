import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { jsonLines } from "../support/cli.ts";
import type { Day } from "../support/provider/days.ts";
import type { Seen } from "../support/provider/server.ts";

/** What an example of the docs needs beside it. */
export interface Beside {
  /** Where the manifest lies; default: suite.yaml. */
  readonly path?: string;
  /** Keys of the suite that the example leaves out, and that are other than a small suite's. */
  readonly suite?: Readonly<Record<string, unknown>>;
  /** Cases; default: two tickets with `question` and `answer`. */
  readonly rows?: readonly object[];
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** What a model answers; default: "billing". */
  readonly model?: (seen: Seen) => Day | undefined;
  /** The model's prices. */
  readonly prices?: Readonly<Record<string, { readonly input: number; readonly output: number }>>;
  /** Values of metrics that the example must give. */
  readonly metrics?: Readonly<Record<string, number>>;
  /** A folder of the project that the PATH begins with. */
  readonly programs?: string;
}

const image = await readFile("examples/chat/data/images/shoe.png");
const stream = (name: string): string => resolve(`test/fixtures/agents/streams/${name}.jsonl`);

/** Plays what Claude Code wrote once: with a server of tools a call of it. */
const claude = `#!/bin/sh
case "$*" in *--version*) echo "2.1.197 (Claude Code)"; exit 0;; esac
cat >/dev/null
case "$*" in
  *mcp__graph*) sed s/mcp__graph__callers/mcp__graph__search/g ${stream("claude-code-tool")};;
  *) cat ${stream("claude-code-answer")};;
esac
`;
const claudeCode = {
  "bin/claude": claude,
  "graph_server.py": "",
  "prompts/explainer.md": "Explain.",
};

const app = `import sys
print("billing" if "charged" in sys.stdin.read() else "other")
`;

const labels = [{ id: "t1", text: "I was charged twice", label: "billing" }];
const wazaEval = `name: greetings
skill: greeter
version: "1.0"
config: { trials_per_task: 1, timeout_seconds: 30, executor: mock, model: m }
graders: [{ type: text, name: says_billing, config: { contains: [billing] } }]
metrics: [{ name: q, weight: 1, threshold: 0.5 }]
tasks: ["tasks/*.yaml"]
`;
const callsInOrder = [
  { name: "search", arguments: { q: "orders" } },
  { name: "get_order", arguments: { id: "A-17" } },
];
const recorded = (line: object): Record<string, string> => ({
  "answers.jsonl": jsonLines([{ case_id: "t1", ...line }]),
});
const replayed = { app: { replay: "answers.jsonl" } };
const one = [{ id: "t1", question: "Where is A-17?", answer: "shipped" }];
const model = { mini: "house:m" };

/** The judge's answer: five of five on each scale. */
function onScales(scales: readonly string[]): Day {
  const scores = scales.map((scale) => ({ [`${scale}_reasoning`]: "r", [scale]: 3 }));
  return {
    kind: "answer",
    text: JSON.stringify({ ...Object.assign({}, ...scores), unverified_claims: [] }),
  };
}

/** Results of promptfoo whose case about Peru, which passes, has an id. */
async function resultsWithId(id: string): Promise<string> {
  const text = await readFile("test/fixtures/results/promptfoo/head.json", "utf8");
  const out = JSON.parse(text) as { results: { results: { vars: object; testCase: object }[] } };
  for (const { vars, testCase } of out.results.results)
    if ("country" in vars && vars.country === "Peru") Object.assign(testCase, { id });
  return JSON.stringify(out);
}

/** By the page, and which of its examples it is. */
export const beside: Readonly<Record<string, Beside>> = {
  "README.md yaml 1": {
    path: "evals/support.yaml",
    files: { "app.py": app, "evals/tickets.jsonl": jsonLines(labels) },
    metrics: { exact_match: 1 },
  },
  "docs/agents.md yaml 1": {
    rows: [],
    files: {
      ...claudeCode,
      "questions.jsonl": jsonLines([{ id: "q", question: "?", answer: "parse" }]),
    },
    programs: "bin",
    metrics: { answer: 1 },
  },
  "docs/agents.md yaml 2": {
    files: {
      "fixtures/notes.txt": "notes",
      "agent.py": `import json, os, sys
assert os.path.exists("notes.txt")
text = "billing" if "charged" in sys.stdin.read() else "other"
print(json.dumps({"type": "answer", "output_text": text}))
`,
    },
    metrics: { exact_match: 1 },
  },
  "docs/candidates.md yaml 1": { metrics: { exact_match: 0.5 } },
  "docs/candidates.md yaml 2": {
    files: { "app.js": 'console.log("billing")', "package-lock.json": "{}" },
  },
  "docs/candidates.md yaml 3": {
    suite: { target_template: "Echo: {{question}}" },
    metrics: { exact_match: 1 },
  },
  "docs/candidates.md yaml 4": {
    suite: { candidates: model },
    prices: { "*": { input: 0.1, output: 0.4 } },
  },
  "docs/datasets.md yaml 1": {
    suite: { target_template: "{{correct_answer_num}}", candidates: { app: { answer: "1" } } },
    metrics: { exact_match: 0.5 },
  },
  "docs/datasets.md yaml 2": {
    suite: { target_template: "{{correct_answer_num}}", candidates: { app: { answer: "1" } } },
    metrics: { exact_match: 0.5 },
  },
  "docs/graders.md yaml 1": {
    rows: one,
    suite: { candidates: replayed },
    files: recorded({
      output_text: "done",
      tool_calls: [{ name: "search", arguments: { city: "Paris" } }],
    }),
  },
  "docs/graders.md yaml 2": {
    rows: [{ ...one[0], should_trigger: false, weight: 2 }],
    suite: { candidates: replayed },
    files: recorded({ output_text: "shipped", transcript: [] }),
    metrics: { accuracy: 1 },
  },
  "docs/graders.md yaml 3": {
    rows: one,
    suite: { candidates: replayed },
    files: recorded({ output_text: "It is shipped.", tool_calls: callsInOrder }),
    metrics: { code: 1 },
  },
  "docs/graders.md yaml 4": {
    suite: { run: { judge_model: "house:judge" } },
    model: () => onScales(["factual_adherence", "completeness", "tone"]),
    metrics: { tone: 3, completeness: 3 },
  },
  "docs/graders.md yaml 5": {
    suite: { run: { judge_model: "house:judge" } },
    model: ({ prompt }) =>
      /^You have called/m.test(prompt)
        ? { kind: "answer", text: "DONE" }
        : {
            kind: "answer",
            toolCalls: ["city", "polite"].map((description) => ({
              name: "set_waza_grade_pass",
              arguments: { description, reason: "looked" },
            })),
          },
    metrics: { judge_calls: 1 },
  },
  "docs/graders.md yaml 7": {
    rows: one,
    suite: { candidates: replayed },
    files: recorded({ output_text: "", tool_calls: callsInOrder }),
    metrics: { tool_calls: 1 },
  },
  "docs/manifest.md yaml 1": {
    files: {
      "app.py": app,
      "data/tickets.jsonl": jsonLines(labels),
      "data/questions.csv": "question,answer\nCapital of France?,other\n",
    },
    metrics: { exact_match: 1, token_f1: 1 },
  },
  "docs/manifest.md yaml 3": {
    path: "evals/support.yaml",
    files: { "out.json": await resultsWithId("refund-1") },
  },
  "docs/manifest.md yaml 4": {
    files: {
      "data/train.jsonl": jsonLines(
        [1, 2, 3].map((n) => ({ question: `${n}+0?`, answer: `${n}` })),
      ),
    },
  },
  "docs/manifest.md yaml 5": {
    rows: one,
    suite: { candidates: { app: { answer: '{"answer": "shipped", "sources": ["s"]}' } } },
    metrics: { exact_match: 1 },
  },
  "docs/manifest.md yaml 6": {
    files: {
      "rows.py":
        "def transform(row):\n    row['question'] = row['question'].strip()\n    return row\n",
    },
  },
  "docs/manifest.md yaml 7": {
    rows: [{ question: "1+1?", answer: "2" }],
    suite: { candidates: { app: { answer: "2" } } },
    files: { "graders/tone.py": "def grade(sample, item):\n    return 1.0\n" },
    metrics: { score: 1, tone: 1, close: 1 },
  },
  "docs/manifest.md yaml 8": {
    rows: [{ question: "Where?", answer: "", city: "Paris", country: "France" }],
    suite: {
      candidates: { app: { answer: '{"answer": 1, "city": "Paris", "country": "France"}' } },
    },
    metrics: { city: 1, country: 1 },
  },
  "docs/manifest.md yaml 9": {
    rows: [
      {
        id: "paris",
        question: "Capital of France?",
        answer: "",
        checks: [
          { type: "contains", target: "Paris", name: "names_city", weight: 2 },
          { type: "regex", pattern: "I can't", not: true },
        ],
      },
    ],
    suite: { candidates: { app: { answer: '"Paris"' } } },
    metrics: { score: 1, passed: 1 },
  },
  "docs/messages.md yaml 1": {
    rows: [
      {
        ...one[0],
        shop: "Shoes",
        language: "English",
        history: [
          { role: "user", content: "Hi {{you}}" },
          { role: "assistant", content: "Hello" },
        ],
      },
    ],
    suite: { candidates: model },
    model: ({ body }) => ({
      kind: "answer",
      text: JSON.stringify(body).includes("the support of Shoes") ? "shipped" : "?",
    }),
    metrics: { exact_match: 1 },
  },
  "docs/messages.md yaml 2": {
    rows: [{ ...one[0], picture: "shoe.png" }],
    suite: { candidates: model },
    files: { "images/shoe.png": image },
    model: ({ body }) => ({
      kind: "answer",
      text: JSON.stringify(body).includes("data:image/png;base64,") ? "shipped" : "?",
    }),
    metrics: { exact_match: 1 },
  },
  "docs/messages.md yaml 3": {
    rows: [{ ...one[0], turns: ["Hello", "Where is A-17?"] }],
    suite: { candidates: model },
    model: ({ prompt }) => ({ kind: "answer", text: prompt === "Hello" ? "Hi" : "shipped" }),
    metrics: { exact_match: 1 },
  },
  "docs/messages.md yaml 4": {
    rows: [{ ...one[0], order: "A-17" }],
    suite: {
      candidates: {
        mini: {
          model: "house:m",
          tools: [{ type: "function", name: "get_order", parameters: { type: "object" } }],
        },
      },
    },
    model: ({ body }) =>
      JSON.stringify(body).includes("shipped")
        ? { kind: "answer", text: "shipped" }
        : { kind: "answer", toolCalls: [{ name: "get_order", arguments: { id: "A-17" } }] },
    metrics: { exact_match: 1 },
  },
  "docs/verdict.md yaml 1": {
    rows: Array.from({ length: 8 }, (_, i) => ({ ...one[0], id: `t${i}`, answer: "billing" })),
    metrics: { exact_match: 1 },
  },
  "docs/verdict.md yaml 2": {
    rows: ["refund-1", "safety-1", "never-again"].map((id) => ({
      id,
      question: "Which?",
      answer: "billing",
    })),
    metrics: { exact_match: 1 },
  },
  "docs/waza.md yaml 1": {
    files: {
      "app.py": app,
      "eval.yaml": wazaEval,
      "tasks/a.yaml": "id: a\nname: A\ninputs:\n  prompt: I was charged twice\n",
    },
  },
};

/** Examples that another test runs. */
export const elsewhere: Readonly<Record<string, string>> = {
  "docs/graders.md yaml 6": "test/end-to-end/waza-judge.test.ts",
  "docs/k-eval.md yaml 1": "test/end-to-end/k-eval.test.ts",
  "docs/manifest.md yaml 2": "test/end-to-end/sygra.test.ts",
};

/** The file of a data set on the hub, and the token that a gated one is read with. */
export const hubFile = "/datasets/acme/evals/resolve/main/validation.jsonl";
export const hubToken = "hf_1234567890";

/** Blocks of commands that run in a new folder, or beside the README's suite and a run in runs/today. */
export const commands: readonly string[] = [
  "README.md sh 2",
  "docs/cli.md sh 1",
  "docs/report.md sh 1",
];

/** Blocks of commands that are run by another test, or by the checks of every change. */
export const commandsElsewhere: Readonly<Record<string, string>> = {
  "README.md sh 1": "test/docs/examples.test.ts, and .ci/run",
  "README.md sh 3": ".ci/run",
  "docs/github.md sh 1": "test/end-to-end/show.test.ts: it needs a run on GitHub",
  "docs/sandbox.md sh 1": "test/end-to-end/escapes.test.ts",
  "docs/sygra.md sh 1": "test/end-to-end/sygra.test.ts",
};
