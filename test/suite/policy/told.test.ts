import { describe, expect, it } from "vitest";
import type { GraderSpec } from "../../../src/model/definition/graders.ts";
import { parseTemplate, targetOnlyFields } from "../../../src/prompt/template.ts";
import { answerTemplate } from "../../../src/suite/prompts/answer-templates.ts";
import { toldIn } from "../../../src/suite/policy/changes.ts";
import { composeSuite } from "../../../src/suite/policy/compose.ts";
import { suiteOf, taskSpec } from "./suites.ts";

const exact = { type: "exact_match", options: {}, models: undefined } as const;

function own(target_template: string): GraderSpec {
  const graders = [{ name: "own", weight: 1, target_template, grader: exact }];
  return { type: "several", graders };
}

function checksIn(field: string): GraderSpec {
  return { type: "row_checks", options: { field }, models: undefined };
}

describe("a prompt may not tell what only the base's answers are compared with", () => {
  it.each<readonly [string, GraderSpec, string, readonly string[]]>([
    ["a target of a grader's own", own("{{city}}"), "{{q}} {{city}}", ["city"]],
    ["a part of one", own("{{m.city}}"), "{{q}} {{m}}", ["m.city"]],
    ["the task's target beside it", own("{{city}}"), "{{q}} {{a}}", ["a"]],
    ["the checks of a row", checksIn("checks"), "{{q}} {{checks.0.target}}", ["checks"]],
    ["checks in a field called row", checksIn("row"), "{{q}} {{row}}", ["a", "row"]],
    ["nothing of it", own("{{city}}"), "{{q}} {{hint}}", []],
  ])("%s", (...[, grader, prompt_template, fields]) => {
    const base = suiteOf({ tasks: [taskSpec({ grader })] });
    const head = suiteOf({ tasks: [taskSpec({ grader: exact, prompt_template })] });
    const told = toldIn(composeSuite(base, head));
    expect(told.map(({ field }) => field)).toEqual(fields);
  });
});

describe("a corrected answer keeps its case", () => {
  it.each<readonly [GraderSpec, readonly string[]]>([
    [own("{{city}} {{q}}"), ["a", "city"]],
    [checksIn("checks"), ["a", "checks"]],
    [exact, ["a"]],
  ])("%j", (grader, fields) => {
    const answer = answerTemplate(taskSpec({ grader }));
    expect([...targetOnlyFields(parseTemplate("{{q}}"), answer)]).toEqual(fields);
  });
});
