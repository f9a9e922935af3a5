import { describe, expect, it } from "vitest";
import type { LossPlace } from "../../src/model/outcomes/compared.ts";
import { baseline, qa, times } from "./sides.ts";
import { sfc32 } from "../../src/stats/distributions/sfc32.ts";
import { decide, rules, type Situation } from "./situation.ts";

/** Cases of one kind: how many there are, broke and were fixed. */
interface Kind {
  readonly kind: string;
  readonly cases: number;
  readonly broke?: number;
  readonly fixed?: number;
  readonly cluster?: (i: number) => string;
}

function sides(kinds: readonly Kind[], repeats = 1): Pick<Situation, "base" | "head"> {
  const made = kinds.flatMap(({ kind, cases, broke = 0, fixed = 0, cluster }) =>
    Array.from({ length: cases }, (_, i) => {
      const before = i >= broke && i < broke + fixed ? 0 : 1;
      const after = i < broke ? 0 : 1;
      const whole = { id: `${kind}-${i}`, slices: { kind } };
      const more = cluster === undefined ? {} : { cluster: cluster(i) };
      return {
        before: { ...whole, ...more, is: times(repeats, before) },
        after: { ...whole, ...more, is: times(repeats, after) },
      };
    }),
  );
  const base = qa(
    made.map(({ before }) => before),
    { repeats },
  );
  const head = qa(
    made.map(({ after }) => after),
    { repeats },
  );
  return { base, head };
}

function locate(kinds: readonly Kind[], gate: Situation["gate"] = {}) {
  const { result } = decide({ name: "", ...sides(kinds), gate, verdict: "pass" });
  const [rule] = result.rules;
  const places = rule?.located?.places.map(({ name, broke, cases }: LossPlace) => [
    name,
    broke,
    cases,
  ]);
  return { rule, result, places };
}

const documents = (i: number): string => `doc-${Math.floor(i / 10)}`;

interface Located {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly gate?: Situation["gate"];
  readonly places: readonly (readonly [string, number, number])[] | undefined;
}

