import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { jsonLines, readRunDirectory, regrade } from "../support/cli.ts";
import { startProvider } from "../support/provider/server.ts";

/** Answers of models that were asked for a form. */

const answers: Readonly<Record<string, string>> = {
  right: '{"city": "Paris"}',
  other: '{"town": "Paris"}',
  fenced: '```json\n{"city": "Paris"}\n```',
};
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const format = { type: "json_schema", name: "city", strict: true, schema };

it("says which answers are not of the form that was asked for, and grades them as they came", async () => {
  await using model = await startProvider({ answer: ({ prompt }) => answers[prompt] ?? "{}" });
  const local = { base_url: model.url, api_key_env: "HOUSE_KEY" };
  const unknown = { ...schema, unevaluatedProperties: false };
  await using fixture = await createFixture({
    "rows.jsonl": jsonLines(Object.keys(answers).map((id) => ({ id }))),
    "suite.json": JSON.stringify({
      name: "cities",
      dataset: "rows.jsonl",
      prompt_template: "{{id}}",
      output_extraction: { type: "json", path: "/city" },
      target_template: "Paris",
      grader: "exact_match",
      providers: {
        house: { ...local, api: "responses" },
        chat: { ...local, api: "chat" },
      },
      candidates: {
        strict: { model: "house:m", text: { format } },
        loose: { model: "chat:m", text: { format: { type: "json_object" } } },
        free: "house:m",
        unknown: { model: "house:m", text: { format: { ...format, schema: unknown } } },
      },
      gate: "none",
    }),
  });
  const argv = ["run", "suite.json", "--baseline", "none", "--out", "run"];
  const start = { in: fixture.path, env: { HOUSE_KEY: "house-key-1234" } };
  const end = await regrade(argv, start);
  const { samples, run } = await readRunDirectory(fixture.getPath("run"));
  const told = samples.map(({ model: slot, case_id, format_error }) => [
    `${slot} ${case_id}`,
    format_error,
  ]);
  expect(Object.fromEntries(told), end.stderr).toEqual({
    "strict right": undefined,
    "strict other": expect.stringContaining("city"),
    "strict fenced": expect.stringContaining("no JSON"),
    "loose right": undefined,
    "loose other": undefined,
    "loose fenced": expect.stringContaining("no JSON"),
    "free right": undefined,
    "free other": undefined,
    "free fenced": undefined,
    "unknown right": undefined,
    "unknown other": undefined,
    "unknown fenced": undefined,
  });
  const strict = samples.filter(({ model: slot }) => slot === "strict");
  const scores = strict.map(({ case_id, scores: given }) => [case_id, given["exact_match"]]);
  expect(Object.fromEntries(scores)).toEqual({ right: 1, other: 0, fenced: 1 });
  const diagnosis = run.diagnoses?.find(({ candidate }) => candidate === "strict");
  expect(diagnosis).toMatchObject({ symptom: "format_unmet" });
  expect(diagnosis?.message).toMatch(/^2 of 3 answers did not match the schema/);
  expect(end.stderr).toContain("the answers of unknown are not checked against the schema");
  const shown = await regrade(["show", "run", "other", "--candidate", "strict"], start);
  expect(shown.stdout).toContain("answer: not of the form that was asked for");
});
