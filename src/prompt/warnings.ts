import { firstPart } from "../base/fields.ts";
import { nearest } from "../base/nearest.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import { templateFields, type Template } from "./template.ts";

/** `{{field` or `{{field}` without the second closing brace: most likely a mistake. */
const unclosed = /\{\{\s*[\p{L}\p{N}_.-]+\s*\}?/u;

/**
 * Likely mistakes in a template, given the fields of some row. They never stop a run: a missing field renders as empty,
 * because rows may lack one.
 */
export function templateWarnings(
  template: Template,
  fields: ReadonlySet<string>,
  place?: Place,
): readonly Problem[] {
  const unknown = [...templateFields(template).names]
    .filter((name) => !fields.has(name) && !fields.has(firstPart(name)))
    .map((field) =>
      problem(
        "template_unknown_field",
        { field, nearest: nearestField(field, fields), known: [...fields] },
        place,
      ),
    );
  const hidden = template.parts
    .map((part) => part.kind)
    .filter((kind) => kind === "row" && fields.has(kind))
    .map((field) => problem("template_hidden_field", { field }, place));
  return [
    ...unknown,
    ...unclosedBraces(template, place),
    ...singleBraces(template, fields, place),
    ...hidden,
  ];
}

/** `{text}` and `${text}`, as other tools write fields, in a template that has no field of ours. */
function singleBraces(
  template: Template,
  fields: ReadonlySet<string>,
  place: Place | undefined,
): readonly Problem[] {
  if (template.parts.some(({ kind }) => kind !== "text")) return [];
  const found = [...template.text.matchAll(/(?<!\{)\$?\{\s*([\p{L}_][\p{L}\p{N}_]*)\s*\}(?!\})/gu)];
  return found
    .filter(([, field = ""]) => fields.has(field))
    .slice(0, 1)
    .map(([text, field = ""]) => problem("braces_single", { found: text, field }, place));
}

/** If no name is similar to `meta.lnag` as a whole, the name before the first dot decides. */
export function nearestField(name: string, fields: ReadonlySet<string>): string | undefined {
  const head = firstPart(name);
  const near = nearest(name, fields);
  if (near !== undefined || head === name) return near;
  const nearHead = nearest(head, fields);
  return nearHead && nearHead + name.slice(head.length);
}

function unclosedBraces(template: Template, place: Place | undefined): readonly Problem[] {
  return template.parts.flatMap((part) => {
    const found = part.kind === "text" ? unclosed.exec(part.text)?.[0].trim() : undefined;
    return found === undefined ? [] : [problem("template_unclosed", { found }, place)];
  });
}

/** Warns about a prompt that shows the whole row, and with it the answer, where the target uses fields of the row. */
export function targetShownWarnings(
  prompt: Template,
  target: Template | undefined,
  place?: Place,
): readonly Problem[] {
  if (target === undefined || !templateFields(prompt).wholeRow) return [];
  const fields = [...templateFields(target).names].toSorted().join(", ");
  return fields === "" ? [] : [problem("template_shows_target", { fields }, place)];
}

/**
 * Warns about `{{choices}}` if neither the task nor a row has any, or if both have, and about a template without content.
 */
export function useWarnings(
  template: Template,
  { key, choices, fields }: TemplateUse,
  place?: Place,
): readonly Problem[] {
  if (template.text.trim() === "") return [problem("template_empty", { key }, place)];
  const isDeclared = choices.length > 0;
  const ofRows = fields.has("choices");
  return template.parts.flatMap(({ kind: name }) => {
    if (name !== "choices" && name !== "choice_list") return [];
    if (!isDeclared && !ofRows) return [problem("template_choices_missing", { name }, place)];
    return isDeclared && ofRows
      ? [problem("template_hidden_field", { field: "choices" }, place)]
      : [];
  });
}

interface TemplateUse {
  /** The template's key in the manifest. */
  readonly key: string;
  /** Declared choices of the task. */
  readonly choices: readonly string[];
  /** The fields that some row has. */
  readonly fields: ReadonlySet<string>;
}
