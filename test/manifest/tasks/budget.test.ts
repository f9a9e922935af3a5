import { expect, it } from "vitest";
import type { Json } from "../../../src/model/json.ts";
import { shortForm, suiteOf } from "../resolve-text.ts";

async function warningsOf(candidates: Json, budget: Json, more = {}): Promise<readonly string[]> {
  const text = shortForm({ candidates, gate: "none", ...more, run: { budget } });
  const { warnings } = await suiteOf(text);
  return warnings.filter(({ code }) => code === "budget_blind").map(({ message }) => message);
}

const command = { command: ["python3", "-V"] };

it.each([
  ["a program", { app: command }, { usd: 1, tokens: 5 }, ["budget.usd", "budget.tokens"]],
  [
    "an app",
    { app: { http: { url: "http://127.0.0.1/", body: "{{prompt}}" } } },
    { tokens: 5 },
    ["budget.tokens"],
  ],
  ["codex", { app: { agent: "codex" } }, { usd: 1, tokens: 5 }, ["budget.usd"]],
  ["Claude Code", { app: { agent: "claude-code" } }, { usd: 1, tokens: 5 }, []],
  ["a worker", { app: { worker: ["python3", "-V"] } }, { usd: 1 }, []],
  ["a program in minutes", { app: command }, { minutes: 5 }, []],
  ["a model beside a program", { app: command, mini: "openai:gpt-4.1-mini" }, { usd: 1 }, []],
  [
    "codex beside a model",
    { app: { agent: "codex" }, mini: "openai:gpt-4.1-mini" },
    { usd: 1 },
    ["budget.usd"],
  ],
] as const)(
  "a limit that can't end a run of %s is told",
  async (...[, candidates, budget, told]) => {
    const found = await warningsOf(candidates, budget);
    expect(found.map((message) => /`(.*?)`/.exec(message)?.[1])).toEqual(told);
  },
);
