import type { Part } from "../../../base/part.ts";
import type { Json, JsonObject } from "../../../model/json.ts";
import { problem } from "../../../model/refusal.ts";
import { mappingOf, spotOf, type WazaEval } from "../eval.ts";

/** A grader of the file while it is read. */
export interface GraderEntry {
  readonly name: string;
  readonly part: Part;
  readonly config: Part;
}

/** A grader as the check of a row; undefined: it is refused. */
export type ReadKind = (
  entry: GraderEntry,
  file: WazaEval,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

/** The keys of a grader's config. */
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

/** Options without empty ones; refused if none is left. */
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

/** Keys that configure a check without being one. */
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

/** Empty texts alone, which are in every answer and are no name of anything; or a least number of 0. */
function isVacuous(key: string, value: Json): boolean {
  if (key === "min_calls") return value === 0;
  return passingIfEmpty.has(key) && Array.isArray(value) && value.every((each) => each === "");
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
