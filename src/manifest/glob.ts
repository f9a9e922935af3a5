import { globFault } from "../base/glob.ts";
import { problem } from "../model/refusal.ts";
import type { ManifestContext } from "./context.ts";
import { placeOf, textOf, type Part } from "../base/part.ts";

/** True for a valid glob, and for values that are not text; reports the problem of an invalid one, at its position. */
export function isUsableGlob(part: Part, context: ManifestContext): boolean {
  const glob = textOf(part) ?? "";
  const reason = globFault(glob);
  if (reason === undefined) return true;
  context.refuse(problem("glob_refused", { glob, reason }, placeOf(part)));
  return false;
}
