import { readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outcomeOf, type Sample } from "../../../src/model/outcomes/sample.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { Run } from "../../../src/model/outcomes/run.ts";
import { toolCallsOf } from "../../../src/model/models/transcript.ts";
import { readRunDirectory, regrade } from "../../support/cli.ts";

interface Grade {
  readonly score: number;
  readonly passed?: boolean;
  readonly weight?: number;
  readonly [more: string]: unknown;
}

function grade({ score, ...more }: Grade): object {
  return {
    identifier: "g",
    type: "text",
    score,
    weight: 1,
    passed: score === 1,
    feedback: "",
    ...more,
  };
}

function wazaRun(number: number, validations: object | null, more: object = {}): object {
  const failed = JSON.stringify(validations).includes('"passed":false');
  return {
    run_number: number,
    attempts: 1,
    status: failed ? "failed" : "passed",
    duration_ms: 1500,
    validations,
    session_digest: { tool_call_count: 0, tools_used: [], errors: [] },
    final_output: "done",
    ...more,
  };
}

function results(tasks: readonly object[], more: object = {}): string {
  return JSON.stringify({
    eval_id: "run-1",
    skill: "s",
    eval_name: "e",
    timestamp: "2026-01-01T00:00:00Z",
    config: { runs_per_test: 2, model_id: "m1", engine_type: "mock", timeout_sec: 30 },
    summary: { total_tests: tasks.length },
    metrics: {},
    tasks,
    ...more,
  });
}

const task = (id: string, runs: readonly object[] | null, more: object = {}): object => ({
  test_id: id,
  display_name: id.toUpperCase(),
  status: "failed",
  runs,
  ...more,
});

const errored = (number: number, message: string): object =>
  wazaRun(number, null, { status: "error", error_msg: message, final_output: "" });

const graded = (score: number): readonly object[] => [
  task("a", [wazaRun(1, { g: grade({ score }) })]),
];

interface Taken {
  readonly code: number | null;
  readonly said: string;
  readonly run: Run;
  readonly samples: readonly Sample[];
}

async function take(text: string, ...flags: readonly string[]): Promise<Taken> {
  await using fixture = await createFixture({ "results.json": text });
  const argv = ["run", "--results", "results.json", "--out", "out", ...flags];
  const end = await regrade(argv, { in: fixture.path });
  if (end.code === 2) return { code: 2, said: end.stderr, run: {} as Run, samples: [] };
  const { run, samples } = await readRunDirectory(join(fixture.path, "out"));
  return { code: end.code, said: end.stderr, run, samples };
}

type Called = { name: string; arguments: object; result: object; success: boolean };

const asToolEvent = ({ name, arguments: args, ...rest }: Called, i: number): object => ({
  turn: 1,
  sequence: i + 1,
  tool_call_id: `t${i}`,
  tool_name: name,
  args,
  ...rest,
});

const asEvents = ({ name, arguments: given, result, success }: Called, i: number): object[] => [
  { type: "tool.execution_start", tool_call_id: `t${i}`, tool_name: name, arguments: given },
  { type: "tool.execution_complete", tool_call_id: `t${i}`, tool_result: result, success },
];

/** Read, and written as a report in waza's format. */
async function writtenAgain(text: string): Promise<JsonObject> {
  await using fixture = await createFixture({ "results.json": text });
  const at = { in: fixture.path };
  await regrade(["run", "--results", "results.json", "--out", "run", "-q"], at);
  const end = await regrade(["report", "run", "--as", "waza", "--out", "out"], at);
  expect(end.code, end.stderr).toBe(0);
  return JSON.parse(await readFile(fixture.getPath("out/results.json"), "utf8"));
}

function value(
  run: Run,
  metric: string,
  among: { candidate?: string; task?: string } = {},
): unknown {
  return run.metrics.find(
    (each) =>
      each.metric === metric &&
      each.slice === null &&
      (among.candidate ?? each.candidate) === each.candidate &&
      (among.task ?? each.task) === each.task,
  )?.value;
}

