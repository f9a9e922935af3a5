import { ownValue } from "../../model/own-value.ts";
import type { JsonObject } from "../../model/json.ts";
import { type CheckResult, type CheckOpened } from "./checked.ts";
import { textsIn } from "./options.ts";
import { type Order, orderFailure, overlapOf } from "./order.ts";
import { noSession } from "./sequence.ts";
import { seenSession } from "./session.ts";

const modes: Readonly<Record<string, Order>> = {
  exact_match: "exact",
  in_order: "in_order",
  any_order: "any_order",
};

interface SkillOptions {
  readonly required: readonly string[];
  readonly forbidden: readonly string[];
  readonly order: Order;
  readonly allowExtra: boolean;
}

/** Checks the skills that an agent used: required ones and forbidden ones. */
export function openSkills(options: JsonObject): CheckOpened {
  const mode = typeof options["mode"] === "string" ? options["mode"] : "";
  const read: SkillOptions = {
    required: textsIn(options["required_skills"]),
    forbidden: textsIn(options["forbidden_skills"]),
    order: ownValue(modes, mode) ?? "any_order",
    allowExtra: options["allow_extra"] !== false,
  };
  if (read.required.length + read.forbidden.length === 0)
    return { fault: "it checks nothing: give it required_skills or forbidden_skills" };
  return {
    check: (sample) => {
      const session = seenSession(sample);
      return session === undefined ? noSession("skills") : judged(session.skills, read);
    },
  };
}

function judged(actual: readonly string[], options: SkillOptions): CheckResult {
  const { required, forbidden, order } = options;
  const hits = forbidden.filter((name) => actual.includes(name));
  const overlap =
    required.length === 0 ? { precision: 1, recall: 1, f1: 1 } : overlapOf(required, actual);
  const { precision, recall } = overlap;
  const details = { actual_skills: [...actual], ...overlap, forbidden_violations: hits };
  const shared = { scores: { precision, recall }, details };
  if (hits.length > 0)
    return {
      score: 0,
      passed: false,
      feedback: `Forbidden skills invoked: ${hits.join(", ")}`,
      ...shared,
    };
  if (required.length === 0)
    return { score: 1, passed: true, feedback: "No forbidden skills invoked", ...shared };
  const failure = orderFailure(order, { expected: required, actual, noun: "skills" });
  const extra = options.allowExtra ? 0 : Math.max(0, actual.length - required.length);
  return {
    score: overlap.f1 * (extra === 0 ? 1 : 1 - (0.6 * extra) / actual.length),
    passed: failure === undefined,
    feedback: feedbackOf(failure, { extra, got: actual.length, expected: required.length }),
    ...shared,
  };
}

function feedbackOf(
  failure: string | undefined,
  {
    extra,
    got,
    expected,
  }: { readonly extra: number; readonly got: number; readonly expected: number },
): string {
  const counts = `(got ${got}, expected ${expected})`;
  if (failure !== undefined)
    return extra === 0 ? failure : `${failure}; Extra invocations not allowed ${counts}`;
  return extra === 0
    ? "Skill invocation sequence matched"
    : `Skill invocation sequence matched but had extra invocations ${counts}`;
}
