import { describe, expect, it } from "vitest";
import { createLedger } from "../../src/ledger/ledger.ts";
import type { Ledger } from "../../src/model/figures/ledger.ts";
import type { PolicyChange, PolicyPart } from "../../src/model/outcomes/policy.ts";
import type { Verdict } from "../../src/model/outcomes/verdict.ts";
import type { GateResult } from "../../src/model/outcomes/rule-result.ts";
import type { ScoreRow } from "../../src/model/outcomes/sample.ts";
import { decide, weighChanges, withMissingSlots } from "../../src/verdict/decide.ts";

function result(verdict: Verdict, reason: string = verdict): GateResult {
  return { verdict, reasons: [reason], rules: [] };
}

function change(part: PolicyPart, effect: PolicyChange["effect"] = "changed"): PolicyChange {
  return { part, task: "qa", effect, note: null };
}

describe("of two verdicts", () => {
  const loosened = [change("gate")];
  const cases: readonly (readonly [Verdict, Verdict, readonly [Verdict, string]])[] = [
    ["fail", "pass", ["fail", "base"]],
    ["pass", "fail", ["fail", "head"]],
    ["pass", "pass", ["pass", "both"]],
    ["pass", "neutral", ["pass", "base"]],
    ["neutral", "pass", ["pass", "head"]],
    ["fail", "error", ["error", "head"]],
    ["inconclusive", "pass", ["inconclusive", "base"]],
    ["error", "fail", ["error", "base"]],
  ];
  it.each(cases)("base %s, own %s: %s", (base, head, [verdict, by]) => {
    const decided = decide({ changed: loosened, base: result(base), head: result(head) });
    expect(decided).toMatchObject({ gate: { verdict }, decided_by: by });
    expect([decided.base?.verdict, decided.head?.verdict]).toEqual([base, head]);
  });

  it("the base's decides where all that changed adds or is equivalent", () => {
    const harmless = [change("dataset", "added"), change("grader", "equivalent")];
    const decided = decide({ changed: harmless, base: result("pass"), head: result("fail") });
    expect(decided).toMatchObject({ gate: { verdict: "pass" }, decided_by: "base" });
    const other = decide({
      changed: [...harmless, change("gate")],
      base: result("pass"),
      head: result("fail"),
    });
    expect(other).toMatchObject({ gate: { verdict: "fail" }, decided_by: "head" });
  });

  it("the change's own says so in its reasons", () => {
    const { gate } = decide({
      changed: loosened,
      base: result("pass", "fine"),
      head: result("fail", "too low"),
    });
    expect(gate.reasons).toEqual(["By the change's own policy: too low", "fine"]);
  });
});

describe("a missing candidate slot", () => {
  it.each([
    ["pass", "fail"],
    ["neutral", "fail"],
    ["inconclusive", "fail"],
    ["error", "error"],
  ] as const)("makes of %s: %s", (verdict, expected) => {
    const found = withMissingSlots(result(verdict), ["app"]);
    expect(found.verdict).toBe(expected);
    expect(found.reasons.join()).toContain("`app`");
  });

  it("is said only where there is one", () => {
    expect(withMissingSlots(result("pass"), [])).toEqual(result("pass"));
  });
});

function ledgerOf(rows: readonly Partial<ScoreRow>[]): Ledger {
  const ledger = createLedger();
  for (const row of rows) {
    const shared = { task: "qa", candidate: "app", repeat: 0, cluster: null, slices: {} };
    const scores = { right: 1 };
    const case_id = row.case_id ?? "a";
    ledger.add({ ...shared, case_id, content: case_id, outcome: "scored", scores, ...row });
  }
  return ledger;
}

const base = ledgerOf([{ case_id: "a" }, { case_id: "b", scores: { right: 0 } }]);

describe("a changed dataset", () => {
  it.each([
    ["more cases", [{ case_id: "n" }, { case_id: "b" }, { case_id: "a" }], "added"],
    ["the same in another order", [{ case_id: "b" }, { case_id: "a" }], "equivalent"],
    ["a case less", [{ case_id: "a" }], "changed"],
    [
      "another row under the same id",
      [{ case_id: "a" }, { case_id: "b", content: "x" }],
      "changed",
    ],
    ["one for another", [{ case_id: "a" }, { case_id: "c" }], "changed"],
    ["nothing", [], "changed"],
  ] as const)("with %s is %s", (_, rows, effect) => {
    const [weighed] = weighChanges([change("dataset")], base, ledgerOf(rows));
    expect(weighed?.effect).toBe(effect);
  });
});

describe("a changed grader", () => {
  const b = { case_id: "b", scores: { right: 0 } };
  const invalid = { case_id: "b", outcome: "invalid", scores: {} } as const;
  it.each([
    ["with the same scores", [b, { case_id: "a" }], "equivalent"],
    ["with more cases beside", [b, { case_id: "a" }, { case_id: "n" }], "equivalent"],
    ["with one other score", [{ case_id: "b" }, { case_id: "a" }], "changed"],
    ["with one other outcome", [invalid, { case_id: "a" }], "changed"],
    ["with another metric beside", [b, { case_id: "a", scores: { right: 1, x: 1 } }], "changed"],
    ["without one of the cases", [b], "changed"],
  ] as const)("%s is judged: %#", (_, rows, effect) => {
    const [weighed] = weighChanges([change("grader")], base, ledgerOf(rows));
    expect(weighed?.effect).toBe(effect);
  });

  it.each([
    ["another score", { right: 0 }, "1 of 2 stored outputs have other scores by it"],
    ["another metric beside", { right: 1, x: 1 }, "the 2 stored outputs keep their scores by it"],
  ])("that gives %s says so", (_, scores, note) => {
    const rows = [{ case_id: "a", scores }, b];
    const [weighed] = weighChanges([change("grader")], base, ledgerOf(rows));
    expect(weighed?.note).toContain(note);
  });

  it("is not the same where nothing was scored at all", () => {
    const none = { outcome: "ungraded", scores: {} } as const;
    const [weighed] = weighChanges([change("grader")], ledgerOf([none]), ledgerOf([none]));
    expect(weighed?.effect).toBe("changed");
  });

  it("is not the same where its one number for all is another", () => {
    const weighed = [0.5, 0.9].map(
      (value) => weighChanges([change("grader")], given(0.5), given(value))[0]?.effect,
    );
    expect(weighed).toEqual(["equivalent", "changed"]);
  });
});

/** What a batch grader gave for all cases together. */
function given(value: number): Ledger {
  const ledger = ledgerOf([{}]);
  ledger.give({ task: "qa", candidate: "app", metrics: { f1: value }, dropped: [] });
  return ledger;
}

it("only cases and graders can come to the same: any other change counts", () => {
  const parts: readonly PolicyPart[] = ["gate", "extraction", "judge", "metrics", "min_cases"];
  const weighed = weighChanges(
    parts.map((part) => change(part)),
    base,
    base,
  );
  expect(weighed.map(({ effect }) => effect)).toEqual(parts.map(() => "changed"));
});
