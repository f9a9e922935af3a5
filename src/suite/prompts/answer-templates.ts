import { firstPart } from "../../base/fields.ts";
import {
  expectedFieldsOf,
  gradedFieldsOf,
  type GraderSpec,
} from "../../model/definition/graders.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { Row } from "../../model/outcomes/sample.ts";
import type { Task } from "../../model/definition/suite.ts";
import { parseTemplate, render, type Template } from "../../prompt/template.ts";
import { nearestField, templateWarnings } from "../../prompt/warnings.ts";

/**
 * Combines everything that answers are compared with into one template: the task's target, graders' own targets, and
 * the fields of rows that contain what graders expect. Fields that this template uses but the prompt does not belong to
 * the answer, and not to the question.
 */
export function answerTemplate(task: Task): Template | undefined {
  const own = ownTargets(task.grader).map(({ template }) => template);
  const all = task.target_template === undefined ? own : [task.target_template, ...own];
  const expected = expectedFieldsOf(task.grader).map((name) => ({ kind: "field", name }) as const);
  if (all.length + expected.length === 0) return undefined;
  // Templates don't span lines.
  const { text, parts } = parseTemplate(all.join("\n"));
  return { text, parts: [...parts, ...expected] };
}

/** Renders graders' own targets, by the graders' names; undefined if no grader has one. */
export function targetsRenderer({
  grader,
  choices,
}: Task): (row: Row) => Readonly<Record<string, string>> | undefined {
  const own = ownTargets(grader).map(
    ({ name, template }) => [name, parseTemplate(template)] as const,
  );
  if (own.length === 0) return () => undefined;
  return (row) =>
    Object.fromEntries(own.map(([name, template]) => [name, render(template, { row, choices })]));
}

/** Warnings about likely mistakes in graders' own targets, or in the name of a field of checks. */
export function ownTargetWarnings(
  grader: GraderSpec,
  fields: ReadonlySet<string>,
  place: (...keys: readonly (string | number)[]) => Place,
): readonly Problem[] {
  const isList = grader.type === "several";
  const unknown = gradedFieldsOf(grader).filter(
    ({ field }) => !fields.has(field) && !fields.has(firstPart(field)),
  );
  return [
    ...ownTargets(grader).flatMap(({ template, index }) =>
      templateWarnings(parseTemplate(template), fields, place("graders", index, "target_template")),
    ),
    ...unknown.map((each) =>
      problem(
        "grader_field_unknown",
        { ...each, nearest: nearestField(each.field, fields), known: [...fields] },
        place(isList ? "graders" : "grader"),
      ),
    ),
  ];
}

interface OwnTarget {
  readonly name: string;
  readonly template: string;
  readonly index: number;
}

function ownTargets(grader: GraderSpec): readonly OwnTarget[] {
  if (grader.type !== "several") return [];
  return grader.graders.flatMap(({ name, target_template: template }, index) =>
    template === undefined ? [] : [{ name, template, index }],
  );
}
