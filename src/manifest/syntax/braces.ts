import { problem } from "../../model/refusal.ts";
import type { ManifestContext } from "../context.ts";
import { fieldsOf, itemsOf, type Part, placeOf, textOf } from "../../base/part.ts";
import type { Path } from "../../base/place.ts";

/** `{{field}}` in the syntax of templates. */
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

/** Keys whose texts are in another language, where braces have their own meaning, or are free text. */
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

/** `key`: the nearest key above, because the items of a list have none of their own. */
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

/** Texts of an agent may use variables of the environment. */
function ofAgent([first, , key]: Path): boolean {
  return first === "candidates" && settingsOfAgent.some((each) => each === key);
}

function isFilled(path: Path): boolean {
  const [last, above] = [path.at(-1), path.at(-2)];
  if (above === "http" && templatesOfHttp.some((key) => key === last)) return true;
  return templates.some((key) => key === last);
}
