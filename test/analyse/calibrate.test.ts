import { describe, expect, it } from "vitest";
import type { Calibration, RuleCalibration } from "../../src/model/figures/calibration.ts";
import type { StoredRun } from "../../src/model/ports/store.ts";
import { Refusal } from "../../src/model/refusal.ts";
import type { RuleSpec } from "../../src/model/definition/gate.ts";
import { mcnemarPower } from "../../src/stats/sizing/power.ts";
import { sfc32 } from "../../src/stats/distributions/sfc32.ts";
import { calibrateRuns } from "../../src/analyse/calibrate.ts";
import { compareRuns } from "../../src/analyse/compare.ts";
import type { Tools } from "../../src/tools.ts";
import { renderCalibration } from "../../src/report/terminal/calibration.ts";
import { chances, storedRun, unchangedRuns, uniform, type RunParts } from "../support/runs.ts";

/** A gate of rules about `em`. */
function gateOf(...rules: readonly Partial<RuleSpec>[]): { readonly rules: readonly RuleSpec[] } {
  return { rules: rules.map((rule) => Object.assign({ metric: "em" }, rule)) };
}

function ruleOf({ rules }: Calibration, at = 0): RuleCalibration {
  const rule = rules[at];
  if (rule === undefined) throw new RangeError("no such rule");
  return rule;
}

const notAsked = (): Promise<never> => Promise.reject(new Error("nothing was graded again"));
const drop2 = { gate: gateOf({ max_drop: 0.02 }) };

function readOnly(readRun: Tools["readRun"]): Tools {
  return { readRun } as unknown as Tools;
}

describe("calibrating a suite", { tags: "long" }, () => {
  it("counts what the gate said of every ordered pair, by the functions that judge a run", async () => {
    const runs = unchangedRuns({ cases: 120, runs: 4 }, drop2);
    const { alarms, verdicts, rules } = await calibrate(runs);
    let failed = 0;
    for (const base of runs)
      for (const head of runs) {
        if (base === head) continue;
        const request = { base: [base.directory] as const, head: head.directory, gate: undefined };
        const tools = { readRun: read(runs), readRegraded: notAsked, now: () => 0 };
        const { gate } = await compareRuns(request, tools as unknown as Tools);
        if (gate.verdict === "fail") failed += 1;
      }
    expect(alarms).toMatchObject({ count: failed, of: 12 });
    expect(rules[0]?.alarms).toEqual(alarms);
    expect(Object.values(verdicts).reduce((sum, one) => sum + one)).toBe(12);
  });

  it("tells of a number that grade_batch returned for all cases together how often it moved, no more", async () => {
    const [one, other] = [0.8, 0.7].map((em, i) =>
      storedRun({ id: `r${i}`, scores: [1, 1, 0, 1], given: { em }, ...drop2 }),
    );
    if (one === undefined || other === undefined) throw new RangeError("two runs");
    const { dealt, noise, notes, rules, verdicts } = await calibrate([one, other]);
    expect({ dealt, noise }).toEqual({ dealt: null, noise: [] });
    expect(verdicts).toMatchObject({ inconclusive: 1, pass: 1, fail: 0 });
    expect(rules[0]).toMatchObject({ undecided: 1, detects: null, dealt: null, disagree: null });
    expect(rules[0]?.naive?.bare_limit.count).toBe(1);
    expect(notes.join(" ")).toContain("`qa/em` is a number that grade_batch returned");
  });

  it("shows that rules without a test block many unchanged runs, and the gate about 1 in 20", async () => {
    const rule = ruleOf(await calibrate(unchangedRuns({ cases: 150, runs: 8 }, drop2)));
    expect(rule.alarms.of).toBe(56);
    expect(rule.naive?.any_drop.rate).toBeGreaterThan(0.35);
    expect(rule.naive?.bare_limit.rate).toBeGreaterThan(rule.alarms.rate + 0.1);
    expect(rule.dealt?.of).toBe(1000);
    expect(rule.dealt?.rate).toBeLessThanOrEqual(0.06);
    expect(rule.dealt?.rate).toBeGreaterThan(0.02);
  });

  it("names a smallest drop that the rule does block 4 times in 5", async () => {
    const rule = ruleOf(await calibrate(unchangedRuns({ cases: 200, runs: 5 }, drop2)));
    const drop = rule.detects ?? 0;
    const disagree = rule.disagree ?? 0;
    expect(disagree).toBeCloseTo(0.12, 1);
    const chance = { breaks: disagree / 2 + drop, fixes: disagree / 2 };
    const power = mcnemarPower({ ...chance, n: 200, alpha: 0.05, limit: 0.02 });
    expect(Math.abs(power - 0.8)).toBeLessThan(0.03);
  });

  it("halves alpha where two rules share it, so that the smallest drop is larger", async () => {
    const one = ruleOf(await calibrate(unchangedRuns({ cases: 100, runs: 3 }, drop2)));
    const gate = gateOf({ max_drop: 0.02 }, { max_drop: 0.05 }, { max_drop: 0.01, level: "warn" });
    const two = await calibrate(unchangedRuns({ cases: 100, runs: 3 }, { gate }));
    expect(one.alpha).toBe(0.05);
    expect(two.rules.map(({ alpha }) => alpha)).toEqual([0.025, 0.025, 0.05]);
    expect(ruleOf(two).detects).toBeGreaterThan(one.detects ?? 1);
  });

  it("says the same every time", async () => {
    const runs = unchangedRuns({ cases: 60, runs: 3 }, drop2);
    expect(await calibrate(runs)).toEqual(await calibrate(runs));
  });

  it("leaves the answers as they are where a suite is too large to deal them anew", async () => {
    const [one, other] = unchangedRuns({ cases: 30, runs: 2 }, drop2);
    const large = [one, other].flatMap((stored) =>
      stored === undefined
        ? []
        : [
            {
              ...stored,
              run: {
                ...stored.run,
                request_counts: { total: 100_000, completed: 100_000, failed: 0 },
              },
            },
          ],
    );
    expect((await calibrate(large)).dealt).toBeNull();
  });

  it("is right about a metric where less is better", async () => {
    const metric = { higher_is_better: false };
    const gate = gateOf({ max_rise: 0.02 });
    const rule = ruleOf(await calibrate(unchangedRuns({ cases: 100, runs: 4 }, { gate, metric })));
    expect(rule).toMatchObject({ kind: "max_rise", cases: 100 });
    expect(rule.naive?.any_drop.rate).toBeGreaterThan(0.1);
    expect(rule.detects).toBeGreaterThan(0.05);
  });
});

