import { cutText } from "../../../base/cut-text.ts";
import type { JsonObject } from "../../../model/json.ts";
import { nestedIn, wholeIn, wordsIn } from "../fields.ts";

/**
 * Limits in characters: of one result, and of all results of a sample; once these are used up, each result is cut to
 * the short limit. A result with its mark is just within the limit of a transcript's text.
 */
const mostCharacters = 99_900;
const mostInAll = 3_000_000;
const shortCharacters = 900;

/** Cuts results that are too long for a model, and marks the place. */
export function createToolTexts(): (text: string) => string {
  let room = mostInAll;
  return (text) => {
    const limit = Math.max(shortCharacters, Math.min(mostCharacters, room));
    const given = text.length <= limit ? text : cutAt(text, limit);
    room -= given.length;
    return given;
  };
}

function cutAt(text: string, limit: number): string {
  const start = cutText(text, limit);
  return `${start}\n[cut off: ${text.length - start.length} more characters]`;
}

/** The parts of a result as text for a model; an image or a sound is described. */
export function textOfParts(parts: readonly JsonObject[]): string {
  return parts.map(textOfPart).join("\n");
}

function textOfPart(part: JsonObject): string {
  const type = wordsIn(part, "type") ?? "part";
  switch (type) {
    case "text":
      return wordsIn(part, "text") ?? "";
    case "image":
    case "audio":
      return `[${type}: ${aboutData(part, "data")}]`;
    case "resource":
      return textOfResource(nestedIn(part, "resource") ?? {});
    case "resource_link":
      return `[resource: ${[wordsIn(part, "name"), wordsIn(part, "uri")].filter(Boolean).join(", ")}]`;
    default:
      return `[${type}]`;
  }
}

function textOfResource(resource: JsonObject): string {
  const text = wordsIn(resource, "text");
  if (text !== undefined) return text;
  return `[resource ${wordsIn(resource, "uri") ?? ""}: ${aboutData(resource, "blob")}]`;
}

function aboutData(part: JsonObject, key: "data" | "blob"): string {
  const type = wordsIn(part, "mimeType") ?? "of unknown type";
  const bytes = wholeIn(part, "size") ?? Math.floor(((wordsIn(part, key) ?? "").length * 3) / 4);
  return `${type}, ${bytes} bytes, not shown`;
}
