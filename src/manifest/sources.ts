import { problem } from "../model/refusal.ts";
import type { ManifestContext } from "./context.ts";
import { at, type Part, placeOf, presentKeys } from "../base/part.ts";

/** The one of several keys that a mapping has; none or two are refused. */
export function oneKeyOf(
  part: Part,
  keys: readonly string[],
  context: ManifestContext,
): string | undefined {
  const found = presentKeys(part, keys);
  const [first, second] = found;
  if (first === undefined) {
    return context.misspelt(part)
      ? undefined
      : context.refuse(problem("keys_none", { keys }, placeOf(part)));
  }
  if (second === undefined) return first;
  const place = part.locate(at(part, second).path, "key");
  return context.refuse(problem("keys_exclusive", { found, keys }, place));
}
