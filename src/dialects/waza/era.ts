import { ownValue } from "../../model/own-value.ts";
import { at, fieldsOf, isPresent, itemsOf, objectOf, type Part, textOf } from "../../base/part.ts";
import type { Era } from "./eval.ts";

/** The version of the file's format, and the part of the file that shows it. */
interface FoundEra {
  readonly era: Era;
  /** undefined if nothing in the file shows its version. */
  readonly why: string | undefined;
}

/** Finds the version by features that only one version has, the newest first: a mixed file counts as the newest. */
export function eraOf(root: Part, tasks: readonly Part[]): FoundEra {
  const files = [root, ...tasks];
  const graders = files.flatMap((file) => itemsOf(at(file, "graders")));
  const signs: readonly (readonly [Era, string | undefined])[] = [
    ["E3", signOfE3(root, tasks, graders)],
    ["E0", first(graders, signOfE0)],
    ["E1", first(graders, signOfE1)],
    ["E2", first(graders, signOfE2)],
  ];
  const found = signs.find(([, why]) => why !== undefined);
  return found === undefined ? { era: "E2", why: undefined } : { era: found[0], why: found[1] };
}

/** The versions of waza in each group, for messages. */
export const eraNames: Readonly<Record<Era, string>> = {
  E0: "up to 0.2",
  E1: "0.3 to 0.11",
  E2: "0.12 and 0.13",
  E3: "0.14 and later",
};

function first(
  graders: readonly Part[],
  sign: (grader: Part, config: Part) => string | undefined,
): string | undefined {
  for (const grader of graders) {
    const found = sign(grader, at(grader, "config"));
    if (found !== undefined) return found;
  }
  return undefined;
}

const oldKinds = ["script", "llm", "llm_comparison", "human", "human_calibration"];

function signOfE0(grader: Part, config: Part): string | undefined {
  const type = textOf(at(grader, "type")) ?? "";
  if (oldKinds.includes(type)) return `it has a grader of the type ${type}`;
  const isOld = type === "tool_calls" && ["required", "forbidden"].some((key) => has(config, key));
  return isOld ? "its tool_calls has patterns for the text of calls" : undefined;
}

function signOfE1(grader: Part, config: Part): string | undefined {
  const type = textOf(at(grader, "type")) ?? "";
  if (type === "regex" || type === "keyword") return `it has a grader of the type ${type}`;
  if (type !== "tool_constraint") return undefined;
  const tools = [...itemsOf(at(config, "expect_tools")), ...itemsOf(at(config, "reject_tools"))];
  const isOld =
    tools.some((tool) => textOf(tool) !== undefined) ||
    has(config, "max_turns") ||
    has(config, "max_tokens");
  return isOld ? "its tool_constraint names tools, or limits turns or tokens" : undefined;
}

function signOfE2(grader: Part): string | undefined {
  const type = textOf(at(grader, "type")) ?? "";
  return type === "text" ? "it has a grader of the type text" : undefined;
}

/** Keys of `config` that came with E3, in addition to `workers`. */
export const keysSinceE3: readonly string[] = [
  "first_event_timeout_seconds",
  "reasoning_effort",
  "judge_reasoning_effort",
  "instruction_files",
  "inject_skill_body",
  "trigger_skill_routing",
  "disabled_skills",
];
const newConfig = ["workers", ...keysSinceE3];
const newInputs = ["prompt_file", "repos", "workdir", "follow_up_prompts", "responder"];
const newRoot = ["schemaVersion", "scenario", "mcp_mocks", "command_mocks"];
const newTask = ["golden", "skill_directories"];

function signOfE3(
  root: Part,
  tasks: readonly Part[],
  graders: readonly Part[],
): string | undefined {
  const keys = [
    ...keysIn(root, newRoot),
    ...keysIn(at(root, "config"), newConfig),
    ...tasks.flatMap((task) => [
      ...keysIn(task, newTask),
      ...keysIn(at(task, "inputs"), newInputs),
    ]),
  ];
  return keys[0] === undefined ? first(graders, newGrader) : `it has the key ${keys[0]}`;
}

const newKeys: Readonly<Record<string, readonly string[]>> = {
  tool_calls: ["required_tools", "forbidden_tools", "min_calls", "expect"],
  skill_invocation: ["forbidden_skills"],
  tool_constraint: ["allow_only"],
  json_schema: ["extract_json"],
  prompt: ["rubric", "reasoning_effort"],
  diff: ["update_snapshots"],
};

function newGrader(grader: Part, config: Part): string | undefined {
  const type = textOf(at(grader, "type")) ?? "";
  if (type === "trigger") return "it has a grader of the type trigger";
  const [key] = keysIn(config, ownValue(newKeys, type) ?? []);
  if (key !== undefined) return `its grader ${type} has the key ${key}`;
  const tools = [...itemsOf(at(config, "expect_tools")), ...itemsOf(at(config, "reject_tools"))];
  return tools.some((tool) => has(tool, "args"))
    ? "its tool_constraint looks at arguments by `args`"
    : undefined;
}

function keysIn(part: Part, keys: readonly string[]): readonly string[] {
  return objectOf(part) === undefined
    ? []
    : fieldsOf(part).flatMap(([key]) => (keys.includes(key) ? [key] : []));
}

function has(part: Part, key: string): boolean {
  return isPresent(at(part, key));
}
