import { at, isPresent, itemsOf, objectOf, type Part, textOf } from "../../../base/part.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import {
  refuseValue,
  isGiven,
  mappingList,
  mappingOf,
  fullText,
  optionalText,
  textList,
  wholeNumber,
  type WazaEval,
} from "../eval.ts";
import { limitOf } from "./behavior.ts";
import { checking, configKeys, type ReadKind } from "./kind.ts";

/** A constraint of tools: names (in older files) or descriptions of calls, or a list of allowed tools. */
export const toolConstraintCheck: ReadKind = (entry, file) => {
  const keys = ["expect_tools", "reject_tools", "allow_only", "max_turns", "max_tokens"];
  const config = configKeys(entry, keys, file);
  const allowed = at(config, "allow_only");
  const isLimited = isGiven(allowed);
  const options: JsonObject = {
    type: "tool_constraint",
    expect_tools: [...toolList(at(config, "expect_tools"), file)],
    reject_tools: [...toolList(at(config, "reject_tools"), file)],
    max_turns: limitOf(at(config, "max_turns"), file),
    max_tokens: limitOf(at(config, "max_tokens"), file),
  };
  // An empty list is a rule, too: no tool may be called.
  const allow = isLimited ? { allow_only: [...textList(allowed, file)] } : {};
  if (isLimited) return { ...(checkingNothing(options) ?? options), ...allow };
  return checking(entry, { options, keys }, file);
};

/** Removes empty lists and missing limits. */
function checkingNothing(options: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

const toolKeys = ["tool", "command_pattern", "skill_pattern", "path_pattern", "args"];

function toolList(part: Part, file: WazaEval): readonly Json[] {
  if (!isGiven(part)) return [];
  if (!Array.isArray(part.value)) refuseValue(part, "a list", file);
  return itemsOf(part).flatMap((item) => {
    const name = textOf(item);
    if (name !== undefined) return [name];
    if (objectOf(item) === undefined)
      return refuseValue(item, "a name, or a mapping with `tool`", file) ?? [];
    return toolEntry(item, toolKeys, file) ?? [];
  });
}

function toolEntry(part: Part, known: readonly string[], file: WazaEval): JsonObject | undefined {
  mappingOf(part, { known, what: "an entry of tools" }, file);
  const tool = fullText(at(part, "tool"), file);
  if (tool === undefined) return undefined;
  const patterns = known
    .filter((key) => key.endsWith("_pattern"))
    .flatMap((key) => {
      const text = optionalText(at(part, key), file);
      return text === undefined || text === "" ? [] : [[key, text] as const];
    });
  const args = at(part, "args");
  const matchers = isGiven(args) ? argumentsOf(args, file) : {};
  return { tool, ...Object.fromEntries(patterns), ...matchers };
}

function argumentsOf(part: Part, file: WazaEval): JsonObject {
  const { value } = part;
  if (isJsonObject(value)) return { args: value };
  refuseValue(part, "a mapping from an argument's name to what it must be", file);
  return {};
}

/** Two graders share this type: patterns for the text of calls (the first version), and tool names (the newest). */
export const toolCallsCheck: ReadKind = (entry, file) =>
  file.era === "E0" ||
  isPresent(at(entry.config, "required")) ||
  isPresent(at(entry.config, "forbidden"))
    ? patternsOfCalls(entry, file)
    : namesOfCalls(entry, file);

const patternsOfCalls: ReadKind = (entry, file) => {
  const keys = ["required", "forbidden", "max_calls"];
  const config = configKeys(entry, keys, file);
  const options = {
    type: "tool_constraint",
    words: "patterns",
    expect_patterns: [...patternList(at(config, "required"), file)],
    reject_patterns: [...patternList(at(config, "forbidden"), file)],
    max_calls: limitOf(at(config, "max_calls"), file),
  };
  return checking(entry, { options, keys }, file);
};

function patternList(part: Part, file: WazaEval): readonly string[] {
  if (!isGiven(part)) return [];
  if (!Array.isArray(part.value)) refuseValue(part, "a list of patterns", file);
  return itemsOf(part).flatMap((item) => {
    if (objectOf(item) === undefined) return fullText(item, file) ?? [];
    mappingOf(item, { known: ["pattern"], what: "an entry of patterns" }, file);
    return fullText(at(item, "pattern"), file) ?? [];
  });
}

const namesOfCalls: ReadKind = (entry, file) => {
  const keys = ["required_tools", "forbidden_tools", "min_calls", "max_calls", "expect"];
  const config = configKeys(entry, keys, file);
  const expected = mappingList(at(config, "expect"), file).flatMap(
    (item) => toolEntry(item, ["tool", "args"], file) ?? [],
  );
  const [least, most] = [at(config, "min_calls"), at(config, "max_calls")];
  const [min, max] = [wholeNumber(least, 0, file), wholeNumber(most, 0, file)];
  if (min !== undefined && max !== undefined && min > max)
    refuseValue(least, "no more than max_calls", file);
  const options: JsonObject = {
    type: "tool_constraint",
    words: "tool_calls",
    expect_tools: [...textList(at(config, "required_tools"), file), ...expected],
    reject_tools: [...textList(at(config, "forbidden_tools"), file)],
    min_calls: min ?? null,
    max_calls: max ?? null,
  };
  return checking(entry, { options, keys }, file);
};
