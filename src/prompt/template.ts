import { firstPart, readField, valueText } from "../base/fields.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import type { Row } from "../model/outcomes/sample.ts";

/** A parsed template. */
export interface Template {
  readonly text: string;
  readonly parts: readonly TemplatePart[];
}

type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "row" | "choices" | "choice_list" };

const braces = /\{\{([^{}"]*)\}\}/g;

/**
 * Parses a template. Every text is valid: braces that are not `{{field}}` are literal (`templateWarnings` reports likely
 * mistakes).
 */
export function parseTemplate(text: string): Template {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of text.matchAll(braces)) {
    const part = partOf((match[1] ?? "").trim());
    if (part === undefined) continue;
    if (match.index > end) parts.push({ kind: "text", text: text.slice(end, match.index) });
    parts.push(part);
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ kind: "text", text: text.slice(end) });
  return { text, parts };
}

/**
 * undefined if the braces hold nothing or several lines. A name never has double quotes, so that JSON in a prompt stays
 * unchanged.
 */
function partOf(name: string): TemplatePart | undefined {
  if (name === "" || name.includes("\n")) return undefined;
  switch (name) {
    case "row":
    case "choices":
    case "choice_list":
      return { kind: name };
    default:
      return { kind: "field", name };
  }
}

/**
 * Renders a template once: braces inside a value are text. Missing and null are empty, numbers are as they were
 * written, objects and lists are JSON. `row`, `choices` and `choice_list` always have their own meaning,
 * whatever the fields of a row are called.
 */
export function render(
  template: Template,
  values: { readonly row: Row; readonly choices: readonly string[] },
): string {
  let text = "";
  const own = { row: values.row, choices: choicesOf(values.row, values.choices) };
  for (const part of template.parts) {
    text += renderPart(part, own);
    if (text.length > mostRendered) break;
  }
  return text;
}

/**
 * The task's choices; a row's own where the task declares none: a list of texts or numbers, a list of objects with a `text`,
 * Hugging Face's `{"label": […], "text": […]}`, or `{"A": …, "B": …}`.
 */
export function choicesOf(row: Row, declared: readonly string[]): readonly string[] {
  if (declared.length > 0) return declared;
  const { choices = null } = row;
  const own = isJsonObject(choices) ? (choices["text"] ?? Object.values(choices)) : choices;
  if (!Array.isArray(own)) return declared;
  const texts = own.map((each) => (isJsonObject(each) ? (each["text"] ?? null) : each));
  return texts.every((each) => isScalar(each)) ? texts.map(valueText) : declared;
}

function isScalar(value: Json): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Limit in characters. A sample can't hold more: a longer prompt is refused before it is built (V8 throws at 2²⁹). */
const mostRendered = 100_000_000;

function renderPart(
  part: TemplatePart,
  { row, choices }: { readonly row: Row; readonly choices: readonly string[] },
): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "field":
      return valueText(readField(row, part.name));
    case "row":
      return JSON.stringify(row);
    case "choices":
      return JSON.stringify(choices);
    case "choice_list":
      return choices.join("\n");
  }
}

/** Fields of a row that a template uses. */
interface TemplateFields {
  /** The names as written, `meta.lang` among them. */
  readonly names: ReadonlySet<string>;
  /** Top-level fields. `{{meta.lang}}` may read the field `meta.lang` or `meta`: both are here. */
  readonly topLevel: ReadonlySet<string>;
  /** True if `{{row}}` is in it: then every field is used. */
  readonly wholeRow: boolean;
}

/** The fields that a template uses. */
export function templateFields(template: Template): TemplateFields {
  const names = template.parts.flatMap((part) => (part.kind === "field" ? [part.name] : []));
  const choices = showsChoices(template) ? ["choices"] : [];
  return {
    names: new Set(names),
    topLevel: new Set([...choices, ...names.flatMap((name) => [name, firstPart(name)])]),
    wholeRow: template.parts.some((part) => part.kind === "row"),
  };
}

/** Whether a template shows choices, which may be the row's own. */
function showsChoices(template: Template): boolean {
  return template.parts.some(({ kind }) => kind === "choices" || kind === "choice_list");
}

/**
 * The top-level fields that the target template uses and the prompt does not: the answer, not the question. With
 * `{{row}}` in the prompt there are none; `{{row}}` in the target adds none.
 */
export function targetOnlyFields(
  prompt: Template,
  target: Template | undefined,
): ReadonlySet<string> {
  const asked = templateFields(prompt);
  if (target === undefined || asked.wholeRow) return new Set();
  return templateFields(target).topLevel.difference(asked.topLevel);
}

/**
 * The target's fields that a prompt reveals and the base's own prompt does not: the candidate would receive the answer. A
 * field reveals its parts, too (`meta` reveals `meta.answer`), and `{{row}}` everything.
 */
export function toldFields(
  base: { readonly prompt: Template; readonly target: Template | undefined },
  prompt: Template,
): readonly string[] {
  const secret = secretFields(base.prompt, base.target);
  const known = [...templateFields(base.prompt).names];
  const asked = templateFields(prompt);
  const added = [...asked.names].filter((name) => !known.some((each) => coversField(each, name)));
  if (showsChoices(prompt) && !showsChoices(base.prompt)) added.push("choices");
  const isTold = (name: string): boolean =>
    asked.wholeRow || added.some((each) => coversField(each, name) || coversField(name, each));
  return secret.filter(isTold);
}

/** The names that the target template uses and that the prompt does not reveal, with their dots: `meta.answer`. */
export function secretFields(prompt: Template, target: Template | undefined): readonly string[] {
  const asked = templateFields(prompt);
  if (target === undefined || asked.wholeRow) return [];
  const isAsked = (name: string): boolean =>
    [...asked.names].some((each) => coversField(each, name));
  return [...templateFields(target).names].filter((name) => !isAsked(name));
}

/** Whether one field is another or contains it: `a` covers `a` and `a.b`. */
export function coversField(field: string, name: string): boolean {
  return name === field || name.startsWith(`${field}.`);
}
