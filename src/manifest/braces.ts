import { problem } from "../model/refusal.ts";
import type { ManifestContext } from "./context.ts";
import { fieldsOf, itemsOf, type Part, placeOf, textOf } from "../base/part.ts";
import type { Path } from "../base/place.ts";

/** `{{field}}` as templates have it. */
const braces = /\{\{\s*[\p{L}_][\p{L}\p{N}_.-]*\s*\}\}/u;

const variables = /\{\{\s*env\.[^{}]*\}\}/gu;

/** Everything under these keys is a template. */
const templates = [
  "prompt_template",
  "messages_template",
  "target_template",
  "example_template",
  "tool_results",
  "instructions",
  "answer",
];
const settingsOfAgent = ["model", "system_prompt", "tools", "mcp_servers"];
const templatesOfHttp = ["url", "headers", "body"];

/** Texts of other languages, in which braces have a meaning of their own, and texts that are free. */
const otherTexts = [
  "rows",
  "also",
  "assertions",
  "source",
  "pattern",
  "schema",
  "parameters",
  "arguments",
  "metadata",
  "extra_body",
  "chat_template_kwargs",
];

/** Warns about `{{field}}` in places that are not templates: the author expects a value there. */
export function warnBraces(root: Part, context: ManifestContext): void {
  for (const [key, part] of fieldsOf(root)) warnUnder(part, key, context);
}

/** `key`: the nearest one above, which a list's items have no own. */
function warnUnder(part: Part, key: string, context: ManifestContext): void {
  if (isFilled(part.path) || otherTexts.includes(key)) return;
  const text = textOf(part) ?? "";
  const found = braces.exec(ofAgent(part.path) ? text.replaceAll(variables, "") : text)?.[0];
  if (found !== undefined) {
    context.warn(problem("braces_literal", { found, key }, placeOf(part)));
    return;
  }
  for (const item of itemsOf(part)) warnUnder(item, key, context);
  for (const [name, field] of fieldsOf(part)) warnUnder(field, name, context);
}

/** Texts of an agent may name variables. */
function ofAgent([first, , key]: Path): boolean {
  return first === "candidates" && settingsOfAgent.some((each) => each === key);
}

function isFilled(path: Path): boolean {
  const [last, above] = [path.at(-1), path.at(-2)];
  if (above === "http" && templatesOfHttp.some((key) => key === last)) return true;
  return templates.some((key) => key === last);
}
