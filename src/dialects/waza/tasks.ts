import { resolve } from "node:path";
import { at, keyPlaceOf, objectOf, type Part, placeOf } from "../../base/part.ts";
import { nearest } from "../../base/nearest.ts";
import type { JsonObject } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import {
  refuseValue,
  flagOf,
  isGiven,
  mappingOf,
  fullScalar,
  optionalText,
  refuseKey,
  scalarList,
  scalarText,
  tellIdle,
  type WazaEval,
  wholeNumber,
} from "./eval.ts";
import { type InputFile, readInputFiles } from "./fixtures.ts";
import { shownPath } from "./paths.ts";
import { readGraders, type WazaCheck } from "./graders.ts";
import { expectedChecks } from "./expected.ts";

/** A task of waza: its prompt, its files, and its checks in addition to the common graders. */
export interface WazaTask {
  readonly id: string;
  readonly name: string;
  readonly prompt: string;
  readonly files: readonly InputFile[];
  /** Further facts about the task, which neither agents nor graders receive. */
  readonly context: JsonObject | undefined;
  readonly checks: readonly WazaCheck[];
  readonly tags: readonly string[];
  readonly part: Part;
}

type LookUp = Pick<WazaEval, "root" | "tools" | "refuse">;

/**
 * Opens the task files that `tasks` names, in its order; those of one pattern are sorted. A file that two patterns
 * match is listed twice.
 */
export async function openTaskFiles(file: LookUp): Promise<readonly Part[]> {
  const { root, tools, refuse } = file;
  const patterns = (Array.isArray(at(root, "tasks").value) ? at(root, "tasks") : undefined)?.value;
  if (!Array.isArray(patterns)) return [];
  const texts = patterns.flatMap((pattern) => (typeof pattern === "string" ? [pattern] : []));
  const parts: Part[] = [];
  for (const pattern of texts)
    // In Go, ** matches one folder, as * does.
    for (const path of await tools.filesOf(pattern.replaceAll(/\*{2,}/g, "*"), tools.directory)) {
      const part = await openTask(path, file);
      if (part !== undefined) parts.push(part);
    }
  if (parts.length === 0 && texts.length > 0)
    refuse(problem("waza_tasks_missing", { patterns: texts }, placeOf(at(root, "tasks"))));
  return parts;
}

async function openTask(
  absolute: string,
  { root, tools, refuse }: LookUp,
): Promise<Part | undefined> {
  const text = await tools.readText(absolute);
  const shown = shownPath(absolute, root, tools.directory);
  const parsed = text === undefined ? undefined : tools.parse(text, shown);
  if (parsed !== undefined && objectOf({ value: parsed.value, path: [], locate: parsed.locate }))
    return { value: parsed.value, path: [], locate: parsed.locate };
  const reason = text === undefined ? "it can't be read" : "it is no YAML with a mapping";
  return refuse(problem("waza_file_unusable", { path: shown, reason }, { file: shown }));
}

const knownKeys = [
  "id",
  "name",
  "description",
  "enabled",
  "context_dir",
  "timeout_seconds",
  "tags",
  "inputs",
  "expected",
  "graders",
  "skill_directories",
  "golden",
];

/** Reads a task; undefined if it is switched off. */
export async function readWazaTask(
  part: Part,
  { index, file }: { readonly index: number; readonly file: WazaEval },
): Promise<WazaTask | undefined> {
  tellOtherKeys(part, file);
  const enabled = at(part, "enabled");
  if (isGiven(enabled) && !flagOf(enabled, file)) return undefined;
  if (wholeNumber(at(part, "timeout_seconds"), 1, file) !== undefined)
    tellIdle(
      at(part, "timeout_seconds"),
      "every task has the time of `config.timeout_seconds`",
      file,
    );
  refuseKey(
    at(part, "skill_directories"),
    "Name the skills of all tasks in `config.skill_directories`.",
    file,
  );
  if (isGiven(at(part, "golden")))
    tellIdle(
      at(part, "golden"),
      "name the tasks that must not fail in a rule of the gate: `must_pass`",
      file,
    );
  const inputs = readInputs(at(part, "inputs"), file);
  scalarText(at(part, "description"), file);
  const name = scalarText(at(part, "name"), file) ?? "";
  const id = scalarText(at(part, "id"), file) ?? (name === "" ? `task-${index + 1}` : name);
  const own = await readGraders(at(part, "graders"), file);
  const folder = optionalText(at(part, "context_dir"), file);
  return {
    id,
    name: name === "" ? id : name,
    prompt: await inputs.prompt,
    context: contextOf(at(at(part, "inputs"), "context"), file),
    files: await readInputFiles(at(at(part, "inputs"), "files"), folder, file),
    checks: [...own, ...expectedChecks(at(part, "expected"), file)],
    tags: scalarList(at(part, "tags"), file),
    part,
  };
}

/**
 * Reports unknown keys. waza's schema allows a task to have its own keys, but one that resembles a known key is
 * misspelt.
 */
function tellOtherKeys(part: Part, file: WazaEval): void {
  for (const key of Object.keys(objectOf(part) ?? {})) {
    if (knownKeys.includes(key)) continue;
    const suggestion = nearest(key, knownKeys);
    const field = at(part, key);
    if (suggestion === undefined) tellIdle(field, "waza's tasks have no such key", file);
    else {
      const found = { key, what: "a task", known: knownKeys, suggestion };
      file.refuse(problem("waza_key_unknown", found, keyPlaceOf(field)));
    }
  }
}

const keysOfInputs = [
  "prompt",
  "prompt_file",
  "context",
  "files",
  "environment",
  "repos",
  "workdir",
  "follow_up_prompts",
  "responder",
];

function readInputs(part: Part, file: WazaEval): { readonly prompt: Promise<string> } {
  mappingOf(part, { known: keysOfInputs, what: "`inputs` of a task" }, file);
  for (const key of ["repos", "workdir", "follow_up_prompts", "responder"])
    refuseKey(
      at(part, key),
      "Run this task with waza, and gate its results: regrade run --results results.json --format waza.",
      file,
    );
  if (isGiven(at(part, "environment")))
    tellIdle(at(part, "environment"), "waza hands it to no agent", file);
  const named = at(part, "prompt_file");
  if (isGiven(at(part, "prompt")) || !isGiven(named))
    return { prompt: Promise.resolve(fullScalar(at(part, "prompt"), file) ?? "") };
  return { prompt: promptIn(named, file) };
}

function contextOf(part: Part, file: WazaEval): JsonObject | undefined {
  if (!isGiven(part)) return undefined;
  refuseKey(
    at(part, "fixture"),
    "Name the files in `inputs.files`, or let an agent of your own begin with a folder: `workspace` of a candidate.",
    file,
  );
  return objectOf(part) ?? refuseValue(part, "a mapping", file);
}

/** Reads the prompt from a file. Its path is relative to the eval file's folder. */
async function promptIn(part: Part, file: WazaEval): Promise<string> {
  const path = optionalText(part, file) ?? "";
  const text = await file.tools.readText(resolve(file.tools.directory, path));
  return (
    text ?? refuseValue(part, "the path of a text file, from the eval file's folder on", file) ?? ""
  );
}
