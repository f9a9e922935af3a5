import { cutText } from "../../base/cut-text.ts";
import type { BrokenCase } from "../../model/outcomes/broken.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { forCount, listed } from "./figures.ts";
import type { Reason } from "./grader-words.ts";

/**
 * Reasons from the calls of tools: the same tools were called before and are not any more. Fewer cases than `least` that
 * lost the same calls have no reason, because an agent's calls vary.
 */
export function callReasons(
  cases: readonly BrokenCase[],
  least: number,
): ReadonlyMap<BrokenCase, Reason> {
  const reasons = new Map<BrokenCase, Reason>();
  for (const [words, some] of Map.groupBy(cases, lostWords)) {
    if (words === "" || some.length < least) continue;
    for (const one of some) reasons.set(one, { key: `calls: ${words}`, words });
  }
  return reasons;
}

/** Empty if a side's calls are unknown, or none is lost. */
function lostWords({ before, after }: BrokenCase): string {
  const now = new Set(after.calls);
  const lost = (before.calls ?? []).filter((name) => !now.has(name)).toSorted();
  if (after.calls === undefined || lost.length === 0) return "";
  if (now.size === 0) return `no tool is called any more (before: ${names(lost)})`;
  return `${names(lost)} ${forCount(lost.length, "is", "are")} not called any more`;
}

/**
 * The findings of the built-in grader `tool_calls`, in words: `the required call of search is missing`. undefined if
 * the details belong to another grader.
 */
export function callFaults(judge: JsonObject): string | undefined {
  const parts = Object.entries(judge).map(([key, value]) =>
    Object.hasOwn(faults, key) && Array.isArray(value)
      ? faults[key]?.(value)
      : orderFault(key, value),
  );
  const isKnown = parts.length > 0 && parts.every((part) => part !== undefined);
  return isKnown ? parts.join("; ") : undefined;
}

function orderFault(key: string, value: Json): string | undefined {
  return key === "order" && typeof value === "string" ? value : undefined;
}

/** The list of each kind of fault, as python/regrade/graders/tool_calls.py gives it. */
const faults: Readonly<Record<string, (list: readonly Json[]) => string | undefined>> = {
  missing: (list) =>
    about(
      list,
      (all, n) =>
        `the required ${forCount(n, "call", "calls")} of ${all} ${forCount(n, "is", "are")} missing`,
    ),
  unexpected: (list) => about(list, (all) => `unexpected calls of ${all}`),
  forbidden: (list) =>
    about(list, (all, n) => `${all} ${forCount(n, "is", "are")} called and forbidden`),
  arguments: (list) => about(list, (all) => `the arguments of ${all} don't fit${problemOf(list)}`),
};

function problemOf([first = null]: readonly Json[]): string {
  const problem = isJsonObject(first) ? first["problem"] : undefined;
  return typeof problem === "string" ? `: ${problem}` : "";
}

/** undefined if an entry has no tool's name. */
function about(
  list: readonly Json[],
  say: (names: string, count: number) => string,
): string | undefined {
  const found = list.map(nameOf);
  const known = [...new Set(found.flatMap((name) => name ?? []))];
  if (known.length === 0 || found.includes(undefined)) return undefined;
  return say(names(known), known.length);
}

function nameOf(entry: Json): string | undefined {
  const name = isJsonObject(entry) ? entry["name"] : entry;
  return typeof name === "string" ? name : undefined;
}

const longestName = 80;

function names(all: readonly string[]): string {
  return listed(all.map((name) => cutText(name, longestName)));
}
