import { describe, expect, it } from "vitest";
import type { StoredRun } from "../../../src/model/ports/store.ts";
import { conclude, type Baseline } from "../../../src/verdict/conclude.ts";
import { judgedOf } from "../../../src/verdict/describe.ts";
import { poolRuns, repeatsIn } from "../../../src/verdict/pool/pool.ts";
import { sfc32 } from "../../../src/stats/distributions/sfc32.ts";
import { chances, storedRun, uniform, type RunParts } from "../../support/runs.ts";

const gate = { max_drop: 0.02 };

function runOf(id: string, scores: RunParts["scores"], rest: Partial<RunParts> = {}): StoredRun {
  return storedRun({ id, scores, gate, ...rest });
}

function baselineOf(runs: readonly StoredRun[]): Baseline {
  const [first] = runs;
  if (first === undefined) throw new RangeError("a pool has runs");
  const named = runs.map((stored) => ({ source: stored.directory, stored }));
  const pool = poolRuns(named);
  const stored = { ...first, ledger: pool.ledger };
  const pooling = { runs: runs.length, repeats: repeatsIn(runs), members: [], newest: first };
  return { kind: "run", source: "pool", stored, pool: pooling };
}

function judged(head: StoredRun, bases: readonly StoredRun[]) {
  const { gate: result, baseline } = conclude(
    judgedOf(head.run, head.ledger),
    baselineOf(bases),
    0,
  );
  return { rule: result.rules[0], result, baseline };
}

/** The same of a run that holds several attempts of one repeat each. */
function attemptsOf(id: string, scores: RunParts["scores"]): StoredRun {
  const stored = runOf(id, scores);
  const { suite } = stored.run;
  const tasks = Object.entries(suite.tasks).map(([task, spec]) => [task, { ...spec, repeats: 1 }]);
  const earlier = [{ number: 1, run_id: "run_first", completed_at: "2026-01-01T00:00:00Z" }];
  const attempts = { number: 2, earlier, unread: null, decided: [] };
  const run = { ...stored.run, attempts, suite: { ...suite, tasks: Object.fromEntries(tasks) } };
  return { ...stored, run };
}

describe("a pool of runs", () => {
  it("takes each attempt of a run that was re-run for one of its own", () => {
    const bases = [
      attemptsOf("a", [
        [1, 0, 0],
        [1, 1],
      ]),
      runOf("b", [1, 1]),
    ];
    // A half of four, and all.
    expect(judged(runOf("h", [0, 1]), bases).rule).toMatchObject({ n: 2, baseline: 0.75 });
  });

  it("gives each case the mean over the runs, of the first repeats that both sides have", () => {
    const bases = [
      runOf("a", [
        [1, 0],
        [1, 1],
        [0, 0],
      ]),
      runOf("b", [
        [0, 1],
        [1, 1],
        [0, 1],
      ]),
    ];
    const { rule } = judged(runOf("h", [1, 1, 0]), bases);
    // Of the first repeats: (1 + 0)/2, (1 + 1)/2, (0 + 0)/2.
    expect(rule).toMatchObject({ baseline: 0.5, value: 2 / 3, n: 3, broke: 0, fixed: 1 });
    const both = judged(
      runOf("h", [
        [1, 1],
        [1, 1],
        [0, 0],
      ]),
      bases,
    ).rule;
    expect(both).toMatchObject({ baseline: (0.5 + 1 + 0.25) / 3, value: 2 / 3 });
  });

  it("is the same in whatever order it is named", () => {
    const bases = ["a", "b", "c"].map((id, i) => runOf(id, [1, i === 0 ? 1 : 0, 0, 1]));
    const head = runOf("h", [1, 0, 0, 1]);
    expect(judged(head, bases.toReversed()).result).toEqual(judged(head, bases).result);
  });

  it("lets a run that could not grade a case stand aside for it", () => {
    const hole = runOf("b", [1, 0]);
    hole.ledger.amend({ task: "qa", candidate: "main", i: 0 }, { outcome: "ungraded", scores: {} });
    hole.ledger.amend({ task: "qa", candidate: "main", i: 1 }, { outcome: "invalid", scores: {} });
    const { rule } = judged(runOf("h", [1, 1]), [runOf("a", [0, 1]), hole]);
    expect(rule).toMatchObject({ n: 2, baseline: 0.5 });
  });

  it("takes the mean of what batch graders gave for all cases together", () => {
    const bases = [0.8, 0.6].map((em, i) => runOf(`b${i}`, [1, 1, 1, 1], { given: { em } }));
    const { rule } = judged(runOf("h", [1, 1, 1, 1], { given: { em: 0.75 } }), bases);
    expect(rule).toMatchObject({ baseline: 0.7, value: 0.75, code: "no_drop_detected" });
  });

  it("blocks at most about 5 % of unchanged runs", { tags: "long" }, () => {
    const random = sfc32([4, 5, 6]);
    const pooled = { failed: 0 };
    const rounds = 400;
    for (let round = 0; round < rounds; round += 1) {
      const all = chances(60, random);
      const draw = (): readonly number[] => all.map((p) => (uniform(random) < p ? 1 : 0));
      const bases = ["a", "b", "c", "d"].map((id) => runOf(id, draw()));
      if (judged(runOf("h", draw()), bases).result.verdict === "fail") pooled.failed += 1;
    }
    expect(pooled.failed / rounds).toBeLessThan(0.055 + 3 * Math.sqrt((0.05 * 0.95) / rounds));
  });
});