describe("the noise of a suite", { tags: "long" }, () => {
  it("is told from the differences between cases", async () => {
    const random = sfc32([4, 4, 4]);
    // Cases differ with a variance of 1, repeats of a case with 0.25.
    const bell = (): number =>
      Array.from({ length: 12 }, () => uniform(random)).reduce((sum, one) => sum + one) - 6;
    const cases = Array.from({ length: 300 }, bell);
    const metric = { range: null, scale: "graded" } as const;
    const runs = Array.from({ length: 4 }, (_, i) =>
      storedRun({
        id: `r${i}`,
        scores: cases.map((centre) => [centre + bell() / 2, centre + bell() / 2]),
        gate: gateOf({ max_drop: 0.1 }),
        metric,
      }),
    );
    const { noise, notes, rules } = await calibrate(runs);
    expect(noise[0]?.within).toBeCloseTo(0.25, 1);
    expect(noise[0]?.between).toBeCloseTo(1, 0);
    expect(noise[0]?.expected_sd).toBeCloseTo(Math.sqrt(0.25 / 2 / 300), 2);
    expect(noise[0]).toMatchObject({ repeats: 2, cases: 300, steady: null });
    expect(notes.join(" ")).not.toContain("whole runs differ, which");
    expect(rules[0]).toMatchObject({ test: "paired_t", disagree: 1 });
    // (1.645 + 0.842) standard errors of a difference of two means over two repeats.
    expect(rules[0]?.detects).toBeCloseTo(2.487 * 0.0289, 2);
  });

  it("names the cases that flicker, those that vary most first", async () => {
    const scores = [
      [1, 0, 1, 1],
      [1, 1, 0, 0],
      [1, 1, 1, 0],
      [1, 1, 1, 0],
    ];
    const runs = scores.map((one, i) => storedRun({ id: `r${i}`, scores: one, ...drop2 }));
    const { noise } = await calibrate(runs);
    expect(noise[0]?.flickering).toEqual({
      count: 3,
      cases: [
        { case_id: "c001", scores: [0, 1, 1, 1] },
        { case_id: "c002", scores: [1, 0, 1, 1] },
        { case_id: "c003", scores: [1, 0, 0, 0] },
      ],
    });
    expect(noise[0]?.steady).toBe(1);
  });

  it("that sets whole runs apart is told, as no more cases or repeats cure it", async () => {
    const random = sfc32([9, 9, 9]);
    const all = chances(200, random);
    const runs = [0.95, 0.6, 0.95, 0.6].map((mood, i) => {
      const scores = all.map((chance) => (uniform(random) < chance * mood ? 1 : 0));
      return storedRun({ id: `r${i}`, scores, ...drop2 });
    });
    const { notes, rules, alarms } = await calibrate(runs);
    expect(alarms.rate).toBeGreaterThan(0.3);
    expect(notes.join(" ")).toContain("whole runs differ, which shows in the pairs");
    expect(ruleOf({ ...(await calibrate(runs)), rules }).advice.join(" ")).toContain(
      "whole runs differ",
    );
  });
});

