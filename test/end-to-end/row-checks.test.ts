import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { expectRefusal, jsonLines, readRunDirectory, regrade } from "../support/cli.ts";

/** Several assertions on a case: targets of graders' own, and checks that rows carry. */

const head = `name: qa
dataset: { file: qa.jsonl, id_field: id }
prompt_template: "{{q}}"
candidates: { app: { replay: outputs.jsonl } }
gate: none
output_extraction: { type: json, path: /city, fields: { city: /city, land: /land } }
`;

const suite = `${head}target_template: "{{city}}"
graders:
  - exact_match
  - { type: exact_match, name: land, extracted_field: land, target_template: "{{land}}" }
  - { type: row_checks, name: own, field: checks, also: [{ type: json_valid, name: json, not: true }] }
  - name: code
    type: python
    target_template: "{{land}}!"
    extracted_field: land
    source: |
      def grade(sample, item):
          return float(sample["extracted_output"] + "!" == item["target"] == item["reference_answer"])
  - name: all
    type: python
    contract: batch
    target_template: "{{n}}"
    extracted_field: city
    source: |
      def grade_batch(samples):
          return {"metrics": {"all": sum(s["extracted_output"] == "Paris" and s["target"] == "1.0" for s in samples)}}
metrics: [{ id: score }, { id: own }, { id: own.passed }, { id: own.short }, { id: all.all }]
`;

const answer = '{"city": "Paris", "land": "France"}';
const rows = [
  {
    id: "right",
    checks: [
      { type: "contains", target: "par" },
      { type: "regex", pattern: "^.{1,6}$", name: "short", weight: 3 },
      { type: "tool_calls", required: ["look_up"] },
    ],
  },
  {
    id: "wrong",
    checks: [
      { type: "contains", target: "Paris", not: true, weight: 2 },
      { type: "exact_match", extracted_field: "land", target: "France" },
      { type: "token_f1", target: "Paris France", min: 0.6 },
      { type: "tool_calls", required: ["look_down"] },
    ],
  },
  { id: "bare" },
].map((row) => Object.assign({ q: row.id, city: "Paris", land: "France", n: 1.5 }, row));

const tool_calls = [{ name: "look_up", arguments: {} }];

const files = {
  "qa.yaml": suite,
  "qa.jsonl": jsonLines(rows).replaceAll("1.5", "1.0"),
  "outputs.jsonl": jsonLines(
    rows.map(({ id }) => ({ case_id: id, output_text: answer, tool_calls })),
  ),
};

function cell(checks: unknown): string {
  return `"${JSON.stringify(checks).replaceAll('"', '""')}"`;
}

