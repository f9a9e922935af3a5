import { describe, expect, it } from "vitest";
import type { RuleSpec } from "../../../src/model/definition/gate.ts";
import type { BaselineSide } from "../../../src/gate/pairing/sides.ts";
import { noBaseline, qa, side, type Case, type Cell, type TaskDraft } from "../sides.ts";
import { check, decide, rules, type Judged, type Situation } from "../situation.ts";

const graded = { metrics: [{ scale: "graded" as const }] };
const cell = (id: string, is: Cell | readonly Cell[]): Case => ({ id, is });

/** The case that must pass, and one beside it. */
function named(
  is: Cell | readonly Cell[],
  draft: Omit<TaskDraft, "cases"> = graded,
): ReturnType<typeof qa> {
  return qa([cell("refund", is), cell("other", 1)], draft);
}

const gate = (more: Partial<RuleSpec> = {}): ReturnType<typeof rules> =>
  rules({ must_pass: ["refund"], ...more });

type Draft = Omit<Situation, "head"> & Partial<Pick<Situation, "head">>;

function drafts(of: readonly Draft[], more: Partial<Draft>): readonly Situation[] {
  return of.map((one) => Object.assign({ head: named(0), gate: gate() }, more, one));
}

const met = { verdict: "pass", rules: ["met cases_short_before"] } as const;
const missed = { verdict: "fail", rules: ["missed cases_short"] } as const;
const open = { verdict: "inconclusive", rules: ["inconclusive cases_ungraded"] } as const;

describe("must_pass in a change: a case that falls short", () => {
  it.each(
    drafts(
      [
        { name: "blocks where the baseline passes it", base: named(1), ...missed },
        { name: "is named where it fell short in the baseline already", base: named(0), ...met },
        { name: "is named where the baseline's candidate failed", base: named("failed"), ...met },
        {
          name: "blocks where the baseline has no such case",
          base: qa([cell("other", 1)], graded),
          ...missed,
        },
        {
          name: "blocks where the baseline could not grade it",
          base: named("ungraded"),
          ...missed,
        },
        {
          name: "blocks where the baseline's grader gave no score",
          base: named("invalid"),
          ...missed,
        },
        {
          name: "blocks where the baseline has the id for another question",
          base: qa([{ id: "refund", content: "another row", is: 0 }, cell("other", 1)], graded),
          ...missed,
        },
        {
          name: "is named where the baseline has it under another id",
          base: qa([{ id: "old", content: "row of refund", is: 0 }, cell("other", 1)], graded),
          ...met,
        },
        { name: "blocks without a baseline", ...missed },
        {
          name: "blocks where the baseline could not be read",
          against: { kind: "none", reason: "a 502", remedy: "Run again." },
          ...missed,
        },
        {
          name: "blocks where another grader made the baseline",
          base: named(0, { ...graded, fingerprint: { grader: "another" } }),
          ...missed,
        },
        {
          name: "blocks where the baseline does not have the task",
          base: side({ other: { cases: { main: [1, 1] } } }),
          verdict: "fail",
          rules: ["missed cases_short"],
          problems: ["task_gone"],
        },
        {
          name: "blocks where one of the baseline's repeats could not be graded",
          base: named([0, "ungraded"], { ...graded, repeats: 2 }),
          ...missed,
        },
        { name: "blocks with `always`", base: named(0), gate: gate({ always: true }), ...missed },
        {
          name: "is named by its own limit, not by the end of the range",
          base: named(0.4),
          gate: gate({ min: 0.5 }),
          ...met,
        },
        {
          name: "blocks where the baseline reached the rule's own limit, and no more",
          base: named(0.5),
          gate: gate({ min: 0.5 }),
          ...missed,
        },
        {
          name: "warns where it is told to, of what the change broke alone",
          base: named(1),
          gate: gate({ level: "warn" }),
          verdict: "pass",
          rules: ["missed cases_short"],
        },
      ],
      { ofChange: true },
    ),
  )("$name", check);

  it.each(
    drafts(
      [
        { name: "is open where the baseline passes it", base: named(1), ...open },
        {
          name: "is open where the baseline could not grade it either",
          base: named("ungraded"),
          ...open,
        },
        { name: "is open without a baseline", ...open },
        { name: "decides nothing where it fell short in the baseline", base: named(0), ...met },
      ],
      { ofChange: true, head: named("ungraded") },
    ),
  )("or that could not be graded here $name", check);

  it.each(
    drafts(
      [
        { name: "a push, a schedule: whatever the baseline did", base: named(0), ...missed },
        {
          name: "a push that could not grade it",
          base: named(0),
          head: named("ungraded"),
          ...open,
        },
      ],
      {},
    ),
  )("fails in $name", check);
});

/** The case that must pass, in each of the runs. */
function pooled(...runs: readonly (0 | 1 | "ungraded")[]): BaselineSide {
  const ones = runs.map(() => 1);
  const together = qa([cell("refund", runs), cell("other", ones)], graded);
  return { ...together, kind: "run", pool: { runs: runs.length, repeats: new Map([["qa", 1]]) } };
}

describe("several runs as the baseline", () => {
  it.each(
    drafts(
      [
        {
          name: "one of them passed it: the change answers for it",
          against: pooled(0, 1, 0),
          ...missed,
        },
        { name: "none of them passed it", against: pooled(0, 0, 0), ...met },
        {
          name: "none of those that graded it passed it",
          against: pooled(0, "ungraded", 0),
          ...met,
        },
        { name: "none of them graded it", against: pooled("ungraded", "ungraded"), ...missed },
      ],
      { ofChange: true },
    ),
  )("$name", check);
});

describe("what is told of the named cases", () => {
  const head = qa([cell("a", 0), cell("b", 0), cell("c", 0), cell("d", 1)], graded);
  const all = rules({ must_pass: ["*"] });
  const reasons = (situation: Pick<Situation, "base" | "against">): Judged["result"] =>
    decide({ name: "", verdict: "fail", head, gate: all, ofChange: true, ...situation }).result;

  it("names what blocks, why the baseline does not excuse it, and what fell short before", () => {
    const base = qa([cell("a", 1), cell("b", 0), cell("d", 1)], graded);
    const { rules: found, reasons: told } = reasons({ base });
    expect(told[0]).toBe(
      "qa/em, main: 2 of 4 must-pass cases fail: a, c (not in the baseline); 1 of 4 must-pass cases failed in the baseline already: b",
    );
    expect(found[0]).toMatchObject({
      short: [
        { case_id: "a", value: 0 },
        { case_id: "c", value: 0 },
      ],
      changed: { failing: { count: 1, cases: ["b"] } },
    });
  });

  it("names them in a pass, with the key that would block", () => {
    const base = qa([cell("a", 0), cell("b", 0), cell("c", 0), cell("d", 1)], graded);
    expect(reasons({ base }).reasons[0]).toBe(
      "qa/em, main: 3 of 4 must-pass cases failed in the baseline already: a, b, c; that blocks only with `always: true`",
    );
  });

  it("says that nothing is known of the baseline", () => {
    expect(reasons({ against: noBaseline }).reasons[0]).toContain(
      "; whether they fell short before is not known: there is no baseline",
    );
  });
});
