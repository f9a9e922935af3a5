import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { jsonLines, readRunDirectory, regrade } from "../support/cli.ts";

/** Answers that are JSON, from the recording to the graders, the journal and the terminal. */

const suite = `name: qa
dataset: { file: qa.jsonl, id_field: id }
prompt_template: "{{q}}"
target_template: "{{a}}"
output_extraction: { type: json, path: /answer, fields: { sources: /sources, sure: /sure } }
graders:
  - { type: exact_match }
  - name: cited
    type: python
    source: |
      import json
      def grade(sample, item):
          sources = sample["extracted_fields"]["sources"]
          return 0.0 if sources is None else float(len(json.loads(sources)))
  - name: sure
    type: python
    contract: batch
    source: |
      def grade_batch(samples):
          return {"metrics": {"sure": sum(s["extracted_fields"]["sure"] == "0.90" for s in samples)}}
metrics: [{ id: score }, { id: exact_match }, { id: cited }, { id: sure.sure }]
candidates: { app: { replay: outputs.jsonl } }
gate: none
`;

const rows = ["plain", "fenced", "none"].map((id) => ({ id, q: id, a: "Paris" }));
const outputs = [
  { case_id: "plain", output_text: '{"answer": "Paris", "sources": ["a", "b"], "sure": 0.90}' },
  { case_id: "fenced", output_text: 'So:\n```json\n{"answer": "Paris", "sources": null,}\n```' },
  { case_id: "none", output_text: "Paris" },
];

it(
  "reads the parts of a JSON answer, and graders of every contract, the journal and show have them",
  { tags: "smoke" },
  async () => {
    await using fixture = await createFixture({
      "qa.yaml": suite,
      "qa.jsonl": jsonLines(rows),
      "outputs.jsonl": jsonLines(outputs),
    });
    const end = await regrade(["run", "qa.yaml", "--out", "out"], { in: fixture.path });
    expect(end, end.stderr).toMatchObject({ code: 0 });
    const { samples, run } = await readRunDirectory(fixture.getPath("out"));
    const [plain, fenced, none] = rows.map(({ id }) => samples.find((s) => s.case_id === id));
    expect(plain).toMatchObject({
      extracted_output: "Paris",
      extracted_fields: { sources: '["a","b"]', sure: "0.90" },
      scores: { exact_match: 1, cited: 2 },
    });
    expect(plain).not.toHaveProperty("extraction_repairs");
    expect(fenced).toMatchObject({
      extracted_output: "Paris",
      extracted_fields: { sources: null, sure: null },
      extraction_repairs: ["text_around", "code_fence", "trailing_comma"],
      scores: { exact_match: 1, cited: 0 },
    });
    expect(none).toMatchObject({
      extracted_output: null,
      extracted_fields: { sources: null, sure: null },
      scores: { exact_match: 0, cited: 0 },
    });
    const given = run.metrics.find(({ metric }) => metric === "sure.sure");
    expect(given).toMatchObject({ value: 1 });
    const shown = await regrade(["show", "out", "fenced"], { in: fixture.path });
    expect(shown.stdout).toMatch(/answer: extracted sources\n {4}\(nothing\)/);
    expect(shown.stdout).toContain("dropping trailing commas");
  },
);
