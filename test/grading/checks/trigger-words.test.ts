import { describe, expect, it } from "vitest";
import { openTriggerWords } from "../../../src/grading/checks/trigger-words.ts";
import type { JsonObject } from "../../../src/model/json.ts";

function judge(prompt: string, options: JsonObject): unknown {
  const opened = openTriggerWords(options);
  if ("fault" in opened) return opened.fault;
  const { score, passed, feedback } = opened.check(
    {
      output_text: "",
      extracted_output: null,
      model: "m",
      prompt,
      task_id: "t",
      run_id: "r",
      sample_id: "s",
    },
    { prompt, target: null, choices: [], task_id: "t" },
  );
  return [Number(score.toFixed(3)), passed, feedback];
}

const skill = { text: "azure-deploy Deploys apps to Azure", phrases: ["publish an API", ""] };

describe("words of a prompt beside those of a skill", () => {
  const cases: readonly (readonly [string, JsonObject, unknown])[] = [
    ["Deploy apps", skill, [1, true, "Prompt is trigger-aligned (score 1.00 >= 0.60)"]],
    [
      "deploy a rocket rocket rocket",
      skill,
      [0.5, false, "Prompt is not trigger-aligned enough (score 0.50 < 0.60)"],
    ],
    [
      "Please PUBLISH an API now",
      skill,
      [1, true, "Prompt is trigger-aligned (score 1.00 >= 0.60)"],
    ],
    [
      "publish a book of poems",
      { phrases: ["publish an API"], threshold: 0.5 },
      [0.5, true, "Prompt is trigger-aligned (score 0.50 >= 0.50)"],
    ],
    ["", skill, [0, false, "Prompt is not trigger-aligned enough (score 0.00 < 0.60)"]],
    [
      "to be or not",
      { ...skill, mode: "negative" },
      [0, true, "Prompt correctly treated as non-trigger (score 0.00 < 0.60)"],
    ],
    [
      "deploy",
      { ...skill, mode: "negative" },
      [1, false, "Prompt appears trigger-aligned unexpectedly (score 1.00 >= 0.60)"],
    ],
    ["x", { text: "a of" }, "neither `text` nor `phrases` has a word to look for"],
  ];
  it.each(cases)("%s", (...[prompt, options, expected]) => {
    expect(judge(prompt, options)).toEqual(expected);
  });
});
