import type { JsonObject } from "../domain/json.ts";
import { problem } from "../domain/refusal.ts";
import type { BuiltinGrader, GraderSource, GraderSpec } from "../domain/suite.ts";
import type { Desk } from "./desk.ts";
import { resolveFile, resolveFileId } from "./files.ts";
import {
  at,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  objectOf,
  type Part,
  placeOf,
  presentKeys,
  textOf,
} from "./part.ts";
import { oneKeyOf } from "./sources.ts";
import { refuseFeature, refuseUnsupported } from "./unsupported.ts";

const keysOfList = ["name", "weight"];

/** A task's grader: `grader`, or the single plain one of `graders`, which means the same. */
export async function resolveGrader(task: Part, desk: Desk): Promise<GraderSpec | undefined> {
  const part = graderPart(task, desk);
  if (part === undefined) return undefined;
  refuseUnsupported(part, "grader", desk);
  const type = textOf(part) ?? textOf(at(part, "type"));
  if (type === undefined) return undefined;
  if (type === "python") return resolvePython(part, desk);
  if (isBuiltin(type, desk)) return { type, options: optionsOf(part) };
  // Beside these the schema has refused the name already.
  const later = ["regex", "json_valid", "json_schema", "judge"];
  return later.includes(type)
    ? refuseFeature(part, `the built-in grader ${type}`, desk)
    : undefined;
}

/** The part of the manifest that declares a task's grader. */
export function graderPart(task: Part, desk: Desk): Part | undefined {
  const key = oneKeyOf(task, ["grader", "graders"], desk);
  if (key === undefined) return undefined;
  const part = at(task, key);
  if (key === "grader") return withoutListKeys(part, desk);
  const [first, ...others] = itemsOf(part);
  if (first === undefined) return undefined;
  if (others.length > 0) return refuseFeature(part, "several graders for a task", desk);
  const named = presentKeys(first, keysOfList)[0];
  if (named === undefined) return first;
  return refuseFeature(at(first, named), "names and weights of graders", desk);
}

function withoutListKeys(part: Part, desk: Desk): Part {
  for (const key of presentKeys(part, keysOfList)) {
    const found = { key, belongs: "the entries of `graders`" };
    desk.refuse(problem("key_misplaced", found, keyPlaceOf(at(part, key))));
  }
  return part;
}

async function resolvePython(part: Part, desk: Desk): Promise<GraderSpec | undefined> {
  const calls = at(part, "max_model_calls");
  if (isPresent(calls) && [undefined, "sample"].includes(textOf(at(part, "contract")))) {
    const why = "a grader with the contract sample calls no models";
    desk.warn(problem("setting_idle", { key: "max_model_calls", why }, keyPlaceOf(calls)));
  }
  const source = await resolveSource(part, desk);
  if (source === undefined) return undefined;
  return {
    type: "python",
    contract: "sample",
    metric_id: textOf(at(part, "metric_id")) ?? "score",
    source,
    timeout_seconds: numberOf(at(part, "timeout_seconds")) ?? 120,
  };
}

async function resolveSource(part: Part, desk: Desk): Promise<GraderSource | undefined> {
  const key = oneKeyOf(part, ["source", "file", "file_id"], desk);
  if (key === undefined) return undefined;
  const source = at(part, key);
  const text = textOf(source);
  if (key === "source") return text === undefined ? undefined : { kind: "inline", text };
  const file = await (key === "file" ? resolveFile(source, desk) : resolveFileId(source, desk));
  return file && { kind: "file", file };
}

function isBuiltin(type: string, desk: Desk): type is BuiltinGrader {
  return Object.hasOwn(desk.builtins, type);
}

function optionsOf(part: Part): JsonObject {
  const { type: _type, name: _name, weight: _weight, ...options } = objectOf(part) ?? {};
  return options;
}

/** What only the whole task shows: a built-in grader compares with a target. */
export function checkGraderNeeds(grader: GraderSpec, task: Part, desk: Desk): void {
  if (grader.type === "python") return;
  const place = placeOf(at(task, "grader"));
  if (!isPresent(at(task, "target_template"))) {
    desk.refuse(problem("target_missing", { grader: grader.type }, place));
  }
}
