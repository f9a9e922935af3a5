import { problem } from "../model/refusal.ts";
import type { ManifestContext } from "./context.ts";
import { type Part, placeOf, textOf } from "../base/part.ts";

/** A JSON pointer (RFC 6901); the whole document if there is none. A malformed one is refused. */
export function resolvePointer(part: Part, context: ManifestContext): string | undefined {
  const pointer = textOf(part) ?? "";
  if (/^(?:\/(?:[^~]|~[01])*)?$/s.test(pointer)) return pointer;
  return context.refuse(problem("pointer_malformed", { found: pointer }, placeOf(part)));
}
