import { describe, expect, it } from "vitest";

import type { BrokenCase, BrokenGroup, WorseCase } from "../../../src/model/outcomes/broken.ts";
import type { Run } from "../../../src/model/outcomes/run.ts";
import type { SampleError } from "../../../src/model/outcomes/sample.ts";
import { groupBroken } from "../../../src/report/words/broken-groups.ts";
import { explainingGroups } from "../../../src/report/words/explaining-groups.ts";
import * as examples from "../examples.ts";

interface Case {
  readonly id: string;
  readonly says?: string;
  readonly got?: string | null;
  readonly target?: string;
  readonly before?: string;
  readonly slices?: Readonly<Record<string, string>>;
  readonly mustPass?: true;
  readonly after?: number;
}

const place = { task: "qa", candidate: "main", metric: "exact_match" };

/** 240 cases, of which 34 are German. */
const run: Run = examples.failed;

function worse(caseId: string): WorseCase {
  const { task, candidate } = place;
  return { task, candidate, caseId, changes: [], mustPass: false };
}

function crash(order: string): SampleError {
  const message = `Traceback (most recent call last):\n  File "/x/app.py", line 41, in f\nKeyError: '${order}'`;
  return { stage: "generate", fault: "candidate", type: "exit_code", message };
}

function grouped(cases: readonly Case[]): readonly BrokenGroup[] {
  const broken = cases.map(({ id, mustPass, after = 0 }): WorseCase => {
    const changes = [{ metric: place.metric, before: 1, after }];
    return { ...place, caseId: id, changes, mustPass: mustPass ?? false };
  });
  const texts = cases.map(
    ({
      id,
      says,
      got,
      target = "billing",
      before = "billing",
      slices = {},
      after = 0,
    }): BrokenCase => {
      const judge = says === undefined ? null : { reason: says };
      const output = got === undefined ? `${id}: a long answer\nof two lines` : got;
      return {
        ...place,
        caseId: id,
        slices,
        target,
        before: { score: 1, output: before },
        after: { score: after, output, judge },
      };
    },
  );
  return groupBroken(run, broken, texts);
}

function table(cases: readonly Case[]): readonly (readonly [number, string | undefined, string])[] {
  return grouped(cases).map(({ cases: some, reason, where }) => [
    some.length,
    reason,
    where.map(({ value, cases: n }) => `${value} ${n}`).join(", "),
  ]);
}

function of(n: number, rest: Omit<Case, "id">): readonly Case[] {
  return Array.from({ length: n }, (_, i) => ({ id: `${rest.says ?? rest.got}-${i}`, ...rest }));
}

