import { dirname } from "node:path";
import { imageDetails, messageRoles } from "../../model/models/message.ts";
import { problem } from "../../model/refusal.ts";
import type {
  ImageFolder,
  MessagesSpec,
  MessageTemplate,
  PartTemplate,
  ToolResultsSpec,
  TaskQuestion,
} from "../../model/definition/asked.ts";
import type { Task } from "../../model/definition/suite.ts";
import type { ManifestContext } from "../context.ts";
import {
  at,
  fieldsOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  objectOf,
  type Part,
  presentKeys,
  textOf,
} from "../../base/part.ts";
import { oneKeyOf } from "../sources.ts";

/** The question of a task: `prompt_template`, or `messages_template`; undefined if it is refused. */
export function resolveAsked(task: Part, context: ManifestContext): TaskQuestion | undefined {
  const keys = ["prompt_template", "messages_template"];
  // A misspelt key has been reported already.
  if (presentKeys(task, keys).length === 0 && context.misspelt(task)) return undefined;
  const key = oneKeyOf(task, keys, context);
  if (key === undefined) return undefined;
  if (key === "prompt_template") {
    const prompt_template = textOf(at(task, key));
    return prompt_template === undefined ? undefined : { prompt_template };
  }
  const messages = resolveMessages(at(task, key), context);
  return messages && { prompt_template: "", messages };
}

function resolveMessages(part: Part, context: ManifestContext): MessagesSpec | undefined {
  if (objectOf(part) === undefined) {
    const start = resolveList(part, context);
    return start && { start, turns: undefined };
  }
  const turns = textOf(at(part, "turns"));
  const start = isPresent(at(part, "start")) ? resolveList(at(part, "start"), context) : [];
  return turns === undefined || start === undefined ? undefined : { start, turns };
}

function resolveList(part: Part, context: ManifestContext): readonly MessageTemplate[] | undefined {
  const field = textOf(part);
  if (field !== undefined) return [{ kind: "field", text: field }];
  const items = itemsOf(part);
  const messages = items.flatMap((item) => resolveMessage(item, context) ?? []);
  return messages.length === items.length && items.length > 0 ? messages : undefined;
}

function resolveMessage(part: Part, context: ManifestContext): MessageTemplate | undefined {
  const field = textOf(part);
  if (field !== undefined) return { kind: "field", text: field };
  const said = textOf(at(part, "role"));
  const role = messageRoles.find((known) => known === said);
  const content = contentOf(at(part, "content"), context);
  return role === undefined || content === undefined
    ? undefined
    : { kind: "message", role, content };
}

function contentOf(
  part: Part,
  context: ManifestContext,
): string | readonly PartTemplate[] | undefined {
  const text = textOf(part);
  if (text !== undefined) return text;
  const items = itemsOf(part);
  const parts = items.flatMap((item) => resolvePart(item, context) ?? []);
  return parts.length === items.length && items.length > 0 ? parts : undefined;
}

function resolvePart(part: Part, context: ManifestContext): PartTemplate | undefined {
  const type = textOf(at(part, "type"));
  if (type === "text") {
    refuseKeys({ part, keys: ["file", "url", "detail"], belongs: "images" }, context);
    const key = oneKeyOf(part, ["text"], context);
    const text = key && textOf(at(part, key));
    return text === undefined ? undefined : { type, text };
  }
  if (type !== "image") return undefined;
  refuseKeys({ part, keys: ["text"], belongs: "parts of the type text" }, context);
  const from = oneKeyOf(part, ["file", "url"], context);
  const text = from && textOf(at(part, from));
  if (text === undefined || (from !== "file" && from !== "url")) return undefined;
  const wanted = textOf(at(part, "detail"));
  return { type, from, text, detail: imageDetails.find((known) => known === wanted) };
}

function refuseKeys(
  of: { readonly part: Part; readonly keys: readonly string[]; readonly belongs: string },
  context: ManifestContext,
): void {
  const { part, keys, belongs } = of;
  for (const key of presentKeys(part, keys))
    context.refuse(problem("key_misplaced", { key, belongs }, keyPlaceOf(at(part, key))));
}

/** `tool_results`, if present; its problems are reported. */
export function resolveToolResults(
  part: Part,
  context: ManifestContext,
): Pick<Task, "tool_results"> {
  if (!isPresent(part)) return {};
  const field = textOf(part);
  if (field !== undefined) return { tool_results: field };
  const named = fieldsOf(part).map(
    ([name, results]) => [name, resultsOf(results, context)] as const,
  );
  const whole = named.flatMap(([name, results]) => (results ? [[name, results] as const] : []));
  return { tool_results: Object.fromEntries(whole) };
}

type Results = Exclude<ToolResultsSpec, string>[string];

function resultsOf(part: Part, context: ManifestContext): Results | undefined {
  const text = textOf(part);
  if (text !== undefined) return [{ arguments: undefined, output: text, is_error: false }];
  const items = itemsOf(part);
  const results = items.flatMap((item) => resultOf(item, context) ?? []);
  return results.length === items.length && items.length > 0 ? results : undefined;
}

function resultOf(part: Part, context: ManifestContext): Results[number] | undefined {
  const key = oneKeyOf(part, ["result", "error"], context);
  const output = key && at(part, key).value;
  if (output === undefined) return undefined;
  return { arguments: objectOf(at(part, "arguments")), output, is_error: key === "error" };
}

/** The folder of images: beside the data, or beside the manifest for data that is downloaded. */
export function imageFolder(
  dataset: Task["dataset"],
  { directory, root }: ManifestContext,
): ImageFolder {
  if ("source" in dataset) return { directory, root };
  return { directory: dirname(dataset.file.absolute), root };
}
