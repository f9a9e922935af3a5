import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/model/json.ts";
import { brief, imagine, problemsOf, shortForm, suiteOf } from "../resolve-text.ts";

const run = { judge_model: "openai:gpt-4.1-mini" };
const tone = { id: "tone", question: "Is it polite?", levels: ["rude", "polite"] };

async function taskOf(grader: Readonly<Record<string, Json>>) {
  const { suite } = await suiteOf(shortForm({ grader: { type: "judge", ...grader }, run }));
  return suite.tasks[0];
}

describe("a judge with scales", () => {
  it("gives each scale as a metric on its levels, and counts claims", async () => {
    const task = await taskOf({ scales: ["completeness", tone] });
    expect(task?.metrics).toMatchObject([
      { id: "completeness", range: [1, 5], scale: "graded", higher_is_better: true },
      { id: "tone", range: [1, 2], description: "Is it polite?" },
      { id: "unverified_claims", range: null, higher_is_better: false },
    ]);
    expect(task?.grader).toMatchObject({ models: { max_calls: 3 } });
    expect((await taskOf({ scales: [tone], claims: false }))?.metrics).toHaveLength(1);
  });

  it("has the rubric of a named scale written out, so that other words are another grader", async () => {
    const task = await taskOf({ scales: ["factual_adherence"] });
    const [scale] = JSON.parse(JSON.stringify(task?.grader)).options.scales;
    expect(scale.id).toBe("factual_adherence");
    expect(scale.levels).toHaveLength(5);
  });

  it.each<[string, Readonly<Record<string, Json>>, string]>([
    ["no rubric, no scales", {}, "judge_has_no_rubric grader"],
    [
      "verdicts beside scales",
      { scales: [tone], verdicts: { a: 1, b: 0 } },
      "judge_key_idle grader.verdicts",
    ],
    ["claims without scales", { rubric: "r", claims: true }, "judge_key_idle grader.claims"],
    ["a scale twice", { scales: [tone, tone] }, "judge_scale_taken grader.scales[1].id"],
    [
      "a named scale twice",
      { scales: ["completeness", "completeness"] },
      "judge_scale_taken grader.scales[1]",
    ],
    [
      "the count of claims",
      { scales: [{ ...tone, id: "unverified_claims" }] },
      "judge_scale_taken grader.scales[0].id",
    ],
    [
      "what Regrade measures",
      { scales: [{ ...tone, id: "usd" }] },
      "judge_scale_taken grader.scales[0].id",
    ],
    [
      "another's reason",
      { scales: [tone, { ...tone, id: "tone_reasoning" }] },
      "judge_scale_taken grader.scales[1].id",
    ],
    ["an unknown name", { scales: ["completness"] }, "value_unknown grader.scales[0]"],
    ["no levels", { scales: [{ id: "a", question: "?" }] }, "key_missing grader.scales[0]"],
  ])("refuses %s", async (_, grader, expected) => {
    const problems = await problemsOf(
      shortForm({ grader: { type: "judge", ...grader }, run }),
      imagine(),
    );
    expect(brief(problems)).toContain(expected);
  });
});
