import type { RuleOutcome } from "../../model/outcomes/rule-result.ts";

/** Outcome of a rule, for people. */
export const outcomeWords: Readonly<Record<RuleOutcome, string>> = {
  met: "passes",
  missed: "fails",
  inconclusive: "inconclusive",
  unmeasured: "not measured",
};
