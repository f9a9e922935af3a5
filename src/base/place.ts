import type { Place } from "../model/refusal.ts";

/** Where something is in the document as written. */
export type Path = readonly (string | number)[];

/**
 * The place of a path. Of a mapping or a list that stands under a key, the place is that key;
 * of what is not there, the nearest thing around it. `part: "key"` points at the key in any case.
 */
export type Locate = (path: Path, part?: "key") => Place;

/** `tasks[0].grader.file`; a key that is no plain word is quoted. */
export function formatPath(path: Path): string {
  return path.map(formatStep).join("").replace(/^\./, "");
}

function formatStep(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[\w$-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}
