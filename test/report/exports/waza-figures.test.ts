import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { triggerPart } from "../../../src/report/exports/waza-triggers.ts";
import {
  createUsageSum,
  deviationOf,
  digestOf,
  isSignificant,
  meanOrZero,
  meanInterval,
} from "../../../src/report/exports/waza-figures.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { Sample } from "../../../src/model/outcomes/sample.ts";
import { sample } from "../../support/evidence-samples.ts";

// Skipped where ../shared, which is not part of the repository, is absent.
const file = "../shared/vectors/waza.json";

interface Vector<Input> {
  readonly id: string;
  readonly grader: string;
  readonly input: Input;
  readonly expected: { readonly value: unknown };
}

const all: readonly Vector<never>[] = existsSync(file)
  ? JSON.parse(readFileSync(file, "utf8"))
  : [];

function vectorsOf<Input>(grader: string): readonly Vector<Input>[] {
  return all.filter((each) => each.grader === grader);
}

describe.skipIf(all.length === 0)("figures of a report in waza's format are waza's", () => {
  it("deviations divide by n, and 0 stands for none", () => {
    const vectors = vectorsOf<readonly number[] | null>("@std_dev");
    expect(vectors.length).toBeGreaterThan(3);
    for (const { input, expected, id } of vectors)
      expect(deviationOf(input ?? []), id).toBeCloseTo(Number(expected.value), 12);
  });

  it("intervals are within those that waza's draws without a seed give", () => {
    const vectors = vectorsOf<{ readonly scores: readonly number[]; readonly confidence: number }>(
      "@bootstrap_ci_range",
    ).filter(({ input }) => input.confidence === 0.95);
    expect(vectors.length).toBeGreaterThan(3);
    for (const { input, expected, id } of vectors) {
      const found = meanInterval(input.scores);
      expect(found, id).toMatchObject({ confidence_level: 0.95, num_bootstraps: 10_000 });
      expect({ [id]: [found?.["lower"], found?.["upper"]] }).toEqual({
        [id]: [expect.any(Number), expect.any(Number)],
      });
      const ranges = expected.value;
      expect(isWithin(Number(found?.["lower"]), ranges, "lower_range"), id).toBe(true);
      expect(isWithin(Number(found?.["upper"]), ranges, "upper_range"), id).toBe(true);
    }
  });

  it("an interval is significant where 0 is not in it", () => {
    const vectors = vectorsOf<{ readonly lower: number; readonly upper: number }>(
      "@is_significant",
    );
    expect(vectors.length).toBeGreaterThan(3);
    for (const { input, expected, id } of vectors)
      expect(isSignificant(input), id).toBe(expected.value);
  });

  it("prompts that should trigger a skill are counted and rounded alike", async () => {
    const vectors = vectorsOf<readonly Prompt[] | null>("@trigger_metrics").filter(
      ({ input, expected }) => Array.isArray(input) && expected.value !== null,
    );
    expect(vectors.length).toBeGreaterThan(4);
    for (const { input, expected, id } of vectors) {
      const told = await triggerPart(prompted(input ?? []), "m");
      expect(told["trigger_metrics"], id).toMatchObject(Object(expected.value));
    }
  });
});

describe("a run's digest in waza's format", () => {
  const agent: Sample = {
    ...sample,
    usage: {
      input_tokens: 10,
      output_tokens: 4,
      cached_tokens: 2,
      reasoning_tokens: 0,
      usd: null,
    },
    transcript: [
      { type: "tool_call", id: "1", name: "bash", arguments: { command: "ls" }, server: null },
      { type: "tool_result", id: "1", output: "a.txt", is_error: false },
      { type: "tool_call", id: "2", name: "bash", arguments: { command: "rm" }, server: null },
      { type: "tool_result", id: "2", output: "no", is_error: true },
      { type: "end", reason: "done", turns: 3 },
    ],
  };

  it("has the calls of tools in their order, each with its result, and the tokens", () => {
    expect(digestOf(agent)).toEqual({
      tool_call_count: 2,
      tools_used: ["bash", "bash"],
      tool_calls: [
        { name: "bash", arguments: { command: "ls" }, result: { content: "a.txt" }, success: true },
        { name: "bash", arguments: { command: "rm" }, result: { content: "no" }, success: false },
      ],
      errors: [],
      usage: {
        turns: 3,
        input_tokens: 10,
        output_tokens: 4,
        cache_read_tokens: 2,
        cache_write_tokens: 0,
        premium_requests: 0,
      },
    });
  });

  it("has no usage where nobody tells of it, and sums where several do", () => {
    const sum = createUsageSum();
    expect(sum.part()).toEqual({});
    sum.add({ ...sample, usage: null });
    expect(sum.part()).toEqual({});
    sum.add(agent);
    sum.add(agent);
    expect(sum.part()).toMatchObject({ usage: { turns: 6, input_tokens: 20, output_tokens: 8 } });
  });

  it("has no interval of one score, and the same one each time of several", () => {
    expect(meanInterval([0.5])).toBeUndefined();
    expect(meanInterval([0, 1, 1])).toEqual(meanInterval([0, 1, 1]));
    expect(meanOrZero([])).toBe(0);
  });
});

function isWithin(value: number, ranges: unknown, key: string): boolean {
  const range = new Map(Object.entries(Object(ranges))).get(key);
  const [least, most] = Array.isArray(range) ? range.map(Number) : [Number.NaN, Number.NaN];
  return value >= Number(least) - 1e-9 && value <= Number(most) + 1e-9;
}

interface Prompt {
  readonly should_trigger: boolean;
  readonly did_trigger: boolean;
  readonly confidence?: string;
  readonly error_msg?: string;
}

async function* prompted(prompts: readonly Prompt[]): AsyncGenerator<Sample> {
  for (const { should_trigger, did_trigger, confidence, error_msg: message } of prompts) {
    const row: JsonObject = { should_trigger, weight: confidence === "medium" ? 0.5 : 1 };
    yield {
      ...sample,
      task_id: "trigger",
      model: "m",
      dataset_row: row,
      scores: { triggered: did_trigger ? 1 : 0 },
      error:
        message === undefined
          ? null
          : { stage: "generate", fault: "candidate", type: "exit", message },
    };
  }
}
