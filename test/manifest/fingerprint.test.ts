import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/model/json.ts";
import { fingerprintTask, inputHash, suiteVersion } from "../../src/manifest/fingerprint.ts";
import { resolveText, shortForm } from "./resolve-text.ts";

const hashText = (text: string): string => createHash("sha256").update(text).digest("hex");
const parts = { dataset: "sha256:data", preprocess: "sha256:rows", grader: "sha256:grader" };

async function identify(
  changes: Readonly<Record<string, Json | undefined>> = {},
  contents = parts,
) {
  const resolved = await resolveText(shortForm({ name: "s", ...changes }));
  if (resolved.kind === "refused") throw new Error(JSON.stringify(resolved.problems));
  const { suite } = resolved;
  const fingerprints = Object.fromEntries(
    suite.tasks.map((task) => [
      task.id,
      fingerprintTask(task, { ...contents, models: suite }, hashText),
    ]),
  );
  return { fingerprint: fingerprints["s"], version: suiteVersion(suite, fingerprints, hashText) };
}

describe("fingerprintTask", () => {
  const python = { type: "python", source: "a" };
  const judge = { ...python, contract: "model_backed" };
  it.each([
    ["the prompt", { prompt_template: "{{other}}" }, ["prompt"]],
    ["the target", { target_template: "{{other}}" }, ["grader"]],
    ["the choices", { choices: ["a"] }, ["grader", "prompt"]],
    [
      "a field of the extraction",
      { output_extraction: { type: "json", fields: { a: "/a" } } },
      ["extraction"],
    ],
    ["the extraction", { output_extraction: { type: "number" } }, ["extraction"]],
    ["the grader", { grader: "contains" }, ["grader"]],
    ["a grader's option", { grader: { type: "exact_match", case_sensitive: false } }, ["grader"]],
    [
      "the field that a grader reads",
      {
        output_extraction: { type: "json", fields: { a: "/a" } },
        grader: { type: "exact_match", extracted_field: "a" },
      },
      ["extraction", "grader"],
    ],
    [
      "a target of a grader's own",
      {
        grader: undefined,
        graders: [{ type: "exact_match", target_template: "{{other}}" }],
      },
      ["grader"],
    ],
    ["checks of every row", { grader: { type: "row_checks", field: "c" } }, ["grader"]],
    ["the metric_id", { grader: { ...python, metric_id: "x" } }, ["grader"]],
    ["the case ids", { dataset: { file: "data.jsonl", id_field: null } }, ["dataset"]],
    ["a file's name", { dataset: "other.jsonl" }, []],
    ["the format written out", { dataset: { file: "data.jsonl", format: "jsonl" } }, []],
    ["an extraction's default written out", { output_extraction: { type: "none" } }, []],
    ["a preprocessor", { preprocess: { type: "python", source: "x" } }, ["preprocess"]],
    ["isolation", { grader: { ...python, metric_id: "score", isolation: "sample" } }, []],
    ["a limit of model calls", { grader: { ...judge, max_model_calls: 3 } }, []],
    ["the judge model", { grader: judge, run: { judge_model: "openai:b" } }, ["judge"]],
    ["the embedding model", { grader: judge, run: { embedding_model: "openai:b" } }, ["judge"]],
    [
      "whom a built-in asks for embeddings",
      {
        grader: { type: "answer_relevance", embedding_model: "openai:e" },
        run: { judge_model: "openai:j" },
      },
      ["grader", "judge"],
    ],
    ["a judge that nobody asks", { run: { judge_model: "openai:b" } }, []],
    ["execution", { grader: { ...judge, execution: "aggregate" } }, ["grader"]],
  ])("a change of %s is seen there and nowhere else", async (_, changes, differs) => {
    const text = JSON.stringify(changes);
    const base = text.includes("metric_id")
      ? { grader: python }
      : text.includes("model_backed")
        ? { grader: judge }
        : {};
    const { fingerprint: before } = await identify(base);
    const { fingerprint: after } = await identify(changes);
    const keys = ["dataset", "preprocess", "prompt", "extraction", "grader", "judge"] as const;
    expect(keys.filter((key) => before?.[key] !== after?.[key]).toSorted()).toEqual(differs);
  });

  it("sees the contents of data and grader", async () => {
    const { fingerprint: before } = await identify();
    const { fingerprint: after } = await identify({}, { ...parts, dataset: "x", grader: "y" });
    expect(after?.dataset).not.toBe(before?.dataset);
    expect(after?.grader).not.toBe(before?.grader);
    expect(after?.prompt).toBe(before?.prompt);
  });
});

describe("suiteVersion", () => {
  it.each([
    ["repeats", { repeats: 2 }],
    ["slices", { slices: ["a"] }],
    ["a metric's range", { metrics: [{ id: "exact_match", range: [0, 2] }] }],
    ["the prompt", { prompt_template: "x" }],
  ])("changes with %s", async (_, changes) => {
    expect((await identify(changes)).version).not.toBe((await identify()).version);
  });

  it.each([
    ["run", { run: { concurrency: 2, budget: { usd: 1 } } }],
    ["a model", { candidates: { app: "groq:m" } }],
    ["its settings", { candidates: { app: "groq:m" }, run: { generation: { temperature: 1 } } }],
    ["its provider", { candidates: { app: "groq:m" }, providers: { groq: { api: "responses" } } }],
    ["gate", { gate: { max_drop: 0.5 } }],
    ["candidates", { candidates: { other: { command: ["y"] } } }],
    ["metadata", { metadata: { a: "b" } }],
    ["a label for people", { type: "qa" }],
    ["a metric's description", { metrics: [{ id: "exact_match", description: "x" }] }],
  ])("does not change with %s", async (_, changes) => {
    expect((await identify(changes)).version).toBe((await identify()).version);
  });
});

describe("inputHash", () => {
  it("changes with version, candidates and run settings, not with the order of keys", () => {
    const base = { candidates: { a: 1, b: 2 }, run: { c: 3 } };
    const hash = inputHash("v", base, hashText);
    expect(inputHash("v", { candidates: { b: 2, a: 1 }, run: { c: 3 } }, hashText)).toBe(hash);
    expect(inputHash("w", base, hashText)).not.toBe(hash);
    expect(inputHash("v", { ...base, run: { c: 4 } }, hashText)).not.toBe(hash);
    expect(inputHash("v", { ...base, candidates: [] }, hashText)).not.toBe(hash);
  });
});