describe("broken cases", () => {
  it("are grouped by what the grader says, the largest loss first, with the slice that holds them", () => {
    expect(
      table([
        ...of(2, { says: "names the wrong place", slices: { language: "en" } }),
        ...of(7, { says: "the rest is missing", slices: { language: "de" } }),
      ]),
    ).toEqual([
      [7, "the rest is missing", "de 7"],
      // Most cases are English: that says nothing.
      [2, "names the wrong place", ""],
    ]);
  });

  it("count slices within a group, where one holds more than its share", () => {
    const cases = [
      ...of(5, { says: "cut off", slices: { language: "de" } }),
      { id: "x", says: "cut off", slices: { language: "en" } },
    ];
    expect(table(cases)).toEqual([[6, "cut off", "de 5, en 1"]]);
  });

  it("are one group, though numbers and quoted words differ", () => {
    expect(
      table([
        { id: "a", says: "expected 30 days, got '14'" },
        { id: "b", says: "expected 20 days, got '3'" },
      ]),
    ).toEqual([[2, "expected … days, got …", ""]]);
  });

  it("that must pass come first, however few", () => {
    const groups = grouped([
      ...of(9, { says: "cut off" }),
      { id: "calm", says: "shouts" },
      { id: "login-004", says: "shouts", mustPass: true, after: 0.5 },
    ]);
    expect(groups.map(({ reason, mustPass }) => [reason, mustPass])).toEqual([
      ["shouts", 1],
      ["cut off", 0],
    ]);
    expect(groups[0]?.cases[0]?.caseId).toBe("login-004");
  });

  it("come by loss, not by number, where scores are graded", () => {
    const groups = grouped([
      ...of(3, { says: "a little short", after: 0.9 }),
      ...of(2, { says: "wrong", after: 0 }),
    ]);
    expect(groups.map(({ reason, loss }) => [reason, Number(loss.toFixed(2))])).toEqual([
      ["wrong", 2],
      ["a little short", 0.3],
    ]);
  });

  it("of a grader without words are grouped by what was expected and what came", () => {
    expect(
      table([
        ...of(3, { got: "bug" }),
        { id: "once", got: "other", slices: { language: "de" } },
        { id: "none", got: null },
        { id: "none too", got: " " },
        { id: "long", slices: { language: "de" } },
      ]),
    ).toEqual([
      [3, 'expected "billing", got "bug"', ""],
      [2, "the answer is empty", ""],
      // An answer that came once is no kind of mistake.
      [2, undefined, "de 2"],
    ]);
  });

  it("of a grader without words are one group, if the same answer came for many targets", () => {
    const none = ["bug", "billing", "other", "account"].map((target) => ({
      id: target,
      got: "none",
      target,
    }));
    const two = [
      { id: "x", got: "late", target: "bug" },
      { id: "y", got: "late", target: "bug" },
      { id: "z", got: "late", target: "other" },
    ];
    expect(table([...none, ...two])).toEqual([
      [4, 'got "none" for 4 different targets', ""],
      [2, 'expected "bug", got "late"', ""],
      [1, 'expected "other", got "late"', ""],
    ]);
  });

  it("of a grader without words are one group, if their long answers begin alike", () => {
    const sorry = "I am sorry, but I can't help you with order";
    expect(
      table([
        { id: "a", got: `${sorry} 4014, which left today.` },
        { id: "b", got: `${sorry} 4015.` },
        { id: "c", got: "Your order has left our house, and will come on Monday." },
      ]),
    ).toEqual([
      [2, 'the answer begins "I am sorry, but I can\'t …"', ""],
      [1, 'the answer begins "Your order has left our house, …"', ""],
    ]);
    // The same words before: they are not why it broke.
    const before = `${sorry} 4014`;
    expect(table([1, 2].map((i) => ({ id: `${i}`, got: `${sorry} ${i}.`, before })))).toEqual([
      [2, undefined, ""],
    ]);
  });

  it("with the answer that was wanted, or the earlier one, have no made-up reason", () => {
    const same = [1, 2].map((i) => ({ id: `${i}`, got: "billing" }));
    expect(table(same)).toEqual([[2, undefined, ""]]);
  });

  it("of which nothing may be told are grouped by slice", () => {
    const en = { id: "en", slices: { language: "en" } };
    const cases = [...of(4, { slices: { language: "de" } }), en];
    expect(table(cases)).toEqual([
      [4, undefined, "de 4"],
      [1, undefined, ""],
    ]);
    const bare = groupBroken(
      run,
      cases.map(({ id }) => worse(id)),
      [],
    );
    expect(bare.map((group) => [group.cases.length, group.where])).toEqual([[5, []]]);
  });

  it("that ended without an answer are grouped by the error, whatever it quotes", () => {
    const texts = ["a", "b"].map((caseId): BrokenCase => {
      const after = { score: 0, error: crash(caseId) };
      return Object.assign(worse(caseId), { ...place, slices: {}, before: { score: 1 }, after });
    });
    const [group, ...rest] = groupBroken(run, ["a", "b"].map(worse), texts);
    expect(rest).toEqual([]);
    expect(group?.reason).toBe("KeyError: … at app.py:41");
  });
});

function told(...rules: Run["gate"]["rules"]): readonly string[] {
  const explained = { ...run, gate: { verdict: "fail", reasons: [], rules } } as const;
  return explainingGroups(explained, []).map(({ kind, metric, cases }) =>
    [kind, metric, ...cases.map(({ caseId }) => caseId)].join(" "),
  );
}

describe("the cases that explain a verdict", () => {
  const limit = examples.rule({
    kind: "min",
    prove: null,
    ...examples.uncompared,
    limit: 0.9,
    code: "beyond_limit",
    reason: "83.8% is below the minimum of 90.0%",
    beyond: {
      count: 2,
      of: 240,
      cases: [
        { case_id: "old", value: 0, before: 0 },
        { case_id: "fresh", value: 0.5 },
      ],
    },
  });
  const drop = examples.rule({ changed: { broke: examples.ids("refund", 3, 1), fixed: [] } });
  const held = { ...drop, outcome: "met", code: "drop_not_proven" } as const;
  it.each([
    ["the broken ones of a drop", [drop], ["broke exact_match refund-001 refund-002 refund-003"]],
    [
      "those beyond a limit that alone was missed, the furthest first",
      [limit, held],
      ["beyond exact_match old fresh"],
    ],
    [
      "the broken ones of a metric of which the limit was missed too",
      [limit, drop],
      ["broke exact_match refund-001 refund-002 refund-003"],
    ],
    [
      "both, of two metrics",
      [{ ...limit, metric: "f1" }, drop],
      ["broke exact_match refund-001 refund-002 refund-003", "beyond f1 old fresh"],
    ],
    [
      "none of a limit that only warns",
      [{ ...limit, level: "warn" as const }, held],
      ["broke exact_match refund-001 refund-002 refund-003"],
    ],
    ["none of an earlier version's run", [{ ...limit, beyond: undefined } as never], []],
  ])("are %s", (_, rules, groups) => {
    expect(told(...rules)).toEqual(groups);
  });
});
