import { describe, expect, it } from "vitest";
import {
  confirmAlpha,
  type Confirmation,
  type ConfirmRound,
} from "../../src/model/outcomes/confirmation.ts";
import type { GateResult } from "../../src/model/outcomes/rule-result.ts";
import type { Gate } from "../../src/model/definition/gate.ts";
import type { Side } from "../../src/gate/pairing/sides.ts";
import { baseline, pairs, qa, type Case, type Cell, type TaskDraft } from "./sides.ts";
import { judgeInWords, rules, type Judged } from "./situation.ts";

const drop = pairs({ broke: 18, fixed: 6, right: 195, wrong: 21 });
const noDrop: Gate = { rules: [{ metric: "em", max_drop: 0.02, prove: "no_drop" }] };

/** What a changed case scored afresh, before and after; by its place among them, those that broke first. */
type Again = (i: number) => readonly [before: Cell, after: Cell];

interface Parts {
  readonly sides?: readonly [readonly Case[], readonly Case[]];
  readonly gate?: Gate;
  readonly draft?: Omit<TaskDraft, "cases">;
  readonly record?: Partial<ConfirmRound>;
}

function judged(again: Again | undefined, parts: Parts = {}): Judged {
  const { sides = drop, gate = {}, draft = {} } = parts;
  const [base, head] = [qa(sides[0], draft), qa(sides[1], draft)];
  const input = { gate, head, baseline: baseline(base) };
  const first = judgeInWords(input);
  const ids = [...new Set(first.proven.flatMap(({ cases }) => cases.map((each) => each.caseId)))];
  const confirmation = confirmationOf(ids, again, parts.record ?? {});
  return judgeInWords({ ...input, confirmation });
}

function confirmationOf(
  ids: readonly string[],
  again: Again | undefined,
  record: Partial<ConfirmRound>,
): Confirmation {
  const fresh = (at: 0 | 1): Side["ledger"] =>
    qa(ids.map((id, i) => ({ id, is: again?.(i)[at] ?? 0 }))).ledger;
  const round: ConfirmRound = {
    task: "qa",
    candidate: "main",
    base_candidate: "main",
    repeats: 1,
    cases: ids.length,
    samples: 2 * ids.length,
    outcome: again === undefined ? "not_possible" : "run",
    obstacle: again === undefined ? "base_recorded" : null,
    reason: again === undefined ? "the answers are a recording" : null,
    directory: again === undefined ? null : "confirm/1",
    base_sha: null,
    ...record,
  };
  return {
    record: { alpha: confirmAlpha, joint_error: 0.01, rounds: [round] },
    fresh: [again === undefined ? undefined : { base: fresh(0), head: fresh(1) }],
  };
}

function told({ verdict, rules: [rule] }: GateResult): readonly unknown[] {
  return [verdict, rule?.outcome, rule?.code, rule?.confirmation?.outcome];
}

const same: Again = () => [1, 1];
const brokeAgain: Again = (i) => (i < 18 ? [1, 0] : [0, 1]);
/** So many of those that broke break again; the others are right on both sides. */
const someBroke =
  (count: number): Again =>
  (i) =>
    i < count ? [1, 0] : [1, 1];

const failedAgain: Again = (i) => (i < 18 ? [1, "failed"] : [1, 1]);
/** The base could not be graded in so many of those that broke. */
const lost =
  (count: number): Again =>
  (i) =>
    i < count ? ["ungraded", 1] : [1, 1];

describe("a proven drop that would block", () => {
  it("names the cases that changed, broken and fixed, and that the verdict hangs on it", () => {
    const { proven, hangsOnProven } = judged(undefined);
    expect(proven).toMatchObject([
      { task: "qa", candidate: "main", baseCandidate: "main", repeats: 1, alpha: 0.05 },
    ]);
    expect(proven[0]?.cases).toHaveLength(24);
    expect(hangsOnProven).toBe(true);
  });

  it("does not hang on it where another rule fails anyway", () => {
    const gate = {
      rules: [
        { metric: "em", max_drop: 0.02 },
        { metric: "em", min: 0.99 },
      ],
    };
    expect(judged(undefined, { gate }).hangsOnProven).toBe(false);
  });

  it("is nobody's business with `confirm: never`", () => {
    const { proven, result } = judged(same, { gate: { confirm: "never" } });
    expect(proven).toEqual([]);
    expect(told(result)).toEqual(["fail", "missed", "drop_proven", undefined]);
  });
});

