import { ownValue } from "../model/own-value.ts";
import { isJsonObject, type Json } from "../model/json.ts";

/** The value that a JSON pointer names (RFC 6901), or undefined if there is none. "" is the whole document. */
export function readPointer(document: Json, pointer: string): Json | undefined {
  let value: Json | undefined = document;
  for (const part of pointer.split("/").slice(1)) value = step(value, unescaped(part));
  return value;
}

/** Decodes a part. RFC 6901 §4: `~1` comes first, so that `~01` becomes `~1` and not a slash. */
function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function step(value: Json | undefined, part: string): Json | undefined {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(part) ? value[Number(part)] : undefined;
  return isJsonObject(value) ? ownValue(value, part) : undefined;
}
