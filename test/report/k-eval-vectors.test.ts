import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import type { Run } from "../../src/model/outcomes/run.ts";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { kEvalFiles, kEvalScales } from "../../src/report/exports/k-eval.ts";
import { parseLines } from "../support/cli.ts";
import { sample } from "../support/evidence-samples.ts";
import { passed } from "./examples.ts";

interface Judged {
  readonly unverified_claims: readonly string[];
  readonly [key: string]: Json;
}

interface Turn {
  readonly role: string;
  readonly text: string | null;
  readonly tool_calls: readonly {
    readonly tool_use_id: string;
    readonly tool_name: string;
    readonly tool_input: JsonObject;
    readonly tool_result: string | null;
    readonly tool_error: boolean;
    readonly duration_ms: number | null;
  }[];
}

interface AgentResult {
  readonly response: string;
  readonly cost_usd: number | null;
  readonly duration_ms: number;
  readonly num_turns: number;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | null;
  readonly turns: readonly Turn[];
}

interface KEvalRun {
  readonly sample: {
    readonly sample_idx: string;
    readonly question: string;
    readonly answer: string;
  };
  readonly condition: string;
  readonly repetition_index: number;
  readonly agent_result: AgentResult;
  readonly judge_result: Judged;
}

interface Vector {
  readonly id: string;
  readonly kind: string;
  readonly params: { readonly agent?: { readonly model: string } };
  readonly input: unknown;
  readonly expected: readonly JsonObject[];
}

const file = new URL("../../../shared/vectors/keval.json", import.meta.url);
const vectors: readonly Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];

function of(kind: string): readonly (readonly [string, Vector])[] {
  return vectors.filter((each) => each.kind === kind).map((each) => [each.id, each] as const);
}

/** The transcript of k-eval's turns: the answer is not in it a second time. */
function transcriptOf({ turns, num_turns }: AgentResult): readonly JsonObject[] {
  const last = turns.findLastIndex(({ role }) => role === "assistant");
  const entries = turns.flatMap((turn, i): readonly JsonObject[] => {
    if (i === last) return [];
    if (turn.role === "assistant")
      return [{ type: "message", role: "assistant", text: turn.text ?? "" }];
    const calls = turn.tool_calls;
    return [
      ...calls.map((call) => ({
        type: "tool_call",
        id: call.tool_use_id,
        name: call.tool_name,
        arguments: call.tool_input,
      })),
      ...calls.map((call) => ({
        type: "tool_result",
        id: call.tool_use_id,
        output: call.tool_result,
        is_error: call.tool_error,
        duration_ms: call.duration_ms,
      })),
    ];
  });
  return [...entries, { type: "end", reason: "completed", turns: num_turns }];
}

function sampleOf(each: KEvalRun): Sample {
  const { agent_result: agent, judge_result: judge } = each;
  return {
    ...sample,
    task_id: "task",
    model: each.condition,
    case_id: each.sample.sample_idx,
    sample_index: Number(each.sample.sample_idx),
    repeat: each.repetition_index,
    dataset_row: {},
    prompt: each.sample.question,
    target: each.sample.answer,
    output_text: agent.response,
    latency_ms: agent.duration_ms,
    transcript: transcriptOf(agent),
    usage: agent.usage && {
      ...agent.usage,
      cached_tokens: 0,
      reasoning_tokens: 0,
      usd: agent.cost_usd,
    },
    scores: Object.fromEntries(kEvalScales.map((scale) => [scale, Number(judge[scale])])),
    judge: {
      ...Object.fromEntries(
        kEvalScales.map((scale) => [`${scale}_reasoning`, judge[`${scale}_reasoning`] ?? ""]),
      ),
      unverified_claims: judge.unverified_claims,
    },
  };
}