describe("results of waza", () => {
  it("give graders, weights, trials, tokens, times and words as they were recorded", async () => {
    const g = (score: number, feedback = ""): object => grade({ score, weight: 3, feedback });
    const tasks = [
      task(
        "a",
        [
          wazaRun(
            1,
            { g: g(1), "h h": grade({ score: 1 }) },
            {
              session_digest: { usage: { turns: 1, input_tokens: 10, output_tokens: 5 } },
              transcript: [{ type: "user.message", content: "write it" }],
            },
          ),
          wazaRun(2, { g: g(0.5, "Missing b"), "h h": grade({ score: 1 }) }),
          wazaRun(
            3,
            { g: g(0.5), "h h": grade({ score: 0 }) },
            {
              session_digest: { total_turns: 1, tokens_in: 20, tokens_out: 7, tokens_total: 27 },
            },
          ),
        ],
        { group: "one", golden: true, checkpoints: [{ unknown: 1 }] },
      ),
      task("b", [wazaRun(1, { g: g(1), "h h": { score: 1, passed: true, message: "old words" } })]),
    ];
    const { run, samples, code } = await take(results(tasks, { schemaVersion: "1.5" }));
    expect(code).toBe(0);
    expect(run.results?.[0]).toMatchObject({ format: "waza", tool: "waza" });
    expect(run.metrics[0]).toMatchObject({
      metric: "passed",
      scale: "binary",
      range: [0, 1],
      candidate: "m1",
    });
    // Runs within a task, then tasks: waza's own score of task a is 2/3, of its three runs one passed.
    expect(value(run, "passed")).toBeCloseTo((1 / 3 + 1) / 2);
    expect(value(run, "score")).toBeCloseTo(((1 + 0.625 + 0.375) / 3 + 1) / 2);
    expect(value(run, "g")).toBeCloseTo((2 / 3 + 1) / 2);
    expect(value(run, "h_h.passed")).toBeCloseTo((2 / 3 + 1) / 2);
    expect(samples.map(({ case_id, repeat }) => [case_id, repeat])).toEqual([
      ["a", 0],
      ["a", 1],
      ["a", 2],
      ["b", 0],
    ]);
    expect(samples[0]).toMatchObject({
      prompt: "write it",
      output_text: "done",
      latency_ms: 1500,
      usage: { input_tokens: 10, output_tokens: 5 },
      dataset_row: { group: "one", golden: "true" },
    });
    expect(samples[1]?.judge).toMatchObject({
      explanation: "g: Missing b",
      checks: [
        { check: "g", type: "text", weight: 3, score: 0.5, judge: { feedback: "Missing b" } },
        { check: "h h" },
      ],
    });
    expect(samples[2]?.usage).toMatchObject({ input_tokens: 20, output_tokens: 7 });
    expect(samples[3]?.judge).toMatchObject({ explanation: "h h: old words" });
  });

  it.each([
    ["tool_events", (calls: readonly Called[]) => ({ tool_events: calls.map(asToolEvent) })],
    ["transcript", (calls: readonly Called[]) => ({ transcript: calls.flatMap(asEvents) })],
    ["tool_calls", (calls: readonly Called[]) => ({ session_digest: { tool_calls: calls } })],
  ])("have the agent's calls, with results, from %s", async (_, recorded) => {
    const calls = [
      { name: "bash", arguments: { command: "ls" }, result: { content: "a.txt" }, success: true },
      { name: "skill", arguments: { skill: "s" }, result: { content: "no" }, success: false },
    ];
    const { samples } = await take(results([task("a", [wazaRun(1, {}, recorded(calls))])]));
    const transcript = samples[0]?.transcript ?? null;
    expect(toolCallsOf(transcript)).toMatchObject([
      { name: "bash", arguments: { command: "ls" }, result: "a.txt" },
      { name: "skill", arguments: { skill: "s" }, result: "no", is_error: true },
    ]);
    expect(transcript).toContainEqual({ type: "skill", name: "s" });
  });

  it("have the names of tools where nothing else is told, and no calls where nothing is", async () => {
    const named = wazaRun(
      1,
      {},
      { session_digest: { tools_used: ["bash", "bash"], total_turns: 4 } },
    );
    const { samples } = await take(results([task("a", [named]), task("b", [wazaRun(1, {})])]));
    expect(toolCallsOf(samples[0]?.transcript ?? null).map(({ name }) => name)).toEqual([
      "bash",
      "bash",
    ]);
    expect(samples[0]?.transcript?.at(-1)).toMatchObject({ type: "end", turns: 4 });
    expect(samples[1]?.transcript).toBeNull();
  });

  it.each(["", "1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "2.0"])(
    "of schema %j come out as they went in",
    async (version) => {
      const usage = {
        turns: 2,
        input_tokens: 9,
        output_tokens: 3,
        cache_write_tokens: 4,
        premium_requests: 1.5,
      };
      const details = { failures: ["Missing b"], checks: 2 };
      const calls = [
        { name: "bash", arguments: { command: "ls" }, result: { content: "a" }, success: true },
      ];
      const g = grade({ type: "keyword", score: 0.5, weight: 3, feedback: "Missing b", details });
      const h = grade({ type: "prompt", score: 1 });
      const digest = {
        tool_call_count: 1,
        tools_used: ["bash"],
        tool_calls: calls,
        errors: [],
        usage,
      };
      const tasks = [
        task(
          "a",
          [wazaRun(1, { "g g": g, h }, { session_digest: digest }), wazaRun(2, { "g g": g, h })],
          { group: "m1" },
        ),
        task("b", [errored(1, "boom"), wazaRun(2, { h })]),
      ];
      const bare = [
        task("a", [wazaRun(1, { h: grade({ score: 0 }) })]),
        task("b", [wazaRun(1, { h })]),
      ];
      const more = {
        ...(version !== "" && { schemaVersion: version }),
        is_baseline: true,
        baseline_outcome: JSON.parse(results(bare)),
      };
      const once = await writtenAgain(results(tasks, more));
      expect(once).toMatchObject({
        is_baseline: true,
        summary: {
          groups: [{ name: "m1", total: 1 }],
          usage: { premium_requests: 1.5, cache_write_tokens: 4 },
        },
        tasks: [
          {
            test_id: "a",
            group: "m1",
            skill_impact: { pass_rate_with_skills: 0, pass_rate_baseline: 0 },
            runs: [
              {
                validations: {
                  "g g": {
                    identifier: "g g",
                    type: "keyword",
                    score: 0.5,
                    weight: 3,
                    feedback: "Missing b",
                    details,
                  },
                  h: { type: "prompt", weight: 1 },
                },
                session_digest: { tool_calls: calls, usage },
              },
              { run_number: 2 },
            ],
            stats: { avg_score: 0.75, avg_weighted_score: 0.625 },
          },
          { test_id: "b", skill_impact: { pass_rate_with_skills: 0.5, pass_rate_baseline: 1 } },
        ],
        baseline_outcome: {
          config: { model_id: "m1" },
          tasks: [{ test_id: "a" }, { test_id: "b" }],
        },
      });
      const twice = await writtenAgain(JSON.stringify(once));
      for (const key of ["config", "summary", "tasks"]) expect(twice[key]).toEqual(once[key]);
    },
  );

  it("tell an agent's error from the grader's and from nobody's", async () => {
    const tasks = [
      ...Array.from({ length: 60 }, (_, i) =>
        task(`ok${i}`, [wazaRun(1, { g: grade({ score: 1 }) })]),
      ),
      task("infra", [errored(1, "copilot: rate limit exceeded")]),
      task("late", [errored(1, "context deadline exceeded")]),
      task("grader", [errored(1, "failed to create grader g: bad regex")]),
      task("other", [errored(1, "boom")]),
      task("answered", [
        wazaRun(1, { g: grade({ score: 1 }) }, { status: "error", error_msg: "agent stopped" }),
      ]),
      task("skipped", [], { status: "skipped" }),
      task("hook", [], { status: "failed" }),
    ];
    const { run, samples } = await take(results(tasks, { schemaVersion: "2.0" }), "--min", "0.5");
    const outcomes = Object.fromEntries(samples.map((each) => [each.case_id, outcomeOf(each)]));
    expect(outcomes).toMatchObject({
      ok0: "scored",
      infra: "ungraded",
      late: "failed",
      grader: "invalid",
      other: "invalid",
      answered: "scored",
      hook: "ungraded",
    });
    expect(outcomes).not.toHaveProperty("skipped");
    expect(samples.find(({ case_id }) => case_id === "answered")?.scores).toMatchObject({
      passed: 0,
      score: 1,
    });
    // waza itself has a pass rate of 1 for a run with an error.
    expect(value(run, "passed")).toBeCloseTo(60 / 64);
  });

  it("have not passed where a grader failed, whatever the run's status says", async () => {
    const run = wazaRun(1, { g: grade({ score: 0, passed: false }) }, { status: "passed" });
    const { run: found } = await take(results([task("a", [run], { status: "passed" })]));
    expect(value(found, "passed")).toBe(0);
  });

  it("hold trigger tests as a task of their own, and the runs without the skill as a candidate", async () => {
    const text = results(graded(1), {
      is_baseline: true,
      baseline_outcome: JSON.parse(results(graded(0))) as object,
      trigger_results: [
        { prompt: "use it", confidence: "high", should_trigger: true, did_trigger: true },
        { prompt: "weather?", should_trigger: false, did_trigger: true },
      ],
    });
    const { run, samples } = await take(text);
    expect(value(run, "passed", { candidate: "m1" })).toBe(1);
    expect(value(run, "passed", { candidate: "m1 without skills" })).toBe(0);
    expect(value(run, "correct", { task: "e-trigger" })).toBe(0.5);
    expect(samples.find(({ prompt }) => prompt === "weather?")).toMatchObject({
      target: "does not trigger",
      dataset_row: { should_trigger: "false" },
    });
  });

  it.each([
    ["a newer major version", results([], { schemaVersion: "3.0" }), ["waza", "3.0", "1.0 to 1.5"]],
    ["totals without runs", results([task("a", null)]), ["tasks[0]", "runs", "missing"]],
    [
      "a grade without a score",
      results([task("a", [wazaRun(1, { g: { passed: true } })])]),
      ["tasks[0].runs[0]", "validations.g", "score"],
    ],
    [
      "an unknown status, and a run that is none",
      results([task("a", [wazaRun(1, {}, { status: "good" }), wazaRun(0, {})])]),
      ["good", "skipped", "run_number"],
    ],
    [
      "a grader with a taken name",
      results([task("a", [wazaRun(1, { passed: grade({ score: 1 }) })])]),
      ["'passed'", "another name for the grader"],
    ],
    [
      "a file that was cut off",
      results([task("a", [wazaRun(1, {})])]).slice(0, -30),
      ["results.json"],
    ],
    [
      "a task twice",
      results([task("a", [wazaRun(1, {})]), task("a", [wazaRun(1, {})])]),
      ["'a'", "tasks[1].runs[0]"],
    ],
    ["no task", results([]), ["results.json"]],
    [
      "fewer tasks than its total",
      results([task("a", [wazaRun(1, {})])], { summary: { total_tests: 5 } }),
      ["total_tests", "is 5", "1, the number of tasks"],
    ],
    [
      "a score that is none of waza's",
      results(graded(2)),
      ["validations.g", "'score' is 2", "from 0 to 1"],
    ],
    [
      "a prompt without a result",
      results(graded(1), { trigger_results: [{ prompt: "p", should_trigger: false }] }),
      ["trigger_results[0]", "did_trigger", "missing"],
    ],
  ])("are refused by their place: %s", async (_, text, words) => {
    const { code, said } = await take(text, "--format", "waza");
    expect(code).toBe(2);
    for (const word of words) expect(said).toContain(word);
  });
});
