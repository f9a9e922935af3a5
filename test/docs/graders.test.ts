import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { afterAll, beforeAll, expect, it } from "vitest";
import { jsonLines, readRunDirectory, regrade } from "../support/cli.ts";
import { startProvider, type Provider, type Seen } from "../support/provider/server.ts";

const page = await readFile("docs/graders.md", "utf8");
const graders = [...page.matchAll(/^<!-- grader: (\S+) -->\n```yaml\n([^]*?)^```$/gm)];
const files = [...page.matchAll(/^<!-- file: (\S+) -->\n```\w+\n([^]*?)^```$/gm)];

/** What the examples grade: recorded answers, so that nobody is asked but judges. */
const suite = `name: tickets
dataset: tickets.jsonl
prompt_template: "Billing or other? {{text}}"
target_template: "{{label}}"
candidates: { app: { replay: answers.jsonl } }
gate: none
`;
const tickets = [
  { id: "t1", text: "I was charged twice", label: "billing", channel: "mail" },
  { id: "t2", text: "It is blue", label: "other", channel: "chat" },
  { id: "t3", text: "Where is my invoice?", label: "billing", channel: "mail" },
  { id: "t4", text: "Hello", label: "other", channel: "chat" },
];
const answers = ["billing", "Other", "other", "other"];

/** Of the four answers, in order. */
const expected: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = {
  label: { score: [1, 0, 0, 1] },
  answer: { label: [1, 1, 0, 1], short: [1, 1, 1, 1] },
  macro: { correct: [1, 0, 0, 1] },
  program: { program: [1, 0, 1, 1], passed: [1, 0, 1, 1] },
  judged: { judged: [1, 1, 0, 1] },
  similar: { similarity: [1, 1, 0.45, 1] },
  judge: { judge_score: [1, 1, 0, 1] },
  schema: { schema_match: [0, 0, 0, 0] },
  "unit-metrics": { fuzzy_match: [1, 1, 0, 1] },
  recipe: { f1: [1, 1, 0, 1] },
  clean: { exact_match: [1, 0, 0, 1] },
};

let model: Provider;
beforeAll(async () => {
  model = await startProvider({ answer: judgement });
});
afterAll(() => model.close());

it("has an example of every contract and of the judge", () => {
  expect(graders.map(([, name]) => name)).toEqual(
    Object.keys(expected)
      .filter((name) => name !== "")
      .toSorted(inPage),
  );
});

it.each(graders.map(([, name = "", yaml = ""]) => ({ name, yaml })))(
  "gives an example, $name, that works as it stands",
  async ({ name, yaml }) => {
    await using fixture = await createFixture({
      ...Object.fromEntries(files.map(([, path = "", text = ""]) => [path, text])),
      "tickets.jsonl": jsonLines(tickets),
      "answers.jsonl": jsonLines(
        answers.map((output_text, i) => ({ case_id: tickets[i]?.id, output_text })),
      ),
      "suite.yaml": `${suite}${models()}${yaml}`,
    });
    const argv = ["run", "suite.yaml", "--baseline", "none", "--out", "run"];
    const env = { HOUSE_KEY: "house-key-1234" };
    const end = await regrade(argv, { in: fixture.path, env });
    expect(end.code, end.stderr + end.stdout).toBe(0);
    const { samples: finished, run } = await readRunDirectory(join(fixture.path, "run"));
    // Those that wait for a model finish when they will.
    const samples = finished.toSorted((a, b) => a.sample_index - b.sample_index);
    for (const [metric, scores] of Object.entries(expected[name] ?? {})) {
      const found = samples.map((sample) => sample.scores[metric] ?? -1);
      expect(
        found.map((score) => Math.round(score * 20) / 20),
        `${name}/${metric}`,
      ).toEqual(scores);
    }
    expect(samples.map(({ error }) => error)).toEqual([null, null, null, null]);
    if (name === "macro") {
      // billing: 2·1 / (1 + 2); other, of which one came as "Other": 2·1 / (2 + 2).
      const macro = run.metrics.find(({ metric }) => metric === "macro_f1")?.value;
      expect(macro).toBeCloseTo((2 / 3 + 1 / 2) / 2);
    }
  },
);

function models(): string {
  return `providers: { local: { base_url: "${model.url}", api: responses, api_key_env: HOUSE_KEY } }
run: { judge_model: "local:judge", embedding_model: "local:embed" }
`;
}

/** A judge that compares the two texts that it is shown. */
function judgement({ prompt }: Seen): string {
  const { answer, reference } = prompt.startsWith("{") ? handMade(prompt) : shutIn(prompt);
  const verdict = answer.toLowerCase() === reference.toLowerCase() ? "correct" : "incorrect";
  return JSON.stringify({ rationale: "compared", verdict });
}

function handMade(prompt: string): { answer: string; reference: string } {
  return JSON.parse(prompt) as { answer: string; reference: string };
}

function shutIn(prompt: string): { answer: string; reference: string } {
  const block = (name: string): string => {
    const found = new RegExp(String.raw`^BEGIN ${name} \w+\n(.*)$`, "mu").exec(prompt)?.[1];
    return JSON.parse(found ?? '""') as string;
  };
  return { answer: block("ANSWER"), reference: block("REFERENCE") };
}

function inPage(a: string, b: string): number {
  return page.indexOf(`<!-- grader: ${a} -->`) - page.indexOf(`<!-- grader: ${b} -->`);
}
