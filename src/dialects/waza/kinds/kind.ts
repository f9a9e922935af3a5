import type { Part } from "../../../base/part.ts";
import type { Json, JsonObject } from "../../../model/json.ts";
import { problem } from "../../../model/refusal.ts";
import { mappingOf, spotOf, type WazaEval } from "../eval.ts";

/** A grader of the file that is being read. */
export interface GraderEntry {
  readonly name: string;
  readonly part: Part;
  readonly config: Part;
}

/** Translates a grader to a check of rows; undefined if it is refused. */
export type ReadKind = (
  entry: GraderEntry,
  file: WazaEval,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

/** Reads the config of a grader and refuses unknown keys. */
export function configKeys(
  { config, name }: GraderEntry,
  known: readonly string[],
  file: WazaEval,
): Part {
  return mappingOf(
    config,
    { known, what: `the config of the grader ${JSON.stringify(name)}` },
    file,
  );
}

/** Removes empty options; refuses the grader if none is left. */
export function checking(
  { name, config }: GraderEntry,
  { options, keys }: { readonly options: JsonObject; readonly keys: readonly string[] },
  file: WazaEval,
): JsonObject | undefined {
  const said = Object.entries(options).filter(([, value]) => !isNothing(value));
  const isEmpty = said.every(([key, value]) => shared.has(key) || isVacuous(key, value));
  if (isEmpty)
    return file.refuse(problem("waza_check_empty", { grader: name, keys }, spotOf(config)));
  return Object.fromEntries(said);
}

/** Keys that configure a check but are no check themselves. */
const shared: ReadonlySet<string> = new Set([
  "type",
  "words",
  "ignore_case",
  "answer",
  "mode",
  "threshold",
  "matching_mode",
  "allow_extra",
  "language",
]);

/** Lists whose entries must be found. */
const wanted = ["contains", "contains_cs", "regex_match"];
/** Lists of names that must not be found. */
const unwanted = ["forbidden_tools", "reject_tools", "forbidden_skills"];
const passingIfEmpty: ReadonlySet<string> = new Set([...wanted, ...unwanted]);

/**
 * True for a value that checks nothing: only empty texts, which every answer contains and which name nothing, or a
 * minimum of 0.
 */
function isVacuous(key: string, value: Json): boolean {
  if (key === "min_calls") return value === 0;
  return passingIfEmpty.has(key) && Array.isArray(value) && value.every((each) => each === "");
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
