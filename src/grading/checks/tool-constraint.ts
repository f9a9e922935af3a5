import { ownValue } from "../../model/own-value.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { compilePattern, type Pattern } from "../re2.ts";
import { type ArgumentMatch, openMatcher } from "./argument.ts";
import { sessionChecks, type SessionCheck, turnAndTokenLimits } from "./behavior.ts";
import type { CheckOpened } from "./checked.ts";
import { limitIn, textOption, textsIn } from "./options.ts";
import type { SeenCall } from "./session.ts";

interface ToolMatch {
  readonly label: string;
  readonly matches: (call: SeenCall) => boolean;
}

type Made<T> = T | { readonly fault: string };

/** Checks which tools an agent calls, and with which arguments; the score is the share of checks that hold. */
export function openToolConstraint(options: JsonObject): CheckOpened {
  const told = ownValue(wordings, textOption(options["words"]) ?? "") ?? usual;
  const [expected, rejected] = [toolsIn(options, "expect_tools"), toolsIn(options, "reject_tools")];
  const lines = [
    ...linePatterns(options, { key: "expect_patterns", isWanted: true }),
    ...linePatterns(options, { key: "reject_patterns", isWanted: false }),
  ];
  const faults = [...expected, ...rejected, ...lines].flatMap((each) =>
    "fault" in each ? [each.fault] : [],
  );
  if (faults.length > 0) return { fault: faults.join("; ") };
  const checks = [
    ...expected.flatMap((each) => ("fault" in each ? [] : [called(each, told.missing)])),
    ...rejected.flatMap((each) => ("fault" in each ? [] : [rejectedBy(each, told.found)])),
    ...lines.flatMap((each) => ("fault" in each ? [] : [each])),
    ...allowOnly(options["allow_only"]),
    ...callLimits(options, told),
    ...turnAndTokenLimits(options),
  ];
  if (checks.length === 0)
    return { fault: "it checks nothing: give it expect_tools, reject_tools or allow_only" };
  return sessionChecks(checks, { of: "tool constraint", allHold: told.allHold });
}

/** Messages about missing and forbidden tools. */
interface Wording {
  readonly missing: (label: string) => string;
  readonly found: (label: string) => string;
  readonly tooMany: (count: number, most: number) => string;
  readonly allHold: string;
}

const usual: Wording = {
  missing: (label) => `Expected tool not used: ${label}`,
  found: (label) => `Rejected tool was used: ${label}`,
  tooMany: (count, most) => `expected at most ${most} tool calls, got ${count}`,
  allHold: "All tool constraint checks passed",
};

/** waza has two graders called tool_calls, which say the same otherwise. */
const wordings: Readonly<Record<string, Wording>> = {
  tool_constraint: usual,
  tool_calls: {
    ...usual,
    missing: (label) => `required tool "${label}" was not called`,
    found: (label) => `forbidden tool "${label}" was called`,
    allHold: "all tool_calls checks passed",
  },
  patterns: {
    ...usual,
    tooMany: (count, most) => `Too many tool calls: ${count} > ${most}`,
    allHold: "Tool calls valid",
  },
};

function called({ label, matches }: ToolMatch, missing: Wording["missing"]): SessionCheck {
  return ({ calls }) => (calls.some(matches) ? undefined : missing(label));
}

function rejectedBy({ label, matches }: ToolMatch, found: Wording["found"]): SessionCheck {
  return ({ calls }) => (calls.some(matches) ? found(label) : undefined);
}

/** Patterns for the calls as text, a line each: `name {"argument": "value"}`. */
function linePatterns(
  options: JsonObject,
  { key, isWanted }: { readonly key: string; readonly isWanted: boolean },
): readonly Made<SessionCheck>[] {
  return textsIn(options[key]).map((pattern, i): Made<SessionCheck> => {
    const compiled = anyCase(pattern, `${key}[${i}]`);
    if ("fault" in compiled) return compiled;
    const failure = isWanted
      ? `Missing required tool call pattern: ${pattern}`
      : `Found forbidden tool call pattern: ${pattern}`;
    return ({ calls }) =>
      compiled.matches(calls.map(asLine).join("\n")) === isWanted ? undefined : failure;
  });
}

