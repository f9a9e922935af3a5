import { at, type Part } from "../../../base/part.ts";
import {
  refuseValue,
  flagOf,
  isGiven,
  fullText,
  tellIdle,
  textList,
  wholeNumber,
  type WazaEval,
} from "../eval.ts";
import { checking, configKeys, type ReadKind } from "./kind.ts";

/** Limits on tool calls, tokens and time, and tools that must or must not be called. */
export const behaviorCheck: ReadKind = (entry, file) => {
  const keys = [
    "max_tool_calls",
    "max_tokens",
    "required_tools",
    "forbidden_tools",
    "max_duration_ms",
  ];
  const config = configKeys(entry, keys, file);
  const options = {
    type: "behavior",
    max_tool_calls: limitOf(at(config, "max_tool_calls"), file),
    max_tokens: limitOf(at(config, "max_tokens"), file),
    required_tools: [...textList(at(config, "required_tools"), file)],
    forbidden_tools: [...textList(at(config, "forbidden_tools"), file)],
    max_duration_ms: limitOf(at(config, "max_duration_ms"), file),
  };
  return checking(entry, { options, keys }, file);
};

/** A limit. 0 means no limit in waza, which is probably not intended, so a warning is given. */
export function limitOf(part: Part, file: WazaEval): number | null {
  const limit = wholeNumber(part, 0, file);
  if (limit === 0)
    tellIdle(part, "0 is no limit in waza; tool_calls with max_calls: 0 allows no call", file);
  return limit === undefined || limit === 0 ? null : limit;
}

/** The sequence of the tools that are called. */
export const actionSequenceCheck: ReadKind = (entry, file) => {
  const config = configKeys(entry, ["matching_mode", "expected_actions"], file);
  const modes = ["exact_match", "in_order_match", "any_order_match"];
  const options = {
    type: "sequence",
    matching_mode: modeOf(at(config, "matching_mode"), modes, file),
    expected_actions: [...textList(at(config, "expected_actions"), file)],
  };
  return checking(entry, { options, keys: ["expected_actions"] }, file);
};

/** The skills that must or must not be used, and their order. */
export const skillInvocationCheck: ReadKind = (entry, file) => {
  const keys = ["required_skills", "forbidden_skills"];
  const config = configKeys(entry, [...keys, "mode", "allow_extra"], file);
  const required = [...textList(at(config, "required_skills"), file)];
  const modes = ["exact_match", "in_order", "any_order"];
  const mode = at(config, "mode");
  const isNeeded = required.length > 0 || isGiven(mode);
  const extra = at(config, "allow_extra");
  const options = {
    type: "skills",
    required_skills: required,
    forbidden_skills: [...textList(at(config, "forbidden_skills"), file)],
    mode: isNeeded ? modeOf(mode, modes, file) : null,
    allow_extra: isGiven(extra) ? flagOf(extra, file) : null,
  };
  return checking(entry, { options, keys }, file);
};

/**
 * The required order. There is no default: an order that the author did not choose would check too little or too much.
 */
function modeOf(part: Part, modes: readonly string[], file: WazaEval): string | null {
  const mode = fullText(part, file);
  if (mode === undefined || modes.includes(mode)) return mode ?? null;
  return refuseValue(part, `one of ${modes.join(", ")}`, file) ?? null;
}
