import { at, fieldsOf, itemsOf, type Part, placeOf, textOf } from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import { type Traced, traced } from "../origin.ts";
import type { SygraTask } from "./task.ts";

/** Reads the messages of an LLM node: at most one from the system and one from the user. */
export function readPrompt(
  node: Part,
  task: SygraTask,
): { readonly prompt: Traced | undefined; readonly instructions: Traced | undefined } {
  const messages = itemsOf(at(node, "prompt")).flatMap(fieldsOf);
  const found = new Map<string, Traced>();
  for (const [role, part] of messages) {
    const text = textOf(part);
    const isKnown = role === "system" || role === "user";
    if (!isKnown || text === undefined || found.has(role)) {
      const what = text === undefined ? "a message that is no text" : `another message, ${role}`;
      task.refuse(problem("sygra_prompt_unsupported", { what }, placeOf(part)));
      continue;
    }
    const template = templateOf(text);
    if (template === undefined) {
      const what = "a template with doubled braces that our templates can't hold";
      task.refuse(problem("sygra_prompt_unsupported", { what }, placeOf(part)));
    } else found.set(role, traced(template, placeOf(part)));
  }
  const prompt = found.get("user");
  const instructions = found.get("system");
  if (prompt === undefined)
    task.refuse(
      problem("sygra_text_missing", { key: "prompt: user" }, placeOf(at(node, "prompt"))),
    );
  if (typeof instructions?.value === "string" && instructions.value.includes("{{")) {
    const what = "a field in the message of the system";
    task.refuse(problem("sygra_prompt_unsupported", { what }, instructions.place));
  }
  return { prompt, instructions };
}

/**
 * Translates a template: `{field}` becomes `{{field}}`, and a doubled brace a single one. undefined if a template of
 * ours would then be ambiguous, because braces meet.
 */
function templateOf(text: string): string | undefined {
  const parts: string[] = [];
  const pattern = /\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]/g;
  for (const [whole, field] of text.matchAll(pattern)) {
    if (field !== undefined) parts.push(`{{${field.trim()}}}`);
    else if (whole === "{{") parts.push("{");
    else if (whole === "}}") parts.push("}");
    else parts.push(whole);
    const [before, last] = parts.slice(-2);
    if (last !== undefined && before === last && (last === "{" || last === "}")) return undefined;
  }
  return parts.join("");
}
