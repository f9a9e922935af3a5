import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readCopilot } from "../../src/candidate/agent/read-copilot.ts";
import { openJudgeCalls } from "../../src/grading/judge-calls.ts";
import { hashText } from "../../src/io/files/files.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { toolCallsOf } from "../../src/model/models/transcript.ts";
import { meanInterval } from "../../src/report/exports/waza-figures.ts";
import { normalizedGain, passRate, skillImpact } from "../../src/report/exports/waza-impact.ts";
import { createTotal } from "../../src/report/exports/waza-total.ts";
import { checkGrades, gradersIn } from "../../src/report/exports/waza-parts.ts";
import { wazaFiles } from "../../src/report/exports/waza.ts";
import { sample } from "../support/evidence-samples.ts";
import { storedRun } from "../support/runs.ts";
import { translated } from "../support/waza-files.ts";

// Skipped where ../shared, which is not part of the repository, is absent.
const file = "../shared/vectors/waza.json";

interface Vector {
  readonly id: string;
  readonly grader: string;
  readonly input: JsonObject;
  readonly expected: { readonly value?: Json; readonly error?: string };
}

const all: readonly Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];

function vectorsOf(kind: string): readonly Vector[] {
  return all.filter(({ grader }) => grader === kind);
}

const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const textIn = (value: Json | undefined): string => (typeof value === "string" ? value : "");

const statusesIn = (task: unknown): readonly string[] =>
  objectsIn(Object(task).runs).map(({ status }) => textIn(status));

/** Functions of waza's program that have a counterpart in the report. */
const figures: Readonly<Record<string, (input: JsonObject) => Json | undefined>> = {
  "@normalized_gain": ({ pre, post }) => normalizedGain(Number(pre), Number(post)),
  "@pass_rate": (input) => passRate(statusesIn(input)),
  "@skill_impact": ({ with_skills: withSkills, baseline }) =>
    skillImpact({
      withSkills: passRate(statusesIn(withSkills)),
      without: passRate(statusesIn(baseline)),
    }),
  "@group_stats": (input) => {
    const total = createTotal();
    for (const { group, status, stats } of objectsIn(input)) {
      const score = Number(Object(stats).avg_score ?? 0);
      const task = { group: textIn(group), isPassed: status === "passed", score, weighted: score };
      total.add(task, []);
    }
    return total.summary()["groups"] ?? null;
  },
};

describe.skipIf(all.length === 0)("figures of waza's program", () => {
  it.each(Object.keys(figures).flatMap(vectorsOf))("$id", ({ grader, input, expected }) => {
    expect(figures[grader]?.(input)).toEqual(expected.value);
  });

  it.each(vectorsOf("@bootstrap_ci"))("$id, by other draws", ({ input, expected }) => {
    const { scores } = input;
    const numbers = Array.isArray(scores) ? scores.map(Number) : [];
    const wanted = Object(expected.value);
    const found = meanInterval(numbers);
    // A single score has no interval here, and one of no width in waza, which writes it nowhere.
    if (wanted.num_bootstraps === 0) return expect(found).toBeUndefined();
    const { lower, upper, ...rest } = wanted;
    expect(found).toMatchObject(rest);
    expect(Math.abs(Number(found?.["lower"]) - lower)).toBeLessThan(0.011);
    expect(Math.abs(Number(found?.["upper"]) - upper)).toBeLessThan(0.011);
  });

  it.each(vectorsOf("@merge_baseline"))("$id", async ({ input, expected }) => {
    const written = await resultsOf(input);
    // waza refuses tasks of one side alone; here they have no impact.
    if (expected.error !== undefined)
      return expect(written["tasks"]).toMatchObject([{ test_id: "task-001" }]);
    expect(written).toMatchObject(Object(expected.value));
    expect(written["baseline_outcome"]).toMatchObject({
      tasks: [{ test_id: "task-001" }, { test_id: "task-002" }],
    });
  });
});

/** The report of a run whose candidates are an agent with its skills, and without. */
async function resultsOf({ with_skills, baseline }: JsonObject): Promise<JsonObject> {
  const runs = [
    ...samplesFor("main", Object(with_skills).tasks),
    ...samplesFor("main-without-skills", Object(baseline).tasks),
  ];
  const { run } = storedRun({ id: "run_1", scores: [[1, 1, 1]] });
  const candidates = ["main", "main-without-skills"].map((id) => ({
    id,
    kind: "agent" as const,
    model: "m",
  }));
  async function* samples(): AsyncGenerator<Sample> {
    yield* runs;
  }
  const files: string[] = [];
  for await (const { name, pieces } of wazaFiles({ run: { ...run, candidates }, samples })) {
    let text = "";
    for await (const piece of pieces) text += piece;
    if (name.endsWith(".json")) files.push(text);
  }
  expect(files).toHaveLength(1);
  return JSON.parse(files[0] ?? "");
}

function samplesFor(candidate: string, tasks: unknown): readonly Sample[] {
  return objectsIn(tasks).flatMap(({ test_id: id, runs }) => {
    const told = objectsIn(runs);
    // Vectors of tasks without runs: here each case has a sample.
    const statuses = told.length === 0 ? ["passed"] : told.map(({ status }) => status);
    return statuses.map((status, repeat) => {
      const scores = { passed: status === "passed" ? 1 : 0 };
      return Object.assign({}, sample, { model: candidate, case_id: textIn(id), repeat, scores });
    });
  });
}

