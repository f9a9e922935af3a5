import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonLines, readRunDirectory, regrade, repository } from "../support/cli.ts";
import { startProvider, type Provider } from "../support/provider/server.ts";

/** The hosted product's example graders, verbatim; none where its documentation is not beside the repository. */
const sources = JSON.parse(
  execFileSync("python3", [join(repository, "test/python/seed_graders.py")], { encoding: "utf8" }),
) as readonly string[];

const rows = [
  { id: "q1", question: "2+2?", answer: "4", recorded: "4" },
  { id: "q2", question: "Capital of France?", answer: "Paris", recorded: "paris" },
  { id: "q3", question: "A half?", answer: "0.5", recorded: "0.503" },
  { id: "q4", question: "Colour of the sky?", answer: "blue", recorded: "green" },
];

/** What the graders must give, found by what their source has: a score a row, or a metric. */
const table: readonly {
  readonly has: string;
  readonly scores?: Readonly<Record<string, readonly number[]>>;
  readonly metrics?: Readonly<Record<string, number>>;
}[] = [
  { has: "contains_target", scores: { exact_match: [1, 1, 0, 0], contains_target: [1, 1, 1, 0] } },
  {
    has: '"batch_accuracy"',
    scores: { batch_correct: [1, 0, 0, 0] },
    metrics: { batch_accuracy: 0.25 },
  },
  { has: '"accuracy"', metrics: { accuracy: 0.25 } },
  { has: "judge_score", scores: { judge_score: [1, 1, 0, 0] } },
  { has: "semantic_similarity", scores: { semantic_similarity: [1, 1, 0.67, 0.43] } },
  { has: "numeric_match", scores: { numeric_match: [1, 0, 1, 0] } },
  { has: "token_f1", scores: { token_f1: [1, 1, 0.5, 0] } },
  { has: "macro_f1", scores: { correct: [1, 0, 0, 0] }, metrics: { macro_f1: 0.25 } },
  { has: ".lower()", scores: { exact_match: [1, 1, 0, 0] } },
  { has: "exact_match", scores: { exact_match: [1, 0, 0, 0] } },
  { has: "return 1.0 if", scores: { score: [1, 0, 0, 0] } },
];

let model: Provider;
beforeAll(async () => {
  model = await startProvider({ answer: ({ prompt }) => verdictOf(prompt) });
});
afterAll(() => model.close());

describe.skipIf(sources.length === 0)(
  "the hosted product's example graders, verbatim (../shared/seeds, skipped where absent)",
  () => {
    it("are all here", () => {
      const found = sources.map((source) => table.findIndex(({ has }) => source.includes(has)));
      expect(found.toSorted((a, b) => a - b)).toEqual([...table.keys()]);
    });

    it.each(sources.map((source) => [entryOf(source)?.has ?? "unknown", source] as const))(
      "%s",
      async (_, source) => {
        const { scores = {}, metrics = {} } = entryOf(source) ?? {};
        await using fixture = await createFixture({
          "rows.jsonl": jsonLines(rows),
          "recorded.jsonl": jsonLines(
            rows.map(({ id, recorded }) => ({ case_id: id, output_text: recorded })),
          ),
          "suite.json": JSON.stringify(
            suiteOf(source, [...Object.keys(metrics), ...Object.keys(scores)]),
          ),
        });
        const argv = ["run", "suite.json", "--baseline", "none", "--out", "run"];
        const end = await regrade(argv, { in: fixture.path, env: { HOUSE_KEY: "house-key-1234" } });
        expect(end.code, end.stderr + end.stdout).toBe(0);
        const { samples: finished, run } = await readRunDirectory(join(fixture.path, "run"));
        // Those that wait for a model finish when they will.
        const samples = finished.toSorted((a, b) => a.sample_index - b.sample_index);
        expect(samples.map(({ error }) => error)).toEqual([null, null, null, null]);
        for (const [id, wanted] of Object.entries(scores)) {
          const found = samples.map((sample) => Math.round((sample.scores[id] ?? -1) * 100) / 100);
          expect(found, id).toEqual(wanted);
        }
        for (const [id, wanted] of Object.entries(metrics)) {
          expect(run.metrics.find(({ metric }) => metric === id)?.value, id).toBeCloseTo(wanted);
        }
      },
    );
  },
);

function entryOf(source: string): (typeof table)[number] | undefined {
  return table.find(({ has }) => source.includes(has));
}

function suiteOf(source: string, metrics: readonly string[]): object {
  const isBatch = source.includes("def grade_batch");
  const contract = source.includes("ctx.") ? "model_backed" : isBatch ? "batch" : "sample";
  return {
    name: "recipes",
    dataset: "rows.jsonl",
    prompt_template: "{{question}}",
    target_template: "{{answer}}",
    grader: { type: "python", contract, source },
    metrics: metrics.map((id) => ({ id, range: [0, 1] })),
    candidates: { main: { replay: "recorded.jsonl" } },
    gate: "none",
    providers: { local: { base_url: model.url, api: "responses", api_key_env: "HOUSE_KEY" } },
    run: { judge_model: "local:judge", embedding_model: "local:embed" },
  };
}

/** A judge that compares what the example's prompt names as reference and prediction. */
function verdictOf(prompt: string): string {
  const word = (name: string): string => new RegExp(`^${name}: (.*)$`, "m").exec(prompt)?.[1] ?? "";
  const same = word("Reference").toLowerCase() === word("Prediction").toLowerCase();
  return JSON.stringify({ verdict: same ? "correct" : "incorrect", rationale: "compared" });
}
