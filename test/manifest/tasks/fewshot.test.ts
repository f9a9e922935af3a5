import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/model/json.ts";
import { brief, problemsOf, shortForm, suiteOf } from "../resolve-text.ts";

async function fewshotOf(changes: Readonly<Record<string, Json | undefined>>) {
  const { suite, warnings } = await suiteOf(shortForm(changes));
  return { fewshot: suite.tasks[0]?.fewshot, warnings: brief(warnings) };
}

describe("few-shot examples", () => {
  it("take everything that is left out from the task", async () => {
    const whole = {
      key: "num_fewshot",
      count: 2,
      dataset: undefined,
      prompt_template: "{{text}}",
      target_template: "{{label}}",
      example_template: "{{prompt}}\n{{target}}",
      separator: "\n\n",
      strategy: "first",
      seed: 0,
    };
    expect(await fewshotOf({ num_fewshot: 2 })).toEqual({ fewshot: whole, warnings: [] });
    const plain = { ...whole, key: "fewshot" };
    expect((await fewshotOf({ fewshot: { count: 2 } })).fewshot).toEqual(plain);
    expect((await fewshotOf({ num_fewshot: 2, fewshot: { seed: 3 } })).fewshot).toEqual({
      ...plain,
      seed: 3,
    });
  });

  it("keep every field that is written", async () => {
    const own = {
      count: 100,
      dataset: "train.csv",
      prompt_template: "p",
      target_template: "t",
      example_template: "{{target}}",
      separator: "",
      strategy: "random",
      seed: 7,
    };
    expect((await fewshotOf({ fewshot: own })).fewshot).toEqual({
      ...own,
      key: "fewshot",
      dataset: {
        file: { path: "train.csv", absolute: "/repo/evals/train.csv" },
        format: "csv",
        id_field: undefined,
      },
    });
  });

  it("are none for 0, and what they are then not is told", async () => {
    expect(await fewshotOf({ num_fewshot: 0 })).toEqual({ fewshot: undefined, warnings: [] });
    expect(await fewshotOf({ fewshot: { strategy: "random" } })).toEqual({
      fewshot: undefined,
      warnings: ["setting_idle fewshot"],
    });
  });

  it.each([
    ["two counts", { num_fewshot: 2, fewshot: { count: 3 } }, "setting_conflict num_fewshot"],
    ["101", { num_fewshot: 101 }, "value_range num_fewshot"],
    ["-1", { fewshot: { count: -1 } }, "value_range fewshot.count"],
    [
      "a strange strategy",
      { fewshot: { count: 1, strategy: "last" } },
      "value_unknown fewshot.strategy",
    ],
    [
      "a file that leaves the repository",
      { fewshot: { count: 1, dataset: "../../x.csv" } },
      "path_outside fewshot.dataset",
    ],
  ])("refuse %s", async (_, changes, expected) => {
    expect(brief(await problemsOf(shortForm(changes)))).toEqual([expected]);
  });

  it("without a target are told to show no answer", async () => {
    const grader = { type: "python", source: "x" };
    const changes = { num_fewshot: 1, target_template: undefined, grader };
    expect((await fewshotOf(changes)).warnings).toContain("fewshot_without_target num_fewshot");
  });

  it("need no target where their template shows none", async () => {
    const changes = {
      fewshot: { count: 1, example_template: "{{prompt}}" },
      target_template: undefined,
      grader: { type: "python", source: "x" },
    };
    expect((await fewshotOf(changes)).warnings).toEqual(["task_ungated grader"]);
  });
});
