import { problem } from "../../model/refusal.ts";
import type { ManifestContext } from "../context.ts";
import { fieldsOf, keyPlaceOf, type Part, textOf } from "../../base/part.ts";

/** Headers that belong to the connection itself: a second value would contradict the first. */
const ofConnection = ["connection", "content-length", "host", "transfer-encoding", "upgrade"];
const ofKeys = ["api-key", "authorization", "cookie", "proxy-authorization", "x-api-key"];

/** Headers by name, without forbidden ones. A provider's key is set by `api_key_env`. */
export function resolveHeaders(
  part: Part,
  of: "provider" | "http",
  context: ManifestContext,
): Readonly<Record<string, string>> {
  const headers: [string, string][] = [];
  for (const [name, value] of fieldsOf(part)) {
    const instead = whatInstead(name.toLowerCase(), of);
    if (instead !== undefined) {
      context.refuse(problem("header_reserved", { name, instead }, keyPlaceOf(value)));
    }
    headers.push([name, textOf(value) ?? ""]);
  }
  return Object.fromEntries(headers);
}

function whatInstead(name: string, of: "provider" | "http"): string | undefined {
  if (ofConnection.includes(name)) return "It is set for each request. Leave it out.";
  return of === "provider" && ofKeys.includes(name)
    ? "A manifest is no place for secrets: name the variable that holds the key in `api_key_env`."
    : undefined;
}