describe("where it broke", () => {
  it.each<Located>([
    {
      name: "is the slice that holds all of a proven loss",
      kinds: [
        { kind: "hard", cases: 66, broke: 63 },
        { kind: "easy", cases: 174 },
      ],
      places: [["kind=hard", 63, 66]],
    },
    {
      name: "is no slice where the loss is spread as the cases are",
      kinds: [
        { kind: "hard", cases: 60, broke: 15 },
        { kind: "easy", cases: 180, broke: 45 },
      ],
      places: undefined,
    },
    {
      name: "is told the strongest first, and three at most",
      kinds: [
        { kind: "a", cases: 20, broke: 18 },
        { kind: "b", cases: 20, broke: 20 },
        { kind: "c", cases: 20, broke: 17 },
        { kind: "d", cases: 20, broke: 16 },
        { kind: "e", cases: 300 },
      ],
      places: [
        ["kind=b", 20, 20],
        ["kind=a", 18, 20],
        ["kind=c", 17, 20],
      ],
    },
    {
      name: "is told of a slice that broke whole, where others made up for it",
      kinds: [
        { kind: "hard", cases: 4, broke: 4 },
        { kind: "easy", cases: 236, fixed: 4 },
      ],
      places: [["kind=hard", 4, 4]],
    },
    {
      name: "is not told of a slice that did not break whole, where the total passes and nothing is proven of it",
      kinds: [
        { kind: "hard", cases: 8, broke: 3 },
        { kind: "easy", cases: 232, fixed: 4 },
      ],
      places: undefined,
    },
    {
      name: "is no slice whose cases were fixed as often",
      kinds: [
        { kind: "noisy", cases: 80, broke: 30, fixed: 30 },
        { kind: "hard", cases: 60, broke: 40 },
        { kind: "easy", cases: 200 },
      ],
      places: [["kind=hard", 40, 60]],
    },
    {
      name: "is no slice that has all cases",
      kinds: [{ kind: "all", cases: 60, broke: 30 }],
      places: undefined,
    },
    {
      name: "is one case less than nothing to tell",
      kinds: [
        { kind: "hard", cases: 1, broke: 1 },
        { kind: "easy", cases: 400 },
      ],
      places: undefined,
    },
    {
      name: "is the cluster that broke, and no slice by the cases of that one cluster",
      kinds: [
        { kind: "hard", cases: 20, broke: 10, cluster: (i) => `hard-${Math.floor(i / 10)}` },
        { kind: "easy", cases: 180, cluster: documents },
      ],
      gate: rules({ max_drop: 0.02, prove: "nothing" }),
      places: [["hard-0", 10, 10]],
    },
    {
      name: "is told of lower values where lower is worse, and not of a rule on slices",
      kinds: [
        { kind: "hard", cases: 40, broke: 30 },
        { kind: "easy", cases: 160 },
      ],
      gate: rules({ max_drop: 0.02, slice: "kind=*" }),
      places: undefined,
    },
  ])("$name", ({ kinds, gate, places }) => {
    expect(locate(kinds, gate).places).toEqual(places);
  });

  it("is one line beside a rule that fails", () => {
    const { result } = locate([
      { kind: "hard", cases: 66, broke: 63 },
      { kind: "easy", cases: 174 },
    ]);
    expect(result.reasons.filter((reason) => reason.includes("kind=hard"))).toEqual([
      "qa/em, main: where it broke: 63 of 63 broken cases are kind=hard (63 of its 66 cases; p < 0.001 over 2 slices)",
    ]);
  });

  it("is in the one line of a rule that passes, which neither says that nothing was found nor advises repeats", () => {
    const { result, rule } = locate([
      { kind: "hard", cases: 4, broke: 4 },
      { kind: "easy", cases: 36, fixed: 2 },
    ]);
    expect(rule).toMatchObject({ outcome: "met", code: "drop_not_proven" });
    expect(result.reasons.filter((reason) => reason.startsWith("qa/em"))).toEqual([
      "qa/em, main: −5.0 points (95.0% → 90.0%) over all 40 cases, not proven of them all; they detect ≥ 23.4 points; where it broke: 4 of 4 broken cases are kind=hard (all of its 4 cases; p < 0.001 over 2 slices); the total hides it",
    ]);
    expect(result.verdict).toBe("pass");
  });

  it("clips a slice whose value is a whole text", () => {
    const kind = "x".repeat(500);
    const { rule } = locate([
      { kind, cases: 66, broke: 63 },
      { kind: "easy", cases: 174 },
    ]);
    expect(rule?.located?.reason.length).toBeLessThan(200);
  });
});

function scoredBy(score: (i: number) => number) {
  return qa(
    Array.from({ length: 200 }, (_, i) => ({ slices: { kind: `k${i % 8}` }, is: score(i) })),
  );
}

it("is told in at most 5 of 100 runs whose cases broke by chance", { tags: "long" }, () => {
  const next = sfc32([7, 7, 7]);
  let told = 0;
  for (let run = 0; run < 300; run += 1) {
    const broken = new Set(
      Array.from({ length: 200 }, (_, i) => [next(), i] as const)
        .toSorted(([one], [other]) => one - other)
        .slice(0, 30)
        .map(([, i]) => i),
    );
    const head = scoredBy((i) => (broken.has(i) ? 0 : 1));
    const { result } = decide({ name: "", base: scoredBy(() => 1), head, verdict: "fail" });
    if (result.rules[0]?.located !== undefined) told += 1;
  }
  expect(told).toBeLessThanOrEqual(15);
});

describe("the advice to repeat", () => {
  const kinds: readonly Kind[] = [{ kind: "all", cases: 30, broke: 1 }];
  const reasonOf = (repeats: number, recorded: boolean): string | undefined => {
    const { base, head } = sides(kinds, repeats);
    if (base === undefined) return undefined;
    const here = recorded ? { ...head, recorded: ["main"] } : head;
    const found = decide({ name: "", head: here, against: baseline(base), verdict: "pass" });
    return found.result.rules[0]?.reason;
  };

  it.each([
    ["a candidate that is asked once", 1, false, true],
    ["not a recording", 1, true, false],
    ["not a candidate whose repeats all scored alike", 2, false, false],
  ])("is for %s", (...row) => {
    const [, repeats, recorded, isAdvised] = row;
    const reason = reasonOf(repeats, recorded);
    expect(reason).toContain("more cases would tell more");
    expect(reason?.includes("`repeats: 5` or")).toBe(isAdvised);
  });
});
