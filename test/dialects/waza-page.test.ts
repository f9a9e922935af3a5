import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { regrade } from "../support/cli.ts";

const page = readFileSync("docs/waza.md", "utf8");
const evaluators = [...page.matchAll(/^\| `(\w+Evaluator)` \| (.*) \|$/gm)].map(
  ([, name = "", told = ""]) => [name, told] as const,
);

describe("the evaluators of Azure AI on the page", () => {
  // Skipped where ../shared, which is not part of the repository, is absent.
  const seed = "../shared/seeds/003_c16b4ca41deb5c22.txt";
  it.skipIf(!existsSync(seed))("are all that waza's document maps, and more", () => {
    const named = [...readFileSync(seed, "utf8").matchAll(/^\| `(\w+Evaluator)`/gm)];
    expect(named.length).toBeGreaterThan(4);
    for (const [, name] of named) expect(evaluators.map(([each]) => each)).toContain(name);
  });

  it("are scales and graders that a manifest takes by these names", async () => {
    expect(evaluators.length).toBeGreaterThan(9);
    const named = evaluators.flatMap(([, told]) => {
      const [, name] = /^`(\w+)`/.exec(told) ?? [];
      return name === undefined ? [] : [name];
    });
    const scales = named.filter((name) => name !== "token_f1");
    expect(scales).toContain("tool_call_accuracy");
    await using fixture = await createFixture({
      "suite.yaml": JSON.stringify({
        name: "azure",
        dataset: { rows: [{ id: "a", question: "q", answer: "x" }] },
        prompt_template: "{{question}}",
        target_template: "{{answer}}",
        graders: [{ type: "judge", scales, include_tool_calls: true }, { type: "token_f1" }],
        candidates: { main: { answer: "x" } },
        run: { judge_model: "openai:gpt-5" },
        gate: "none",
      }),
    });
    const env = { OPENAI_API_KEY: "key-1234567890" };
    const end = await regrade(["validate", "suite.yaml"], { in: fixture.path, env });
    expect(end.code, end.stderr).toBe(0);
  });
});

it("the page's grader of one's own gives what a grader of waza gives", () => {
  const [, source = ""] = /^```python\n(def grade[^]*?)^```$/m.exec(page) ?? [];
  const program = `${source}\nimport json\nprint(json.dumps(grade({"output_text": "A Success."}, {})))`;
  const told: unknown = JSON.parse(execFileSync("python3", ["-c", program], { encoding: "utf8" }));
  expect(told).toEqual({
    scores: { score: 1, passed: 1 },
    judge: { feedback: "looked for success" },
  });
});
