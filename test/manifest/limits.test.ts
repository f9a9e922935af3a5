import { describe, expect, it } from "vitest";
import type { Json } from "../../src/model/json.ts";
import { problemsOf, shortForm } from "./resolve-text.ts";

type Keys = Readonly<Record<string, Json | undefined>>;

const python = { type: "python", source: "x" };
const batch = { type: "python", contract: "row", source: "x" };
const hub = { source: "huggingface", path: "a/b" };

function many(n: number): readonly number[] {
  return Array.from({ length: n }, (_, i) => i);
}

function taskCalled(id: string): Json {
  return { id, dataset: "d.jsonl", prompt_template: "x", grader: "json_valid" };
}

function tasks(n: number): Keys {
  return {
    dataset: undefined,
    prompt_template: undefined,
    target_template: undefined,
    grader: undefined,
    tasks: many(n).map((i) => taskCalled(`t${i}`)),
  };
}

function candidates(n: number): Keys {
  return { candidates: Object.fromEntries(many(n).map((i) => [`c${i}`, { command: ["x"] }])) };
}

function models(n: number): Keys {
  return { candidates: undefined, models: many(n).map((i) => `openai:m${i}`) };
}

function inRun(key: string): (value: number) => Keys {
  return (value) => ({ run: { [key]: value } });
}

function generation(key: string): (value: number) => Keys {
  return (value) => ({ candidates: ["openai:m"], run: { generation: { [key]: value } } });
}

function grader(key: string, more: Keys = {}): (value: number) => Keys {
  return (value) => ({ grader: { ...python, ...more, [key]: value } });
}

/** What the product documents: the lowest and the highest that is allowed, and what is said of what is not. */
const limits: readonly {
  readonly of: string;
  readonly make: (value: number) => Keys;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly said: RegExp;
}[] = [
  { of: "tasks", make: tasks, from: 1, to: 100, said: /allowed are 1 to 100/ },
  { of: "candidates", make: candidates, from: 1, to: 20, said: /allowed are 1 to 20/ },
  { of: "models", make: models, from: 1, to: 20, said: /allowed are 1 to 20/ },
  {
    of: "num_fewshot",
    make: (num_fewshot) => ({ num_fewshot }),
    from: 0,
    to: 100,
    said: /a whole number from 0 to 100/,
  },
  {
    of: "fewshot.count",
    make: (count) => ({ fewshot: { count } }),
    from: 0,
    to: 100,
    said: /a whole number from 0 to 100/,
  },
  {
    of: "fewshot.seed",
    make: (seed) => ({ fewshot: { count: 1, seed } }),
    from: 0,
    to: undefined,
    said: /a whole number from 0/,
  },
  { of: "concurrency", make: inRun("concurrency"), from: 1, to: 25, said: /"auto".*from 1 to 25/ },
  { of: "max_samples", make: inRun("max_samples"), from: 1, to: undefined, said: /1 or more/ },
  {
    of: "max_rows",
    make: (max_rows) => ({ dataset: { ...hub, max_rows } }),
    from: 1,
    to: 1_000_000,
    said: /a whole number from 1 to 1000000/,
  },
  {
    of: "a metadata key",
    make: (length) => ({ metadata: { ["k".repeat(length)]: "v" } }),
    from: undefined,
    to: 64,
    said: /at most 64/,
  },
  {
    of: "a metadata value",
    make: (length) => ({ metadata: { k: "v".repeat(length) } }),
    from: undefined,
    to: 512,
    said: /at most 512/,
  },
  {
    of: "a run's metadata value",
    make: (length) => ({ run: { metadata: { k: "v".repeat(length) } } }),
    from: undefined,
    to: 512,
    said: /at most 512/,
  },
  {
    of: "a grader's timeout_seconds",
    make: grader("timeout_seconds"),
    from: 1,
    to: 600,
    said: /from 1 to 600/,
  },
  {
    of: "max_model_calls",
    make: grader("max_model_calls", { contract: "model_backed" }),
    from: 0,
    to: 500,
    said: /from 0 to 500/,
  },
  {
    of: "a preprocessor's timeout_seconds",
    make: (timeout_seconds) => ({ preprocess: { ...batch, timeout_seconds } }),
    from: 1,
    to: 600,
    said: /from 1 to 600/,
  },
  {
    of: "a model's timeout_seconds",
    make: generation("timeout_seconds"),
    from: 1,
    to: 3600,
    said: /from 1 to 3600/,
  },
  { of: "max_retries", make: generation("max_retries"), from: 0, to: 10, said: /from 0 to 10/ },
  {
    of: "max_empty_retries",
    make: generation("max_empty_retries"),
    from: 0,
    to: 10,
    said: /from 0 to 10/,
  },
  {
    of: "lines",
    make: (lines) => ({ output_extraction: { type: "take_first", lines } }),
    from: 1,
    to: undefined,
    said: /1 or more/,
  },
];

async function said(keys: Keys): Promise<readonly string[]> {
  return (await problemsOf(shortForm(keys))).map(({ message }) => message);
}

describe("a documented limit is allowed, and one more or less names the range", () => {
  it.each(limits)("$of: from $from to $to", async ({ make, from, to, said: expected }) => {
    const [inside, outside] = [
      [from, to].filter((value) => value !== undefined),
      [from === undefined ? undefined : from - 1, to === undefined ? undefined : to + 1].filter(
        (value) => value !== undefined,
      ),
    ];
    for (const value of inside) expect(await said(make(value))).toEqual([]);
    for (const value of outside)
      expect(await said(make(value))).toEqual([expect.stringMatching(expected)]);
  });
});

function withId(id: string): Keys {
  return { ...tasks(0), tasks: [taskCalled(id)] };
}

describe("task ids and types", () => {
  it.each(["qa", "A-1_b.c", "0", "_", ".", "-"])("the id %j is taken", async (id) => {
    expect(await said(withId(id))).toEqual([]);
  });

  it.each(["a b", "a/b", "ä", "a:b", "a\n"])("the id %j is refused", async (id) => {
    expect(await said(withId(id))).toEqual([
      expect.stringContaining("letters, digits, _, . and -"),
    ]);
  });

  it.each([
    "classification",
    "multiple_choice",
    "qa",
    "summarization",
    "semantic_similarity",
    "llm_judge",
    "numeric",
    "math",
    "custom",
  ])("the type %s is taken", async (type) => {
    expect(await said({ type })).toEqual([]);
  });

  it("another type is refused with all that there are", async () => {
    expect(await said({ type: "clasification" })).toEqual([
      expect.stringContaining("classification, multiple_choice, qa"),
    ]);
  });

  it("concurrency may be auto, and no other word", async () => {
    expect(await said({ run: { concurrency: "auto" } })).toEqual([]);
    expect(await said({ run: { concurrency: "many" } })).toHaveLength(1);
  });
});