function asLine({ name, arguments: given }: SeenCall): string {
  return `${name} ${canonicalJson(given)}`;
}

/** An empty list allows no tool at all. */
function allowOnly(value: Json | undefined): readonly SessionCheck[] {
  if (!Array.isArray(value)) return [];
  const allowed = new Set(textsIn(value));
  return [
    ({ calls }) => {
      const others = new Set(calls.map(({ name }) => name).filter((name) => !allowed.has(name)));
      return others.size === 0
        ? undefined
        : `Tools outside allow_only were used: ${[...others].join(", ")}`;
    },
  ];
}

function callLimits(options: JsonObject, { tooMany }: Wording): readonly SessionCheck[] {
  const [least, most] = [limitIn(options["min_calls"]), limitIn(options["max_calls"])];
  const isLess: SessionCheck = ({ calls }) =>
    least !== undefined && calls.length < least
      ? `expected at least ${least} tool calls, got ${calls.length}`
      : undefined;
  const isMore: SessionCheck = ({ calls }) =>
    most !== undefined && calls.length > most ? tooMany(calls.length, most) : undefined;
  return [...(least === undefined ? [] : [isLess]), ...(most === undefined ? [] : [isMore])];
}

function toolsIn(options: JsonObject, key: string): readonly Made<ToolMatch>[] {
  const list = options[key];
  if (!Array.isArray(list)) return [];
  return list.map((entry, i): Made<ToolMatch> => {
    if (typeof entry === "string") return { label: entry, matches: ({ name }) => name === entry };
    return isJsonObject(entry)
      ? toolMatch(entry, `${key}[${i}]`)
      : { fault: `${key}[${i}] is neither a name nor {tool, …}` };
  });
}

/** Older files have a key for each of these three arguments. */
const patternKeys = [
  { key: "command_pattern", argument: "command" },
  { key: "skill_pattern", argument: "skill" },
  { key: "path_pattern", argument: "path" },
] as const;

/** All parts must hold of the same call. Patterns of RE2, in any case of letters, found anywhere. */
function toolMatch(entry: JsonObject, where: string): Made<ToolMatch> {
  const written = textOption(entry["tool"])?.trim() ?? "";
  if (written === "") return { fault: `${where}.tool: a name or a pattern is missing` };
  const tool = anyCase(written, `${where}.tool`);
  const patterns = patternKeys.flatMap(({ key, argument }): readonly Made<ArgumentMatch>[] => {
    const pattern = textOption(entry[key]);
    if (pattern === undefined || pattern === "") return [];
    const compiled = anyCase(pattern, `${where}.${key}`);
    if ("fault" in compiled) return [compiled];
    return [(given) => compiled.matches(asText(given[argument]))];
  });
  const matchers = Object.entries(isJsonObject(entry["args"]) ? entry["args"] : {}).map(
    ([name, matcher]) => openMatcher(name, matcher, `${where}.args.${name}`),
  );
  const parts = [...patterns, ...matchers];
  const faults = [tool, ...parts].flatMap((each) => ("fault" in each ? [each.fault] : []));
  if ("fault" in tool || faults.length > 0) return { fault: faults.join("; ") };
  const holds = parts.flatMap((each) => ("fault" in each ? [] : [each]));
  return {
    label: labelOf(written, entry),
    matches: ({ name, arguments: given }) =>
      tool.matches(name) && holds.every((part) => part(given)),
  };
}

function anyCase(pattern: string, where: string): Made<Pattern> {
  const compiled = compilePattern(`(?i)${pattern}`);
  return "fault" in compiled ? { fault: `${where}: invalid regex: ${compiled.fault}` } : compiled;
}

function asText(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function labelOf(tool: string, entry: JsonObject): string {
  const parts = patternKeys.flatMap(({ key }) =>
    typeof entry[key] === "string" && entry[key] !== "" ? [`${key}: ${entry[key]}`] : [],
  );
  const names = isJsonObject(entry["args"]) ? Object.keys(entry["args"]) : [];
  const all = [...parts, ...(names.length > 0 ? [`args: ${names.join(", ")}`] : [])];
  return all.length === 0 ? tool : `${tool} (${all.join(", ")})`;
}
