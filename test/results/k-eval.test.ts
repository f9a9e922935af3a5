import { createFixture } from "fs-fixture";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outcomeOf } from "../../src/model/outcomes/sample.ts";
import { readRunDirectory, regrade } from "../support/cli.ts";

const scales = ["factual_adherence", "completeness", "helpfulness_and_clarity"] as const;

interface Line {
  readonly at: number;
  readonly condition?: string;
  /** A score of all three scales, by repetition. */
  readonly scores: readonly (number | null)[];
  readonly claims?: readonly string[];
  readonly more?: object;
}

function line({ at, condition = "plain", scores, claims = [], more = {} }: Line): string {
  const reasons = scales.map((scale) => [
    `${scale}_reasonings`,
    scores.map((_, i) => `${scale} ${i}`),
  ]);
  const record = {
    schema_version: "instance_level_eval_0.2.1",
    evaluation_id: "aaaabbbb-cccc-dddd-eeee-ffffaaaabbbb",
    model_id: "claude",
    evaluation_name: `docs/${condition}`,
    sample_idx: String(at),
    interaction_type: condition === "plain" ? "single_turn" : "agentic",
    input: { raw: `Question ${at}?`, reference: `Answer ${at}.` },
    output: { raw: "x", reasoning_trace: "" },
    answer_attribution: [],
    evaluation: {
      score: null,
      details: { ...Object.fromEntries(reasons), unverified_claims: claims },
    },
    token_usage: { input_tokens: 101, output_tokens: 50 },
    run_details: scores.map((score, i) => ({
      repetition_index: i,
      agent_response: `answer ${i}`,
      reasoning_trace: "",
      cost_usd: 0.002,
      duration_ms: 300,
      num_turns: 1,
      ...Object.fromEntries(scales.map((scale) => [scale, score])),
    })),
    ...more,
  };
  return `${JSON.stringify(record)}\n`;
}

const aggregate = (file: string): string =>
  JSON.stringify({
    schema_version: "0.2.1",
    source_metadata: { source_name: "k-eval" },
    model_info: { id: "claude" },
    eval_library: { name: "k-eval", version: "1.2.1" },
    evaluation_results: [{ evaluation_name: "docs/plain" }],
    detailed_evaluation_results: { file_path: file, format: "jsonl" },
  });

async function refused(text: string, file = "r.jsonl"): Promise<string> {
  await using fixture = await createFixture({ [file]: text });
  const argv = ["run", "--results", file, "--format", "k-eval"];
  const end = await regrade(argv, { in: fixture.path });
  expect(end.code, end.stdout).toBe(2);
  return end.stderr;
}

describe("results of k-eval", () => {
  it("give conditions, repetitions, scales, claims and reasons, by question and from either file", async () => {
    const lines = [
      line({ at: 0, scores: [4, 2] }),
      line({ at: 1, scores: [5, 5], claims: ["the moon is near", "it rains"] }),
      line({ at: 0, condition: "with docs", scores: [5, 5] }),
      line({ at: 1, condition: "with docs", scores: [5, 3] }),
    ];
    const reordered = [line({ at: 1, scores: [5, 5] }), line({ at: 2, scores: [1, 1] })];
    await using fixture = await createFixture({
      "docs.json": aggregate("docs.detailed.jsonl"),
      "docs.detailed.jsonl": lines.join(""),
      "again.jsonl": reordered.join("").replaceAll('"sample_idx":"1"', '"sample_idx":"0"'),
    });
    const at = { in: fixture.path };
    const end = await regrade(["run", "--results", "docs.json", "--out", "out"], at);
    expect(end.code, end.stderr).toBe(0);
    const { run, samples } = await readRunDirectory(join(fixture.path, "out"));
    expect(run.results?.[0]).toMatchObject({ format: "k-eval", tool: "k-eval 1.2.1" });
    expect(run.candidates.map(({ id }) => id)).toEqual(["plain", "with docs"]);
    const found = run.metrics.map(({ metric, candidate, value }) => [metric, candidate, value]);
    expect(found).toContainEqual(["factual_adherence", "plain", 4]);
    expect(found).toContainEqual(["completeness", "with docs", 4.5]);
    expect(found).toContainEqual(["unverified_claims", "plain", 1]);
    expect(run.metrics[0]).toMatchObject({
      metric: "factual_adherence",
      range: [1, 5],
      scale: "graded",
    });
    expect(run.usage).toMatchObject({ input_tokens: 404, output_tokens: 200, usd: 0.016 });
    const told = samples.find(
      ({ prompt, model, repeat }) => prompt === "Question 1?" && model === "plain" && repeat === 1,
    );
    expect(told).toMatchObject({ target: "Answer 1.", output_text: "answer 1", latency_ms: 300 });
    expect(told?.judge?.["explanation"]).toContain("completeness: completeness 1");
    expect(told?.judge?.["explanation"]).toContain("unverified claim: it rains");
    // A question is the same one wherever it stands.
    const argv = ["run", "--results", "again.jsonl", "--baseline", "out", "--max-drop", "1"];
    const flags = ["--candidate", "plain", "--name", run.suite.name, "--out", "again"];
    await regrade([...argv, ...flags], at);
    const again = await readRunDirectory(join(fixture.path, "again"));
    expect(again.run.cases).toMatchObject({ paired: 1, new: 1 });
  });

  it("lose no other triple where one has no answer, no score, or one that is off the scale", async () => {
    const gap = { repetition_index: 0, agent_response: null };
    const text = [
      ...Array.from({ length: 60 }, (_, i) => line({ at: i, scores: [4] })),
      line({ at: 60, scores: [null] }),
      line({ at: 61, scores: [4], more: { run_details: [gap] } }),
      line({ at: 62, scores: [7] }),
    ];
    await using fixture = await createFixture({ "r.jsonl": text.join("") });
    const argv = ["run", "--results", "r.jsonl", "--out", "out"];
    const end = await regrade(argv, { in: fixture.path });
    expect(end.stdout).toContain("outside of its range [1, 5]: counted as wrong");
    const { samples } = await readRunDirectory(join(fixture.path, "out"));
    expect(samples.slice(59).map(outcomeOf)).toEqual(["scored", "ungraded", "failed", "scored"]);
  });

  it("are refused by their place, with the way out", async () => {
    const alone = await refused(aggregate("../gone.jsonl"), "docs.json");
    expect(alone).toContain("file_path");
    expect(alone).toContain("not beside it");
    expect(
      await refused(
        line({ at: 0, scores: [4], more: { schema_version: "instance_level_eval_0.3.0" } }),
      ),
    ).toContain("0.3.0");
    expect(await refused('{"id": 1, "score": 1}\n')).toContain("run_details");
    expect(await refused(line({ at: 0, scores: [4], more: { run_details: null } }))).toContain(
      "line 1",
    );
    const wrong = line({ at: 0, scores: [4] }).replace('"completeness":4', '"completeness":"good"');
    const said = await refused(wrong);
    expect(said).toContain("run_details[0]");
    expect(said).toContain("completeness");
  });
});