/** The verdict of a judge that names the same winner, whichever answer comes first. */
async function verdict(winners: readonly string[]) {
  const { judge } = openJudgeCalls(
    { prompt: "Which?", against: "baseline", words: "waza" },
    hashText,
  );
  const asked = { prompt: "p", output_text: "own", model: "skill" };
  let pass = -1;
  return judge(
    Object(asked),
    async () => {
      pass += 1;
      const given = { winner: winners[pass] ?? "tie", magnitude: "equal", reasoning: "" };
      const call = { type: "function_call", name: "set_pairwise_winner", arguments: given };
      return { kind: "answered", response: { output: [call] } };
    },
    async () => ({ kind: "answered", text: "other" }),
  );
}

describe.skipIf(all.length === 0)("waza's comparison of two answers", () => {
  it.each(vectorsOf("@pairwise_normalize"))("$id", async ({ input, expected }) => {
    const { winner } = input;
    const other = winner === "A" ? "B" : winner === "B" ? "A" : textIn(winner);
    const end = await verdict([textIn(winner), other]);
    // A winner that is none leaves the sample ungraded; waza counts a tie.
    if (winner === "unknown")
      return expect(end).toMatchObject({ kind: "ungraded", type: "judge_off_menu" });
    expect(end).toMatchObject({
      result: { details: { pairwise: { winner: expected.value, position_consistent: true } } },
    });
  });

  it.each(vectorsOf("@pairwise_score"))("$id", async ({ input, expected }) => {
    const winner = JSON.stringify(input);
    const names = winner === '"skill"' ? ["B", "A"] : winner === '"baseline"' ? ["A", "B"] : [];
    expect(await verdict(names)).toMatchObject({ result: { score: expected.value } });
  });
});

describe.skipIf(all.length === 0)("waza's agent", () => {
  it.each(vectorsOf("@filter_tool_calls"))("$id", ({ input, expected }) => {
    const transcript = objectsIn(input).flatMap(
      (event) => readCopilot.entriesOf(asStdout(event), []) ?? [],
    );
    const calls = toolCallsOf(transcript).map(({ name, arguments: given, result, is_error }) => ({
      name,
      arguments: given,
      result,
      success: is_error !== true,
    }));
    const wanted = objectsIn(expected.value).map(({ name, arguments: given, result, success }) => ({
      name,
      // waza's five arguments are empty where the call has none.
      arguments: Object.fromEntries(
        Object.entries(Object(given)).filter(([, value]) => value !== ""),
      ),
      result: Object(result).content,
      success,
    }));
    expect(calls).toEqual(wanted);
  });

  it.each(vectorsOf("@skill_paths"))("$id", async ({ input, expected }) => {
    const { spec_dir: folder, skill_directories: directories } = input;
    const text = `name: e
skill: s
config: { trials_per_task: 1, timeout_seconds: 5, executor: copilot-sdk, model: m, skill_directories: ${JSON.stringify(directories)} }
graders: [{ type: text, name: g, config: { contains: [x] } }]
tasks: ["tasks/*.yaml"]
`;
    const found = await translated(text);
    if (found.kind !== "translated") throw new Error(found.problems[0]?.message);
    const { candidates } = Object(found.value);
    const skills: readonly string[] = Object(candidates).m.skills;
    const absolute = skills.map((path) => new URL(path, "file:///repo/evals/").pathname);
    const wanted = Object(expected.value).map((path: string) =>
      path.replace(textIn(folder), "/repo/evals").replace("/home/user", "/repo"),
    );
    expect(absolute).toEqual(wanted);
  });
});

/** An event of the SDK as the program prints it. */
function asStdout({ type, tool_call_id, tool_name, tool_result, ...rest }: JsonObject): JsonObject {
  const data = { ...rest, toolCallId: tool_call_id, toolName: tool_name, result: tool_result };
  return { type: type ?? "", data: JSON.parse(JSON.stringify(data)) };
}

describe("Copilot's premium requests", () => {
  it.each([
    [{ totalPremiumRequests: 1.33, modelMetrics: {} }, 1.33],
    [
      { modelMetrics: { a: { requests: { cost: 1, count: 3 } }, b: { requests: { cost: 0.25 } } } },
      1.25,
    ],
    [{ modelMetrics: { a: { usage: { inputTokens: 1 } } } }, undefined],
    [undefined, undefined],
  ])("are read from its file of usage: %j", (aside, expected) => {
    const { premiumRequests } = readCopilot.endOf([{ type: "result", exitCode: 0 }], aside);
    expect(premiumRequests).toBe(expected);
  });
});

const own = (type: string, config: string): string =>
  `id: ${type}\ninputs: { prompt: p }\ngraders: [{ type: ${type}, name: check, config: ${config} }]\n`;

it("a grader's name and type are the task's own where tasks name other graders alike", async () => {
  const files = {
    "tasks/a.yaml": own("text", "{ contains: [x] }"),
    "tasks/b.yaml": own("code", "{ assertions: [output] }"),
  };
  const head =
    "name: e\nskill: s\nconfig: { trials_per_task: 1, timeout_seconds: 5, executor: mock, model: m }\n";
  const found = await translated(`${head}tasks: ["tasks/*.yaml"]\n`, files);
  if (found.kind !== "translated") throw new Error(found.problems[0]?.message);
  const { run } = storedRun({ id: "run_1", scores: [1] });
  const graders = gradersIn({ ...run, suite: { ...run.suite, foreign: found.about ?? {} } });
  const check = { check: "check", score: 1, weight: 1, passed: true };
  const types = ["text", "code"].map((id) => {
    const graded = { ...sample, case_id: id, judge: { checks: [check] } };
    return checkGrades(graded, graders)?.map(({ type }) => type);
  });
  expect(types).toEqual([["text"], ["code"]]);
});