describe("several assertions on a case", () => {
  it(
    "compare with targets and extracted fields of their own, and a row brings its checks",
    { tags: "smoke" },
    async () => {
      await using fixture = await createFixture(files);
      const end = await regrade(["run", "qa.yaml", "--out", "out"], { in: fixture.path });
      expect(end, end.stderr).toMatchObject({ code: 0 });
      const { samples, run } = await readRunDirectory(fixture.getPath("out"));
      const [right, wrong, bare] = rows.map(({ id }) => samples.find((s) => s.case_id === id));
      const alike = { exact_match: 1, land: 1, code: 1 };
      expect(right?.scores).toMatchObject({ ...alike, own: 1, "own.passed": 1, "own.short": 1 });
      expect(wrong?.scores).toMatchObject({ ...alike, "own.passed": 0, "own.json": 1 });
      expect(wrong?.scores["own"]).toBeCloseTo((1 + 2 / 3 + 1) / 6, 9);
      expect(bare?.scores).toMatchObject({ own: 1, "own.passed": 1, "own.json": 1 });
      expect(right).toMatchObject({
        target: "Paris",
        targets: { land: "France", code: "France!", all: "1.0" },
      });
      expect(run.metrics.find(({ metric }) => metric === "all.all")).toMatchObject({ value: 3 });
      const shown = await regrade(["show", "out", "wrong"], { in: fixture.path });
      expect(shown.stdout).toMatch(/target of land\n {4}France\n/);
      expect(shown.stdout).toContain('"check": "checks[0] contains"');
    },
  );

  it("are refused with the row's line where a row's checks can't be used, all at once", async () => {
    const checks = [
      undefined,
      [],
      [{}],
      "contains",
      [{ type: "contians", target: "x" }],
      [{ type: "contains" }],
      [{ type: "contains", target: "x", case_sensitiv: true }],
      [{ type: "judge", rubric: "x" }],
      [{ type: "exact_match", target: "x", extracted_field: "town" }],
      [
        { type: "json_valid", name: "a" },
        { type: "json_valid", name: "a" },
      ],
      [{ type: "json_schema", schema: "schema.json" }],
      [{ type: "json_valid", name: "passed" }],
      [{ type: "json_valid" }],
    ];
    await using fixture = await createFixture({
      ...files,
      "qa.yaml": `${head}grader: { type: row_checks, field: checks }\n`,
      "qa.jsonl": jsonLines(checks.map((each, i) => ({ id: `c${i}`, q: "q", checks: each }))),
    });
    const end = await regrade(["validate", "qa.yaml"], { in: fixture.path });
    expectRefusal(end, 2);
    const told = end.stderr.split("\n").filter((line) => line.includes("qa.jsonl:"));
    const lines = told.map((line) => /qa\.jsonl:(\d+)/.exec(line)?.[1]);
    expect(lines).toEqual(checks.slice(0, -1).map((_, i) => `${i + 1}`));
    expect(end.stderr).toContain("Did you mean `contains`?");
    expect(end.stderr).toContain("Did you mean `case_sensitive`?");
    expect(told[4]).toContain("checks[0].type");
  });

  it("are refused with the rows' lines for schemas and patterns that can't be used, all at once", async () => {
    const schema = { type: "objekt" };
    const tool = { type: "tool_calls", required: [{ name: "find" }], arguments: { find: schema } };
    const checks = [
      { type: "regex", pattern: "(" },
      { type: "json_schema", schema },
      { type: "json_schema", schema: { type: "object" } },
      tool,
      { type: "tool_calls" },
    ];
    await using fixture = await createFixture({
      ...files,
      "qa.yaml": `${head}grader: { type: row_checks, field: checks }\n`,
      "qa.jsonl": jsonLines([
        { id: "a", q: "q", checks: [{ type: "json_valid" }] },
        { id: "b", q: "q", checks },
      ]),
    });
    const end = await regrade(["run", "qa.yaml"], { in: fixture.path });
    expectRefusal(end, 2);
    expect(end.stderr).toMatch(/qa\.jsonl:2: checks\[0\]\.pattern: .*can't be used/);
    expect(end.stderr).toMatch(
      /qa\.jsonl:2: checks\[1\]: the check json_schema can't be used: .*objekt/,
    );
    expect(end.stderr).toMatch(
      /qa\.jsonl:2: checks\[3\]: the check tool_calls can't be used: .*objekt/,
    );
    expect(end.stderr).toMatch(/qa\.jsonl:2: checks\[4\]: .*nothing to check/);
    expect(end.stderr).not.toContain("checks[2]");
  });

  it("stand as JSON in a column of a CSV file", async () => {
    const csv = [
      "id,q,checks",
      `right,q,${cell([{ type: "contains", target: "Par" }])}`,
      `wrong,q,${cell([{ type: "contains", target: "Rom" }])}`,
    ];
    await using fixture = await createFixture({
      ...files,
      "qa.yaml": `${head.replace("qa.jsonl", "qa.csv")}grader: { type: row_checks, field: checks }\n`,
      "qa.csv": csv.join("\n"),
    });
    const end = await regrade(["run", "qa.yaml", "--out", "out"], { in: fixture.path });
    expect(end, end.stderr).toMatchObject({ code: 0 });
    const { samples } = await readRunDirectory(fixture.getPath("out"));
    expect(samples.map(({ case_id, scores }) => [case_id, scores])).toEqual([
      ["right", { score: 1, passed: 1 }],
      ["wrong", { score: 0, passed: 0 }],
    ]);
  });
});
