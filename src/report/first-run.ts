import type { Circumstances } from "../model/circumstances.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { RuleResult } from "../model/outcomes/rule-result.ts";
import { counted, distance, figure, unitOf } from "./words/figures.ts";
import { changeNoun, isRelative, ruleName } from "./words/rules.ts";
import { name, text, type RichText } from "./words/sentences.ts";

/** Report on the first run of a suite in a change. */
interface FirstRun {
  readonly sentence: RichText;
  readonly lines: readonly RichText[];
}

/**
 * The first run of a suite has no baseline: shows the measured values and the next steps. undefined: not the first run.
 */
export function firstRun(run: Run, circumstances: Circumstances | undefined): FirstRun | undefined {
  const { judgedAgainst: branch } = circumstances ?? {};
  // A new suite has no earlier run of its own, even in a workflow that ran before.
  const isFirst = circumstances?.isFirst === true || run.policy?.suite === "new";
  if (!isFirst || branch === undefined || run.baseline !== null) return undefined;
  const rule = run.gate.rules.find((each) => each.level === "block" && isRelative(each));
  if (rule === undefined) return undefined;
  return {
    sentence: [
      text(`${counted(run.cases.declared, "case")} ran`),
      ...measured(run, rule),
      text(". There is no run of this suite on "),
      name(branch),
      text(" to compare with yet."),
    ],
    lines: [nextStep(run, rule, branch)],
  };
}

function measured(run: Run, rule: RuleResult): RichText {
  if (rule.value === null) return [];
  const value = { kind: "strong", text: figure(rule.value, unitOf(run, rule)) } as const;
  return [text(", "), name(ruleName(run, rule)), text(" "), value];
}

function nextStep(run: Run, rule: RuleResult, branch: string): RichText {
  const noun = changeNoun(rule);
  const proven = rule.prove === "nothing" ? noun : `proven ${noun}`;
  const size =
    rule.limit === 0
      ? `any ${proven} blocks`
      : `a ${proven} of ${distance(rule.limit, unitOf(run, rule))} or more blocks`;
  return [
    { kind: "strong", text: "Next step: merge this." },
    text(" The run on "),
    name(branch),
    text(` leaves the first baseline; from the next pull request on, ${size}.`),
  ];
}
