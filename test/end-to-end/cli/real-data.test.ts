import { existsSync, readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../../src/model/outcomes/run.ts";
import { jsonLines, parseLines, readRunDirectory, regrade, repository } from "../../support/cli.ts";

/** Real data sets with recorded answers of real models, and the publisher's own labels to be held against. */

const data = join(repository, "../shared/data");
const solutions = join(data, "gsm8k/model_solutions_300.jsonl");
const svamp = join(data, "svamp/svamp.jsonl");
const models = ["6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"];
const absent = "skipped: the data sets are not on this machine";

const manifest = (model: string): string =>
  [
    "name: gsm8k",
    "dataset: { file: solutions.jsonl, id_field: id }",
    'prompt_template: "{{question}}"',
    'target_template: "{{target}}"',
    "output_extraction: { type: number }",
    "grader: { type: python, file: grader.py, metric_id: right }",
    "metrics: [{ id: right, range: [0, 1], scale: binary }]",
    `candidates: { model: { replay: { file: solutions.jsonl, output_field: ${model}, id_field: id } } }`,
    "gate: { rules: [{ metric: right, max_drop: 0.01 }] }",
    "",
  ].join("\n");

const grader = `def grade(sample, item):
    answer = sample["extracted_output"]
    return 0.0 if answer is None else float(float(answer.replace(",", "")) == float(item["target"].replace(",", "")))
`;

/** P(X > broke) + P(X = broke) / 2 for X ~ Binomial(broke + fixed, 1/2), exact up to the last division. */
function midP(broke: number, fixed: number): number {
  const n = broke + fixed;
  let choose = 1n;
  let twice = 0n;
  for (let k = 0; k <= n; k += 1) {
    if (k >= broke) twice += choose * (k === broke ? 1n : 2n);
    choose = (choose * BigInt(n - k)) / BigInt(k + 1);
  }
  const scale = 10n ** 30n;
  return Number((twice * scale) / 2n ** BigInt(n + 1)) / 1e30;
}

describe.skipIf(!existsSync(solutions))(
  `GSM8K${existsSync(solutions) ? "" : ` (${absent})`}`,
  () => {
    let fixture: FsFixture;
    beforeAll(async () => {
      fixture = await createFixture({
        "grader.py": grader,
        ...Object.fromEntries(models.map((model) => [`${model}.yaml`, manifest(model)])),
      });
      await copyFile(solutions, fixture.getPath("solutions.jsonl"));
      for (const model of models) {
        const out = fixture.getPath("runs", model);
        const end = await regrade(["run", `${model}.yaml`, "--out", out, "-q"], {
          in: fixture.path,
        });
        expect(end.code, end.stderr).toBe(0);
      }
    });
    afterAll(() => fixture.rm());

    const labels = (): ReadonlyMap<string, boolean> =>
      new Map(
        (parseLines(readFileSync(solutions, "utf8")) as Record<string, unknown>[]).flatMap((row) =>
          models.map((model) => [
            `${model} ${String(row["id"])}`,
            row[`${model}__is_correct`] === true,
          ]),
        ),
      );

    it("grades each of 1,200 answers as its publisher did", async () => {
      const known = labels();
      let checked = 0;
      for (const model of models) {
        const { scores } = await readRunDirectory(fixture.getPath("runs", model));
        expect(scores).toHaveLength(300);
        const wrong = scores.filter(
          (row) => (row.scores["right"] === 1) !== known.get(`${model} ${row.case_id}`),
        );
        expect(wrong).toEqual([]);
        checked += scores.length;
      }
      expect(checked).toBe(1200);
    });

    it.each(
      models.flatMap((base) => models.filter((head) => head !== base).map((head) => [base, head])),
    )("compares %s with %s as the binomial says", async (base = "", head = "") => {
      const known = labels();
      const ids = (parseLines(readFileSync(solutions, "utf8")) as { id: string }[]).map(
        ({ id }) => id,
      );
      const was = (id: string): boolean => known.get(`${base} ${id}`) === true;
      const is = (id: string): boolean => known.get(`${head} ${id}`) === true;
      const broke = ids.filter((id) => was(id) && !is(id)).length;
      const fixed = ids.filter((id) => !was(id) && is(id)).length;
      const end = await regrade(["compare", `runs/${base}`, `runs/${head}`, "--json"], {
        in: fixture.path,
      });
      const run = JSON.parse(end.stdout) as Run;
      const [rule] = run.gate.rules;
      expect(rule).toMatchObject({ test: "mcnemar_midp", n: 300, broke, fixed });
      const p = midP(broke, fixed);
      expect(Math.abs((rule?.p ?? Number.NaN) - p)).toBeLessThanOrEqual(1e-9 * Math.max(p, 1e-3));
      const proven = (broke - fixed) / 300 >= 0.01 - 1e-9 && p < 0.05;
      expect(run.gate.verdict).toBe(proven ? "fail" : "pass");
      expect(end.code).toBe(proven ? 1 : 0);
    });
  },
);

describe.skipIf(!existsSync(svamp))(`SVAMP${existsSync(svamp) ? "" : ` (${absent})`}`, () => {
  it("keeps targets like 51.0 as they are written, and takes 51 for the same number", async () => {
    const text = readFileSync(svamp, "utf8");
    const rows = parseLines(text) as { id: string; answer: number }[];
    const written = new Map(
      [...text.matchAll(/"id": "([^"]+)".*"answer": ([^,}]+)[,}]/g)].map(([, id, answer]) => [
        id,
        answer,
      ]),
    );
    expect(written.size).toBe(rows.length);
    const outputs = (say: (id: string, answer: number) => string): string =>
      jsonLines(rows.map(({ id, answer }) => ({ case_id: id, output_text: say(id, answer) })));
    const head = [
      "dataset: svamp.jsonl",
      'prompt_template: "{{body}} {{question}}"',
      'target_template: "{{answer}}"',
    ];
    await using fixture = await createFixture({
      "verbatim.yaml": [
        "name: verbatim",
        ...head,
        "grader: exact_match",
        "candidates: { same: { replay: verbatim.jsonl } }",
        "gate: { rules: [{ metric: exact_match, min: 1 }] }",
        "",
      ].join("\n"),
      "numbers.yaml": [
        "name: numbers",
        ...head,
        "output_extraction: { type: number }",
        "grader: numeric",
        "candidates: { short: { replay: numbers.jsonl } }",
        "gate: { rules: [{ metric: numeric_match, min: 1 }] }",
        "",
      ].join("\n"),
      "verbatim.jsonl": outputs((id) => `${written.get(id)}`),
      "numbers.jsonl": outputs((_, answer) => `Of 7 and 9 it is ${answer}.`),
    });
    await copyFile(svamp, fixture.getPath("svamp.jsonl"));
    const end = await regrade(["run", "verbatim.yaml", "numbers.yaml", "--out", "out"], {
      in: fixture.path,
    });
    expect(end.code, `${end.stderr}${end.stdout}`).toBe(0);
    const { samples, run } = await readRunDirectory(fixture.getPath("out/verbatim"));
    expect(run.cases).toMatchObject({ declared: rows.length, scored: rows.length });
    expect(samples.find(({ case_id }) => case_id === "chal-1")?.target).toBe("51.0");
  });
});