async function adviceOf(parts: Partial<RunParts>, cases = 100, at = 0): Promise<string> {
  return ruleOf(await calibrate(unchangedRuns({ cases, runs: 5 }, parts)), at).advice.join("\n");
}

describe("what to change", { tags: "long" }, () => {
  it("is told with its number where a rule asks for more than the suite sees", async () => {
    const advice = await adviceOf(drop2);
    expect(advice).toMatch(/about [\d,]+ instead of 100 would prove a drop of 2\.0 points/);
    expect(advice).toMatch(
      /`repeats: 5` would lower the smallest detectable drop .* to about [\d.]+ points/,
    );
    expect(advice).toMatch(
      /Twice as many calls detect most as 200 cases \([\d.]+ points\); otherwise as repeats: 2 .*, or 2 earlier runs/,
    );
    expect(advice).toMatch(/A larger `max_drop`: 100 cases can hold a limit of 0\.\d+/);
    expect(advice).toMatch(/\d+ cases had the full score in all 5 runs.*`must_pass`/);
  });

  it("is nothing where the rule asks for what the suite sees", async () => {
    expect(await adviceOf({ gate: gateOf({ max_drop: 0.1 }) }, 400)).toBe("");
  });

  it("is a test for a bare difference that blocks unchanged runs", async () => {
    expect(await adviceOf({ gate: gateOf({ max_drop: 0.01, prove: "nothing" }) })).toMatch(
      /`prove: nothing` blocked \d+ of 20 pairs in which nothing had changed/,
    );
  });

  it("is another limit where `min` stands in the middle of the noise", async () => {
    expect(await adviceOf({ gate: gateOf({ min: 0.8 }) })).toMatch(
      /lies within the noise: \d of 5 runs missed it.*`min: 0\.\d+`/,
    );
    expect(await adviceOf({ gate: gateOf({ min: 0.99 }) })).toContain("All 5 runs missed it");
    expect(await adviceOf({ gate: gateOf({ min: 0.5 }) })).toBe("");
  });

  it("is to take a flickering case out of must_pass", async () => {
    const runs = [1, 0, 1].map((first, i) =>
      storedRun({
        id: `r${i}`,
        scores: [first, 1, 1],
        gate: gateOf({ must_pass: ["c000", "c001"] }),
      }),
    );
    const rule = ruleOf(await calibrate(runs));
    expect(rule).toMatchObject({ alarms: { count: 1, of: 3 }, naive: null, detects: null });
    expect(rule.advice.join(" ")).toContain("fell short in 1 of 3 runs");
  });

  it("is a bare difference where nothing is left to chance", async () => {
    const scores = Array.from({ length: 100 }, (_, i) => (i < 90 ? 1 : 0));
    const runs = ["a", "b", "c"].map((id) => storedRun({ id, scores, ...drop2 }));
    const calibration = await calibrate(runs);
    expect(ruleOf(calibration)).toMatchObject({ disagree: 0, alarms: { count: 0, of: 6 } });
    expect(ruleOf(calibration).detects).toBeGreaterThan(0.04);
    expect(ruleOf(calibration).advice.join(" ")).toContain(
      "a proof takes 4 broken cases (4.0 points)",
    );
  });

  it("is more cases where so few prove nothing at all", async () => {
    const runs = unchangedRuns({ cases: 3, runs: 2 }, drop2);
    expect(ruleOf(await calibrate(runs))).toMatchObject({
      detects: null,
      advice: [expect.stringContaining("3 cases prove no drop, however large")],
    });
  });
});

