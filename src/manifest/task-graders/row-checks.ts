import { ownValue } from "../../model/own-value.ts";
import { parseAnswer } from "../../base/answer-json.ts";
import { builtinGraders, isBuiltinGrader } from "../../model/definition/builtins.ts";
import { rowChecksOf, singleGraders, type GraderSpec } from "../../model/definition/graders.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { type Place, type Problem, problem } from "../../model/refusal.ts";
import type { Row } from "../../model/outcomes/sample.ts";
import type { RegexSpec } from "../../model/definition/extraction.ts";
import type { HeldBase } from "../../model/ports/held-programs.ts";
import type { Task } from "../../model/definition/suite.ts";
import { at, isPresent, itemsOf, type Part, placeOf, textOf } from "../../base/part.ts";
import { formatPath, type Path } from "../../base/place.ts";
import { checkShape } from "../syntax/shape.ts";
import { validateChecks } from "../suite-schema.generated.mjs";

/** Checks the checks that rows carry, and collects what only graders can check. */
export interface RowChecker {
  /** All problems of a row's checks. */
  readonly check: (row: Row, place: Place) => readonly Problem[];
  /** Each distinct pattern with the place where it first occurs: only Python knows whether it is valid. */
  readonly patterns: () => readonly (readonly [spec: RegexSpec, place: Place])[];
  /** Each distinct check, patterns apart, with the place where it first occurs: only graders can check all options. */
  readonly options: () => readonly (readonly [check: JsonObject, place: Place])[];
  /** The folder of the programs that checks run. */
  readonly heldBase: HeldBase | undefined;
}

type CheckedTask = Pick<Task, "grader" | "target_template" | "output_extraction">;

/** A checker for the rows of a task; undefined if they carry no checks. */
export function createRowChecker(task: CheckedTask): RowChecker | undefined {
  const fields = rowChecksOf(task.grader);
  if (fields.length === 0) return undefined;
  const given = { hasTarget: task.target_template !== undefined, fields: fieldsOfSpec(task) };
  const patterns = new Map<string, readonly [RegexSpec, Place]>();
  const options = new Map<string, readonly [JsonObject, Place]>();
  return {
    check: (row, place) =>
      fields.flatMap((field) => {
        const others = othersOf(task, field);
        const checks = readChecks(row, field, place);
        if ("code" in checks) return [checks];
        if (checks.value === undefined) return others.length > 0 ? [] : [noChecks(field, place)];
        addNew(patterns, patternsIn(checks));
        addNew(options, optionsIn(checks));
        return problemsOf(checks, { ...given, names: others.flatMap(nameOf) });
      }),
    patterns: () => [...patterns.values()],
    options: () => [...options.values()],
    heldBase: heldBaseOf(task.grader),
  };
}

function heldBaseOf(spec: GraderSpec): HeldBase | undefined {
  return singleGraders(spec).flatMap((each) =>
    each.type === "row_checks" ? [each.held_base] : [],
  )[0];
}

function addNew<T>(known: Map<string, T>, found: readonly (readonly [string, T])[]): void {
  for (const [key, value] of found) if (!known.has(key)) known.set(key, value);
}

function nameOf({ name }: JsonObject): readonly string[] {
  return typeof name === "string" ? [name] : [];
}

function noChecks(field: string, place: Place): Problem {
  return problem("row_checks_none", { field }, place);
}

/** The names of the checks in `also` that read the field. */
function othersOf({ grader }: CheckedTask, field: string): readonly JsonObject[] {
  return singleGraders(grader).flatMap((each) => {
    if (each.type !== "row_checks" || each.options["field"] !== field) return [];
    const { also } = each.options;
    return Array.isArray(also) ? also.filter(isJsonObject) : [];
  });
}

