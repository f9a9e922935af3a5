import { globFault } from "../base/glob.ts";
import { problem } from "../model/refusal.ts";
import type { ManifestContext } from "./context.ts";
import { placeOf, textOf, type Part } from "../base/part.ts";

/** True for a glob that can be used, and for what is no text; says of any other what is wrong with it, at its place. */
export function isUsableGlob(part: Part, context: ManifestContext): boolean {
  const glob = textOf(part) ?? "";
  const reason = globFault(glob);
  if (reason === undefined) return true;
  context.refuse(problem("glob_refused", { glob, reason }, placeOf(part)));
  return false;
}
