import type { Json } from "../../model/json.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { clip } from "../escape.ts";
import { inlineCode, inlineText } from "./layout.ts";

const mostTasks = 20;
const longestValue = 100;

/** Names of the tasks in the manifest: name, type and identifiers, where set. */
export function taskWords({ suite }: Run): string {
  const words = Object.entries(suite.tasks).flatMap(([id, { name, type, metadata = {} }]) => {
    const own = Object.entries(metadata).map(([key, value]) => `${key}: ${shown(value)}`);
    const labels = [name, type, ...own].filter((each) => each !== undefined);
    return labels.length === 0 ? [] : [`${inlineCode(id)} (${inlineText(labels.join(", "))})`];
  });
  const more = words.length > mostTasks ? [`and ${words.length - mostTasks} more`] : [];
  return [...words.slice(0, mostTasks), ...more].join(", ");
}

function shown(value: Json): string {
  return clip(typeof value === "string" ? value : JSON.stringify(value), longestValue);
}
