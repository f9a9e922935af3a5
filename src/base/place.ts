import type { Place } from "../model/refusal.ts";

/** Path of a part in the document as written. */
export type Path = readonly (string | number)[];

/**
 * Position of a path. For a mapping or a list under a key, it is that key's; for a missing part, that of the nearest
 * enclosing part. `part: "key"` always returns the key's position.
 */
export type Locate = (path: Path, part?: "key") => Place;

/** Writes a path as text, `tasks[0].grader.file`; a key that is no plain word is quoted. */
export function formatPath(path: Path): string {
  return path.map(formatStep).join("").replace(/^\./, "");
}

function formatStep(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[\w$-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}