describe("the fresh samples alone decide", () => {
  it.each<[string, Again, readonly unknown[]]>([
    ["as before: it blocks", brokeAgain, ["fail", "missed", "drop_proven", "confirmed"]],
    ["nothing differs: it passes", same, ["pass", "met", "drop_not_confirmed", "not_confirmed"]],
    // Mid-p of 2:0 is 0.125, of 1:0 it is 0.25: only the first is below 0.2.
    ["2 broke: it blocks", someBroke(2), ["fail", "missed", "drop_proven", "confirmed"]],
    ["1 broke: it passes", someBroke(1), ["pass", "met", "drop_not_confirmed", "not_confirmed"]],
  ])("%s", (_, again, expected) => {
    expect(told(judged(again).result)).toEqual(expected);
  });

  it("and the first ones are not mixed in", () => {
    const { result } = judged(someBroke(1));
    expect(result.rules[0]).toMatchObject({
      broke: 18,
      fixed: 6,
      confirmation: { cases: 24, n: 24, broke: 1, fixed: 0, p: 0.25, p_adjusted: 0.25 },
    });
    expect(result.rules[0]?.reason).toContain("not confirmed: of the 24 cases that changed");
    expect(result.reasons.join("\n")).toContain("is blocked in at most 1 % of runs");
  });

  it("is no proof that nothing dropped: `prove: no_drop` is then inconclusive", () => {
    const { result } = judged(same, { gate: noDrop });
    expect(told(result)).toEqual([
      "inconclusive",
      "inconclusive",
      "drop_not_confirmed",
      "not_confirmed",
    ]);
  });

  it("p-values are adjusted over the rules that were run again", () => {
    const gate = rules({ max_drop: 0.02 }, { max_drop: 0.03 });
    const { result } = judged(someBroke(2), { gate });
    // 0.125 of each is 0.25 of two.
    expect(result.rules.map(({ confirmation }) => confirmation?.p_adjusted)).toEqual([0.25, 0.25]);
    expect(result.verdict).toBe("pass");
  });
});

describe("cases without a fresh grade", () => {
  it("make it inconclusive where they would turn the verdict by breaking again", () => {
    const { result } = judged(lost(10));
    expect(told(result)).toEqual([
      "inconclusive",
      "inconclusive",
      "confirm_undecided",
      "undecided",
    ]);
    expect(result.rules[0]?.confirmation).toMatchObject({ cases: 24, n: 14 });
  });

  it("do not where they could not", () => {
    expect(told(judged(lost(1)).result)[0]).toBe("pass");
  });

  it("never help: a case that the head fails afresh counts as broken", () => {
    expect(told(judged(failedAgain).result)[3]).toBe("confirmed");
  });
});

/** The base loses all but so many of those that broke, as the change does. */
const bothLose =
  (kept: number): Again =>
  (i) =>
    i < 18 && i >= kept ? [0, 0] : [1, 1];

describe("a base whose program, run here, loses what broke as well", () => {
  const record = { base_sha: "b".repeat(40) };

  it.each<[number, readonly unknown[]]>([
    [0, ["inconclusive", "inconclusive", "confirm_undecided", "base_moved"]],
    [4, ["inconclusive", "inconclusive", "confirm_undecided", "base_moved"]],
    // 12 of 18 lost may be chance.
    [6, ["pass", "met", "drop_not_confirmed", "not_confirmed"]],
    [18, ["pass", "met", "drop_not_confirmed", "not_confirmed"]],
  ])("clears nobody: it keeps %i of 18", (kept, expected) => {
    const { result } = judged(bothLose(kept), { record });
    expect(told(result)).toEqual(expected);
  });

  it("says so, and what to do", () => {
    const { result } = judged(bothLose(0), { record });
    expect(result.rules[0]?.reason).toContain("now loses most of those that broke too");
  });

  it("is a matter of the provider where a model answers, and nobody's fault here", () => {
    expect(told(judged(bothLose(0)).result)[3]).toBe("not_confirmed");
  });
});

describe("a drop that could not be run again", () => {
  it("blocks, and says why", () => {
    const { result } = judged(undefined);
    expect(told(result)).toEqual(["fail", "missed", "drop_proven", "not_run"]);
    expect(result.reasons.join("\n")).toContain(
      "qa, main: the proven drop was not run again: the answers are a recording",
    );
  });

  it("blocks where the fresh samples are another candidate's", () => {
    const { result } = judged(same, { record: { candidate: "other" } });
    expect(told(result)[0]).toBe("fail");
  });
});
