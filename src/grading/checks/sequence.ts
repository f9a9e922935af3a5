import { ownValue } from "../../model/own-value.ts";
import type { JsonObject } from "../../model/json.ts";
import { type CheckResult, type CheckOpened } from "./checked.ts";
import { textsIn } from "./options.ts";
import { type Order, orderFailure, overlapOf } from "./order.ts";
import { seenSession } from "./session.ts";

const modes: Readonly<Record<string, Order>> = {
  exact_match: "exact",
  in_order_match: "in_order",
  any_order_match: "any_order",
};

/** Checks the order of tool calls: `passed` follows the mode, the score is the F1 of the names. */
export function openSequence(options: JsonObject): CheckOpened {
  const expected = textsIn(options["expected_actions"]);
  if (expected.length === 0) return { fault: "it checks nothing: give it expected_actions" };
  const mode = typeof options["matching_mode"] === "string" ? options["matching_mode"] : "";
  const order = ownValue(modes, mode) ?? "in_order";
  return {
    check: (sample) => {
      const session = seenSession(sample);
      if (session === undefined) return noSession("sequence");
      const actual = session.calls.map(({ name }) => name);
      const failure = orderFailure(order, { expected, actual, noun: "actions" });
      const { precision, recall, f1 } = overlapOf(expected, actual);
      return {
        score: f1,
        passed: failure === undefined,
        feedback: failure ?? "Action sequence matched",
        scores: { precision, recall },
        details: { actual_actions: [...actual], precision, recall, f1 },
      };
    },
  };
}

/** A candidate without a transcript can't pass a check of its calls. */
export function noSession(of: string): CheckResult {
  const feedback = `No session digest available for ${of} grading`;
  return { score: 0, passed: false, feedback };
}
