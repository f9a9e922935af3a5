import { describe, expect, it } from "vitest";
import { mostTokens } from "../../src/base/tokens.ts";
import type { Case } from "../../src/model/outcomes/sample.ts";
import type { Suite } from "../../src/model/definition/suite.ts";
import type { GraderSpec } from "../../src/model/definition/graders.ts";
import type { CandidateSpec } from "../../src/model/definition/candidate-spec.ts";
import { assumedOutputTokens, planRun } from "../../src/plan/estimate.ts";
import type { PreparedTask } from "../../src/suite/opening/open-task.ts";
import { planSentence, renderPlan } from "../../src/report/terminal/plan.ts";
import { commandSpec, modelSpec, noBudget } from "../support/specs.ts";

const plainGrader: GraderSpec = { type: "exact_match", options: {}, models: undefined };
/** Tokens around the texts of a request. */
const around = 20;
const prices = { main: { input: 2, cached_input: 1, output: 8 } };

function task(
  cases: number,
  { repeats = 1, promptLength = 300, grader = plainGrader, conversation = {} } = {},
): PreparedTask {
  return {
    spec: { id: "qa", repeats, grader },
    dataset: {
      size: cases,
      cases: async function* () {
        for (let i = 0; i < cases; i += 1) {
          yield [{ caseId: `c${i}`, content: "h", row: {}, index: i } satisfies Case];
        }
      },
    },
    renderPrompt: () => ({ text: "x".repeat(promptLength), ...conversation }),
  } as unknown as PreparedTask;
}

function user(content: string) {
  return { role: "user", content };
}

function plan(
  tasks: readonly PreparedTask[],
  candidates: readonly CandidateSpec[],
  { exact = true, budget = noBudget } = {},
) {
  const suite = { name: "bot", path: "evals/bot.yaml", budget } as Suite;
  return planRun({ suite, tasks, candidates, exact });
}

