import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { parseLines, regrade, repository } from "../../support/cli.ts";
import { suiteFiles } from "../../support/suite-files.ts";

/** What `--json` prints has the shape that a schema in the repository tells. */

const gate = "{ max_drop: 0.02, rules: [{ metric: exact_match, min: 0.5 }] }";
const files = {
  ...suiteFiles({ cases: 40, gate, more: ["slices: [kind]"], row: () => ({ kind: "sum" }) }),
  "evals/models.yaml": [
    "dataset: { file: data/qa.jsonl, id_field: id }",
    'prompt_template: "What is {{q}}?"',
    'target_template: "{{a}}"',
    "grader: exact_match",
    'candidates: { main: "openai:gpt-5.4-mini" }',
    "run: { budget: { usd: 2 } }",
    "",
  ].join("\n"),
};
const worse = suiteFiles({ cases: 40, answer: (i) => (i < 30 ? "?" : undefined) });

async function made(): Promise<FsFixture> {
  const fixture = await createFixture(files);
  const run = ["run", "evals/qa.yaml", "--quiet", "--out"];
  await regrade([...run, "base"], { in: fixture.path });
  await regrade([...run, "same"], { in: fixture.path });
  await fixture.writeFile("evals/outputs.jsonl", worse["evals/outputs.jsonl"] ?? "");
  await regrade([...run, "head", "--baseline", "base"], { in: fixture.path });
  return fixture;
}

function schemaOf(name: string): object {
  const text = readFileSync(join(repository, "schemas", `${name}.schema.json`), "utf8");
  const schema: object = JSON.parse(text);
  return schema;
}

const outputs: readonly (readonly [command: string, schema: string])[] = [
  ["show head --json", "case"],
  ["show head c3 --json", "shown-case"],
  ["run evals/qa.yaml --dry-run --json", "plan"],
  ["run evals/models.yaml --dry-run --json", "plan"],
  ["calibrate base same --json", "calibration"],
  ["power head --json", "power"],
  ["power head --spend 100 --json", "power"],
  ["power evals/qa.yaml --json", "power"],
  ["history . --json", "history"],
  ["doctor --json", "doctor"],
  ["compare base head --json", "run"],
  ["report head --json", "run"],
];

describe("what --json prints", () => {
  it("has the shape of its schema", { tags: "long" }, async () => {
    await using fixture = await made();
    const env = { OPENAI_API_KEY: "sk-test" };
    for (const [command, schema] of outputs) {
      const end = await regrade(command.split(" "), { in: fixture.path, env });
      const values = parseLines(end.stdout);
      expect(values.length, `${command}\n${end.stderr}`).toBeGreaterThan(0);
      const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
      const validate = ajv.compile(schemaOf(schema));
      for (const value of values) {
        validate(value);
        expect(validate.errors ?? [], command).toEqual([]);
      }
    }
  });

  it("is documented: each command with --json names the file of its schema", () => {
    const page = readFileSync(join(repository, "docs/cli.md"), "utf8");
    for (const [, schema] of outputs) {
      expect(page).toContain(`(../schemas/${schema}.schema.json)`);
      expect(existsSync(join(repository, "schemas", `${schema}.schema.json`))).toBe(true);
    }
  });
});
