import { expect } from "vitest";
import type { Verdict } from "../../src/model/outcomes/verdict.ts";
import type { RuleResult } from "../../src/model/outcomes/rule-result.ts";
import type { Gate, RuleSpec } from "../../src/model/definition/gate.ts";
import { judge } from "../../src/gate/judge.ts";
import type { Side } from "../../src/gate/pairing/sides.ts";
import { gateResult, noteLines } from "../../src/report/words/remarks.ts";
import { statistics } from "../../src/stats/statistics.ts";
import { baseline, noBaseline } from "./sides.ts";

type GateInput = Parameters<typeof judge>[0];

/** Two runs and a gate, and what must come of them. */
export interface Situation {
  /** What the user would be told wrongly. */
  readonly name: string;
  readonly base?: Side;
  readonly head: Side;
  readonly gate?: Gate;
  readonly leftOut?: GateInput["leftOut"];
  readonly ofChange?: boolean;
  readonly casesBy?: GateInput["casesBy"];
  /** Instead of `base`. */
  readonly against?: GateInput["baseline"];
  readonly verdict: Verdict;
  /** `outcome code` of each rule, in order. */
  readonly rules?: readonly string[];
  readonly problems?: readonly string[];
  readonly cases?: Partial<Judged["cases"]>;
  /** Figures of the first rule. */
  readonly first?: Partial<RuleResult>;
  readonly comparable?: Readonly<Record<string, boolean>>;
}

/** What the gate says, in the words of run.json. */
export function judgeInWords(input: GateInput) {
  const output = judge(input, statistics);
  const { result, notes } = output;
  return { ...output, result: gateResult(result, true), notes: notes.flatMap(noteLines) };
}

export type Judged = ReturnType<typeof judgeInWords>;

/** The same of two runs. */
export function decide(situation: Situation): Judged {
  const { base, head, gate, leftOut, ofChange, casesBy, against } = situation;
  const found = against ?? (base === undefined ? noBaseline : baseline(base));
  const input = { gate: gate ?? {}, head, baseline: found, ofChange: ofChange === true };
  return judgeInWords({ ...input, ...(leftOut && { leftOut }), ...(casesBy && { casesBy }) });
}

/** Holds what the gate says against what must come. */
export function check(situation: Situation): void {
  const { result, problems, cases, comparable } = decide(situation);
  expect({
    verdict: result.verdict,
    rules: result.rules.map(({ outcome, code }) => `${outcome} ${code}`),
    problems: problems.map(({ kind }) => kind),
  }).toEqual({
    verdict: situation.verdict,
    rules: situation.rules ?? [],
    problems: situation.problems ?? [],
  });
  expect(cases).toMatchObject(situation.cases ?? {});
  if (situation.first) expect(result.rules[0]).toMatchObject(situation.first);
  if (situation.comparable) expect(comparable).toEqual(situation.comparable);
  expect(result.reasons.length).toBeGreaterThan(0);
  expectFinite({ result, cases });
}

function expectFinite(value: unknown): void {
  if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
  else if (typeof value === "object" && value !== null) Object.values(value).forEach(expectFinite);
}

/** A rule about `em`. */
export function rules(...specs: readonly Partial<RuleSpec>[]): Gate {
  return { rules: specs.map((spec) => Object.assign({ metric: "em" }, spec)) };
}

/** Equal to four digits. */
export const near = (value: number): number => expect.closeTo(value, 4);