describe("the upper estimate", () => {
  it("says that what graders ask comes on top, and how often they may", async () => {
    const models = { max_calls: 64, allow_models: [], allow_tools: false, allow_urls: false };
    const judge: GraderSpec = { type: "judge", options: {}, models };
    const tasks = [task(10, { repeats: 3, grader: judge })];
    const found = await plan(tasks, [modelSpec("main", { prices }), commandSpec]);
    expect(found.parts.map((part) => part.grader_calls)).toEqual([1920, 1920]);
    const words = "On top come the models that graders ask: at most 3,840 calls";
    expect(planSentence(found)).toContain(words);
    expect(renderPlan(found, 100)).toContain(words);
    expect(planSentence(await plan(tasks, [commandSpec]))).toContain("at most 1,920 calls");
  });

  it("is prompts at 1.5 letters a token and answers at their limit, for each repeat", async () => {
    const main = modelSpec("main", { prices, generation: { max_output_tokens: 50 } });
    const { parts } = await plan([task(10, { repeats: 3 })], [main]);
    expect(parts).toEqual([
      {
        task: "qa",
        candidate: "main",
        kind: "model",
        model: "local:main",
        cases: 10,
        repeats: 3,
        samples: 30,
        requests: 30,
        grader_calls: 0,
        input_tokens: 30 * (200 + around),
        output_tokens: 1500,
        usd: (30 * (200 + around) * 2 + 1500 * 8) / 1e6,
      },
    ]);
  });

  it("counts a request for each turn of the user, with all that was said before it", async () => {
    const main = modelSpec("main", { prices, generation: { max_output_tokens: 50 } });
    const conversation = { messages: [user("x".repeat(23))], turns: [user("y"), user("z")] };
    const { parts } = await plan([task(10, { promptLength: 90, conversation })], [main]);
    const texts = [`[user]\n${"x".repeat(23)}`, `[user]\n${"x".repeat(23)}\n\n[user]\ny`];
    const asked = texts.reduce((sum, text) => sum + mostTokens(text), 60);
    const [part] = parts;
    expect(part).toMatchObject({ samples: 10, requests: 30, output_tokens: 1500 });
    expect(part?.input_tokens).toBe(10 * (asked + 3 * 50) + 30 * around);
  });

  it("states what it takes an answer to be where the manifest sets no limit", async () => {
    const made = await plan([task(2)], [modelSpec("main", { prices })]);
    expect(made.parts[0]?.output_tokens).toBe(2 * assumedOutputTokens);
    expect(renderPlan(made, 100)).toContain("4,096 where it is not set");
  });

  it("counts instructions, tools and schemas with every prompt", async () => {
    const tools = [{ type: "function", name: "f", description: "d".repeat(9000) }];
    const text = { format: { type: "json_schema", name: "s", schema: { title: "t".repeat(900) } } };
    const generation = { instructions: "y".repeat(60), tools, text };
    const { parts } = await plan([task(10)], [modelSpec("main", { generation })]);
    const least = 10 * (200 + around + 40 + 6000 + 600);
    expect(parts[0]?.input_tokens).toBeGreaterThan(least);
    expect(parts[0]?.input_tokens).toBeLessThan(least + 10 * 150);
  });

  it("counts a request for each empty answer that may be asked for again", async () => {
    const generation = { max_output_tokens: 50, max_empty_retries: 10 };
    const { parts } = await plan([task(5)], [modelSpec("main", { generation })]);
    expect(parts).toMatchObject([
      { samples: 5, requests: 55, input_tokens: 55 * (200 + around), output_tokens: 55 * 50 },
    ]);
  });

  it("has no dollars where no price is known, and no tokens where there is no model", async () => {
    const { parts } = await plan([task(10)], [modelSpec("unknown"), commandSpec]);
    expect(parts.map(({ usd, input_tokens, requests }) => [usd, input_tokens, requests])).toEqual([
      [null, 10 * (200 + around), 10],
      [null, null, 0],
    ]);
  });

  it("takes the first cases for the others where nothing hangs on it", async () => {
    const main = modelSpec("main", { prices });
    const made = await plan([task(5000)], [main], { exact: false });
    expect(made.every_prompt_read).toBe(false);
    expect(made.parts[0]?.input_tokens).toBe(5000 * (200 + around));
    expect(planSentence(made)).toContain("reckoned from the first cases");
  });
});

describe("the plan of a dry run", () => {
  it("shows samples, requests, tokens, dollars, the budget and what is not in it", async () => {
    const main = modelSpec("main", { prices, generation: { max_output_tokens: 50 } });
    const budget = { usd: 0.01, tokens: undefined, minutes: 30 };
    const made = await plan([task(240)], [main, commandSpec], { budget });
    expect(renderPlan(made, 100)).toMatchInlineSnapshot(`
      "task  candidate      samples  requests   input  output    at most
      qa    main               240       240  52,800  12,000     $0.202
      qa    app (command)      240         0                  not known

      bot: 480 samples, 240 requests, at most 52,800 tokens in and 12,000 out, $0.202.
      Budget: $0.0100, 30 minutes; the estimate is above it, and the run stops where it is spent.
        Prompts at 1.5 letters or 1 other byte a token; answers at max_output_tokens, 4,096 where it is not set.
        Retries come on top; answers that the cache has cost nothing.
        What app may cost is not in it.

      Nothing was run and nothing was written.
      "
    `);
  });

  it("of recordings alone costs nothing, and a run of them says nothing", async () => {
    const replay: CandidateSpec = {
      id: "app",
      kind: "replay",
      file: { path: "o.jsonl", absolute: "/o.jsonl" },
      model: undefined,
      output_field: "output_text",
      id_field: "case_id",
    };
    const made = await plan([task(3)], [replay]);
    expect(planSentence(made)).toBeUndefined();
    expect(renderPlan(made, 100)).toContain("$0.00");
  });
});
