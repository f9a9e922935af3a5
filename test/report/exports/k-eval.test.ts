import { readdir, readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { parseLines, regrade } from "../../support/cli.ts";

const scales = ["factual_adherence", "completeness", "helpfulness_and_clarity"] as const;

/** A line as k-eval writes it; `scores`: of all three scales, by repetition. */
function line(condition: string, at: number, scores: readonly number[]): object {
  const middle = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const stddev = Math.sqrt(scores.reduce((sum, score) => sum + (score - middle) ** 2, 0));
  const details = scales.map((scale) => ({
    [`${scale}_mean`]: middle,
    [`${scale}_stddev`]: stddev,
    [`${scale}_reasonings`]: scores.map((_, i) => `${scale} ${i}`),
  }));
  return {
    schema_version: "instance_level_eval_0.2.1",
    evaluation_name: `docs/${condition}`,
    sample_idx: String(at),
    interaction_type: "agentic",
    input: { raw: `Question ${at}?`, reference: `Answer ${at}.` },
    output: { raw: "answer 0", reasoning_trace: "" },
    evaluation: {
      score: null,
      details: { ...Object.assign({}, ...details), unverified_claims: ["It rains.", "It snows."] },
    },
    token_usage: { input_tokens: 101, output_tokens: 50 },
    run_details: scores.map((score, i) => ({
      repetition_index: i,
      agent_response: `answer ${i}`,
      reasoning_trace: "",
      cost_usd: 0.002,
      duration_ms: 300,
      ...Object.fromEntries(scales.map((scale) => [scale, score])),
    })),
  };
}

it("writes a run in k-eval's files, with its means, deviations, reasons and claims", async () => {
  const lines = [
    line("a", 0, [5, 3]),
    line("a", 1, [1, 1]),
    line("b", 0, [4, 4]),
    line("b", 1, [2, 4]),
  ];
  await using fixture = await createFixture({
    "r.jsonl": lines.map((each) => `${JSON.stringify(each)}\n`).join(""),
    "own.jsonl": '{"id": "a", "score": 1}\n',
  });
  const at = { in: fixture.path };
  await regrade(["run", "--results", "r.jsonl", "--name", "docs", "--out", "run", "-q"], at);
  const end = await regrade(["report", "run", "--as", "k-eval", "--out", "out"], at);
  expect(end.code, end.stderr).toBe(0);
  const [means = "", details = ""] = (await readdir(fixture.getPath("out")))
    .toSorted((a, b) => b.length - a.length)
    .toReversed();
  const { id, completed_at: end_at } = JSON.parse(
    await readFile(fixture.getPath("run", "run.json"), "utf8"),
  );
  // Two runs of one day are two files.
  const stem = `docs_${end_at.slice(0, 10).replaceAll("-", "")}_${id.split("_").at(-1)}`;
  expect([means, details]).toEqual([`${stem}.json`, `${stem}.detailed.jsonl`]);
  const written = parseLines(await readFile(fixture.getPath("out", details), "utf8"));
  expect(written).toMatchObject(lines);
  const aggregate: unknown = JSON.parse(await readFile(fixture.getPath("out", means), "utf8"));
  expect(aggregate).toMatchObject({
    detailed_evaluation_results: { file_path: details },
    evaluation_results: [
      {
        evaluation_name: "docs/a",
        source_data: { samples_number: 2 },
        score_details: {
          score: null,
          details: { completeness_mean: 2.5, completeness_stddev: Math.SQRT2 / 2 },
        },
      },
      { evaluation_name: "docs/b", score_details: { details: { factual_adherence_mean: 3.5 } } },
    ],
  });
  // And they are read again, from the means alone.
  const again = await regrade(["run", "--results", `out/${means}`, "--out", "again", "-q"], at);
  expect(again.code, again.stderr).toBe(0);

  await regrade(["run", "--results", "own.jsonl", "--out", "own", "-q"], at);
  const other = await regrade(["report", "own", "--as", "k-eval"], at);
  expect(other.code).toBe(2);
  expect(other.stderr).toContain("it has no factual_adherence, completeness");
});