/** The checks of a row, which are JSON text in a CSV file; without a value if there are none. */
function readChecks(row: Row, field: string, place: Place): Part | Problem {
  const written = ownValue(row, field);
  const read =
    typeof written === "string" && written.trim() !== "" ? parseAnswer(written) : undefined;
  if (read?.kind === "malformed")
    return problem("row_checks_no_json", { field, reason: read.reason }, place);
  const value: Json | undefined = read === undefined ? written : read.value;
  const isNone = value === null || value === "" || (Array.isArray(value) && value.length === 0);
  const locate = (path: Path): Place => ({ ...place, path: formatPath(path) });
  return { value: isNone ? undefined : value, path: [field], locate };
}

function fieldsOfSpec({ output_extraction: spec }: CheckedTask): readonly string[] {
  return spec.type === "json" ? Object.keys(spec.fields ?? {}) : [];
}

/** The parts of a task that its rows' checks may use. */
interface GivenToChecks {
  readonly hasTarget: boolean;
  /** The names of its extracted fields. */
  readonly fields: readonly string[];
  /** Names of checks that each row has. */
  readonly names?: readonly string[];
}

function problemsOf(checks: Part, given: GivenToChecks): readonly Problem[] {
  const { problems } = checkShape(checks, validateChecks);
  if (problems.length > 0) return problems;
  return checksProblems(checks, given);
}

/** Problems of a list of checks with a valid structure. */
export function checksProblems(checks: Part, given: GivenToChecks): readonly Problem[] {
  const items = itemsOf(checks);
  return [...repeatedNames(items, given.names), ...items.flatMap((item) => needsOf(item, given))];
}

function repeatedNames(items: readonly Part[], taken: readonly string[] = []): readonly Problem[] {
  const seen = new Set(taken);
  return items.flatMap((item) => {
    const name = textOf(at(item, "name"));
    if (name === undefined) return [];
    const isNew = !seen.has(name);
    seen.add(name);
    return isNew ? [] : [problem("row_check_name_taken", { name }, placeOf(at(item, "name")))];
  });
}

/** Problems of a check that needs a target or a field. */
function needsOf(item: Part, { hasTarget, fields }: GivenToChecks): readonly Problem[] {
  const type = textOf(at(item, "type")) ?? "";
  if (!isBuiltinGrader(type)) return [];
  const { needsTarget, fileOption = "" } = builtinGraders[type];
  const [field, file] = [at(item, "extracted_field"), at(item, fileOption)];
  const isUnknown = isPresent(field) && !fields.includes(textOf(field) ?? "");
  const about = { field: textOf(field) ?? "", known: fields, nearest: undefined };
  return [
    ...(needsTarget === true && !hasTarget && !isPresent(at(item, "target"))
      ? [problem("row_check_target", { type }, placeOf(item))]
      : []),
    ...(isUnknown ? [problem("extracted_field_unknown", about, placeOf(field))] : []),
    ...(textOf(file) === undefined
      ? []
      : [problem("row_check_file", { type, option: fileOption }, placeOf(file))]),
  ];
}

function patternsIn(checks: Part): readonly (readonly [string, readonly [RegexSpec, Place]])[] {
  return itemsOf(checks).flatMap((item) => {
    const pattern = textOf(at(item, "pattern"));
    if (textOf(at(item, "type")) !== "regex" || pattern === undefined) return [];
    const flags = textOf(at(item, "flags")) ?? "";
    const spec = { type: "regex", pattern, flags, group: undefined } as const;
    return [[JSON.stringify([pattern, flags]), [spec, placeOf(at(item, "pattern"))]] as const];
  });
}

function optionsIn(checks: Part): readonly (readonly [string, readonly [JsonObject, Place]])[] {
  return itemsOf(checks).flatMap((item) => {
    const { value } = item;
    if (!isJsonObject(value) || value["type"] === "regex") return [];
    const { name: _name, weight: _weight, min: _min, target: _target, not: _not, ...check } = value;
    return [[canonicalJson(check), [check, placeOf(item)]] as const];
  });
}