/** The lines that a run of these samples is exported as, the last sample first: a run keeps them as they end. */
async function exported(
  runs: readonly KEvalRun[],
  { name, model }: { readonly name: string; readonly model: string },
): Promise<readonly JsonObject[]> {
  const conditions = [...new Set(runs.map(({ condition }) => condition))];
  const most = Math.max(...runs.map(({ repetition_index: index }) => index + 1));
  const [task] = Object.values(passed.suite.tasks);
  if (task === undefined) throw new Error("the example has no task");
  const run: Run = {
    ...passed,
    candidates: conditions.map((id) => ({ id, kind: "agent", model })),
    suite: { ...passed.suite, name, tasks: { task: { ...task, repeats: most } } },
  };
  const samples = async function* (): AsyncGenerator<Sample> {
    yield* runs.map(sampleOf).toReversed();
  };
  for await (const { name: written, pieces } of kEvalFiles({ run, samples })) {
    if (!written.endsWith(".jsonl")) continue;
    return parseLines((await Array.fromAsync(pieces)).join("")).filter(isJsonObject);
  }
  return [];
}

function withFields(line: JsonObject, fields: object): object {
  return { ...line, ...fields };
}

/** A line of k-eval's, but for what is of the run itself. */
function expectedLine(line: JsonObject): object {
  const { details, ...rest } = line["evaluation"] as JsonObject & { readonly details: JsonObject };
  const times = { evaluation_timestamp: expect.any(Number), elapsed_seconds: expect.any(Number) };
  return withFields(line, {
    evaluation_id: expect.any(String),
    answer_attribution: attributionOf(line),
    evaluation: { ...rest, details: { ...details, ...times } },
  });
}

/**
 * In these tests an agent's last words and its answer differ, which for an agent they don't. An agent that says nothing on its way has said its answer; in one test
 * it has not.
 */
function attributionOf(line: JsonObject): unknown {
  const entries = line["answer_attribution"] as readonly JsonObject[];
  if (entries.length === 0) return expect.any(Array);
  return entries.map((each) =>
    each["is_terminal"] === true
      ? withFields(each, { extracted_value: answerOf(line, each["repetition_index"]) })
      : each,
  );
}

function answerOf({ run_details: runs }: JsonObject, repetition: Json | undefined): Json {
  const found = (runs as readonly JsonObject[]).find(
    (each) => each["repetition_index"] === repetition,
  );
  return found?.["agent_response"] ?? null;
}

function byPlace(lines: readonly JsonObject[]): readonly JsonObject[] {
  return lines.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

function placeOf(line: JsonObject): string {
  return JSON.stringify([line["evaluation_name"] ?? line["condition"], line["sample_idx"]]);
}

type JudgedRun = Judged & {
  readonly sample_idx: string;
  readonly condition: string;
  readonly repetition_index: number;
};

function runOf(judged: JudgedRun): KEvalRun {
  return {
    sample: { sample_idx: judged.sample_idx, question: "q", answer: "a" },
    condition: judged.condition,
    repetition_index: judged.repetition_index,
    agent_result: {
      response: "r",
      cost_usd: null,
      duration_ms: 1,
      num_turns: 1,
      usage: null,
      turns: [],
    },
    judge_result: judged,
  };
}

describe.skipIf(vectors.length === 0)("k-eval's own tests (skipped without ../shared)", () => {
  it.each(of("instance_jsonl"))("the lines of %s are written as k-eval does", async (_, vector) => {
    const { config_name: name, runs } = (
      vector.input as { summary: { config_name: string; runs: readonly KEvalRun[] } }
    ).summary;
    const lines = await exported(runs, { name, model: vector.params.agent?.model ?? "" });
    const expected = byPlace(vector.expected).map(expectedLine);
    expect(byPlace(lines)).toEqual(expected);
  });

  it.each(of("aggregate"))("the means of %s are k-eval's", async (_, vector) => {
    const runs = (vector.input as readonly JudgedRun[]).map(runOf);
    const lines = byPlace(await exported(runs, { name: "c", model: "m" }));
    const expected = byPlace(vector.expected);
    expect(lines).toHaveLength(expected.length);
    for (const [i, line] of lines.entries()) {
      const { details } = line["evaluation"] as { readonly details: JsonObject };
      const {
        sample_idx: at,
        condition,
        repetition_indices: _indices,
        ...means
      } = expected[i] ?? {};
      for (const [key, mean] of Object.entries(means))
        expect(details[key], `${JSON.stringify([condition, at])} ${key}`).toEqual(
          typeof mean === "number" ? expect.closeTo(mean, 12) : mean,
        );
    }
  });
});
