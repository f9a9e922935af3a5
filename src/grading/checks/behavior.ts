import type { JsonObject } from "../../model/json.ts";
import { type CheckOpened, shareOf } from "./checked.ts";
import { limitIn, textsIn } from "./options.ts";
import { noSession } from "./sequence.ts";
import { type SeenSession, seenSession } from "./session.ts";

/** The failure of one check; undefined: it passed. */
export type SessionCheck = (session: SeenSession) => string | undefined;

/** Limits on an agent's work: calls, turns, tokens, time; the score is the share of limits kept. */
export function openBehavior(options: JsonObject): CheckOpened {
  const checks = [
    ...limit(options, {
      key: "max_tool_calls",
      of: ({ calls }) => calls.length,
      shown: (a, b) => `Tool call count ${a} exceeds max allowed ${b}`,
    }),
    ...turnAndTokenLimits(options),
    ...textsIn(options["required_tools"]).map((name) => toolUseCheck(name, true)),
    ...textsIn(options["forbidden_tools"]).map((name) => toolUseCheck(name, false)),
    ...limit(options, {
      key: "max_duration_ms",
      of: ({ durationMs }) => durationMs,
      shown: (a, b) => `Duration ${a}ms exceeds max allowed ${b}ms`,
    }),
  ];
  if (checks.length === 0)
    return { fault: "it checks nothing: give it max_tool_calls or another of its limits" };
  return sessionChecks(checks, { of: "behavior", allHold: "All behavior checks passed" });
}

/** A grader of checks that all read the session. */
export function sessionChecks(
  checks: readonly SessionCheck[],
  { of, allHold }: { readonly of: string; readonly allHold: string },
): CheckOpened {
  return {
    check: (sample) => {
      const session = seenSession(sample);
      if (session === undefined) return noSession(of);
      const failures = checks.flatMap((check) => check(session) ?? []);
      return shareOf(checks.length, failures, { allHold });
    },
  };
}

/** Checks for the options `max_turns` and `max_tokens`; none for an option that is not set. */
export function turnAndTokenLimits(options: JsonObject): readonly SessionCheck[] {
  return [
    ...limit(options, {
      key: "max_turns",
      of: ({ turns }) => turns,
      shown: (a, b) => `Turn count ${a} exceeds max allowed ${b}`,
    }),
    ...limit(options, {
      key: "max_tokens",
      of: ({ tokens }) => tokens,
      shown: (a, b) => `Token usage ${a} exceeds max allowed ${b}`,
    }),
  ];
}

interface Limit {
  readonly key: string;
  /** undefined if the session does not show it. */
  readonly of: (session: SeenSession) => number | undefined;
  readonly shown: (actual: number, most: number) => string;
}

/** An unknown value fails the limit. */
function limit(options: JsonObject, { key, of, shown }: Limit): readonly SessionCheck[] {
  const most = limitIn(options[key]);
  if (most === undefined) return [];
  return [
    (session) => {
      const actual = of(session);
      if (actual === undefined) return `${key} can't be checked: the candidate does not tell it`;
      return actual <= most ? undefined : shown(actual, most);
    },
  ];
}

function toolUseCheck(name: string, isWanted: boolean): SessionCheck {
  const failure = isWanted ? `Required tool not used: ${name}` : `Forbidden tool was used: ${name}`;
  return ({ calls }) =>
    calls.some((call) => call.name === name) === isWanted ? undefined : failure;
}