describe("runs that can't be held against each other are refused:", () => {
  const [one, other] = unchangedRuns({ cases: 10, runs: 2 }, drop2);
  const changed = (run: Partial<StoredRun["run"]>): StoredRun[] =>
    one && other ? [one, { ...other, run: { ...other.run, ...run } }] : [];
  const suite = other?.run.suite ?? unreachable();
  it.each([
    ["a single one", one ? [one] : [], "calibrate_too_few"],
    ["a copy of the same run", changed({ id: "r1" }), "calibrate_same_run"],
    ["one that was stopped", changed({ status: "cancelled" }), "calibrate_unfinished"],
    [
      "another suite",
      changed({ suite: { ...suite, version: "sha256:1" } }),
      "calibrate_other_input",
    ],
    ["another candidate's settings", changed({ input_hash: "sha256:9" }), "calibrate_other_input"],
    [
      "no gate",
      [one, other].flatMap((stored) =>
        stored
          ? [{ ...stored, run: { ...stored.run, suite: { ...suite, gate: "none" as const } } }]
          : [],
      ),
      "calibrate_no_gate",
    ],
  ])("%s", async (_, runs, code) => {
    const found = await calibrateRuns(
      runs.map((_run, i) => String(i)),
      readOnly(async (at) => runs[Number(at)] ?? unreachable()),
    ).catch((error: unknown) => error);
    if (!(found instanceof Refusal)) throw new Error("nothing was refused");
    expect(found.problems.map((problem) => problem.code)).toEqual([code]);
    expect(found.problems[0]?.hint).toBeTruthy();
  });

  it("recordings of the same candidate may differ", async () => {
    const recorded = { candidates: [{ id: "main", kind: "replay", model: null }] } as const;
    const runs = ["r1", "r2"].map((id) =>
      storedRun({ id, scores: [1, 0], ...drop2, run: { ...recorded, input_hash: `sha256:${id}` } }),
    );
    const { notes } = await calibrateRuns(["runs/r1", "runs/r2"], readOnly(read(runs)));
    expect(notes.join(" ")).toContain("answers from a recording");
  });
});

describe("what is printed", () => {
  it("names the rate with its interval, the naive rates, the drop, the flickering cases and the advice", async () => {
    const text = renderCalibration(
      await calibrate(unchangedRuns({ cases: 100, runs: 4 }, drop2)),
      120,
    );
    expect(text).toMatch(
      /^qa: 4 runs against each other, 12 ordered pairs\. Nothing had changed\./,
    );
    expect(text).toMatch(/The gate failed \d+ of 12 \([\d.]+%, 95% interval [\d.]+% to [\d.]+%\)/);
    for (const part of ["any drop", "bare limit", "dealt anew", "smallest drop blocked"])
      expect(text).toContain(part);
    expect(text).toMatch(/Flickering in em: c\d+ \([01 ]+\), /);
    expect(text).toContain("What to change: em max_drop 2.0 points\n  More cases: ");
  });

  it("of a case's id holds nothing that a runner or a terminal would obey", async () => {
    const [one, other] = unchangedRuns({ cases: 5, runs: 2 }, drop2);
    if (one === undefined || other === undefined) throw new RangeError("no runs");
    const calibration = await calibrate([one, other]);
    const noise = calibration.noise.map((each) =>
      Object.assign({}, each, {
        flickering: { count: 1, cases: [{ case_id: "\n::error::\u001b[31m", scores: [0, 1] }] },
      }),
    );
    const text = renderCalibration({ ...calibration, noise }, 100);
    expect(text).not.toContain("\u001b");
    expect(text).not.toMatch(/^::/m);
  });
});

/** The runs judged against each other, as `regrade calibrate` has them read. */
function calibrate(runs: readonly StoredRun[]): Promise<Calibration> {
  return calibrateRuns(
    runs.map(({ directory }) => directory),
    readOnly(read(runs)),
  );
}

function read(runs: readonly StoredRun[]): (directory: string) => Promise<StoredRun> {
  return async (directory) =>
    runs.find((stored) => stored.directory === directory) ?? unreachable();
}

function unreachable(): never {
  throw new RangeError("no such run");
}
