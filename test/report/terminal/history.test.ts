import { describe, expect, it } from "vitest";

import type { HistoryPoint } from "../../../src/model/outcomes/history.ts";
import type { Run } from "../../../src/model/outcomes/run.ts";
import { renderHistory } from "../../../src/report/terminal/history.ts";
import { carriedRuns, historyCsv, historyRows } from "../../../src/report/terminal/history-rows.ts";
import * as examples from "../examples.ts";

/** A run of the example's suite at a day, with a value and a grader. */
function past(day: number, value: number, grader = "sha256:dd") {
  const { qa } = examples.failed.suite.tasks;
  if (qa === undefined) throw new Error("no task");
  const run: Run = {
    ...examples.failed,
    id: `run_2026070${day}T000000_aaaaaa`,
    completed_at: `2026-07-0${day}T10:00:00Z`,
    suite: {
      ...examples.failed.suite,
      tasks: { qa: { ...qa, fingerprint: { ...qa.fingerprint, grader } } },
    },
    metrics: [examples.value({ value }), examples.value({ slice: "language=de", value: 0.1 })],
  };
  return { directory: `.regrade/runs/${run.id}`, run };
}

const runs = [past(3, 0.7, "sha256:ee"), past(1, 0.9), past(2, 0.85)];

function point(sha: string | null, at: string | undefined, value: number): HistoryPoint {
  return {
    sha,
    ...(at !== undefined && { at }),
    meaning: { qa: "another" },
    values: [{ task: "qa", candidate: "main", metric: "exact_match", slice: null, value }],
  };
}

describe("the history of runs", () => {
  it("has the newest run first, each with its difference from the one before", () => {
    const rows = historyRows(runs);
    expect(rows.map(({ at }) => at?.slice(8, 10))).toEqual(["03", "02", "01"]);
    const differences = rows.map(({ metrics }) => metrics.map((one) => one.difference));
    expect(differences[1]?.[0]).toBeCloseTo(-0.05);
    expect(differences[2]).toEqual([null]);
  });

  it("tells no difference from a run of another grader, and says so", () => {
    const rows = historyRows(runs);
    expect(rows[0]?.metrics).toMatchObject([{ value: 0.7, difference: null, break: true }]);
    const text = renderHistory(rows, { width: 120, runs });
    expect(text).toMatch(/2026-07-03 10:00 +run_\S+ +4f2c9e1 +❌ fail +70\.0% ╎\n/);
    expect(text).toMatch(/2026-07-02 10:00 .* 85\.0%, −5\.0 points\n/);
    expect(text).toContain("╎ the grader, the data set or the judge is another");
  });

  it("tells the difference from the last run of the same cases", () => {
    const some = past(3, 0.2);
    const not_selected = {
      tasks: [],
      candidates: [],
      cases: [{ task: "qa", selected: 2, of: 240, up_to: 1, only: ["c4*"] }],
    };
    const { suite } = some.run;
    const chosen = { ...some, run: { ...some.run, suite: { ...suite, not_selected } } };
    const rows = historyRows([past(1, 0.9), chosen, past(4, 0.8)]);
    const differences = rows.map(({ metrics }) => metrics[0]?.difference);
    expect(differences).toEqual([expect.closeTo(-0.1), null, null]);
  });

  it("keeps a run's name where the table is too narrow for all", () => {
    const text = renderHistory(historyRows(runs), { width: 70, runs });
    expect(text).toContain("run_20260703T000000_aaaaaa");
    expect(text).not.toContain("2026-07-03 10:00");
  });

  it("compares nothing with a run that was stopped", () => {
    const [last, first, second] = runs;
    if (!last || !first || !second) throw new Error("no run");
    const stopped = { ...second, run: { ...second.run, status: "cancelled" as const } };
    const rows = historyRows([first, stopped]);
    expect(rows.map(({ metrics }) => metrics[0]?.difference)).toEqual([null, null]);
  });

  it("lists what the newest run carries of the base branch, but for what is listed itself", () => {
    const [newest, first] = runs;
    if (!newest || !first) throw new Error("no run");
    const { baseline, git } = newest.run;
    const history = [
      point("aaaaaaa1", undefined, 0.5),
      point("aaaaaaa2", "2026-06-30T10:00:00Z", 0.6),
      point(git.sha, first.run.completed_at, 0.9),
    ];
    const carrier = {
      ...newest,
      run: { ...newest.run, baseline: baseline && { ...baseline, history } },
    };
    const all = [carrier, first];
    const rows = historyRows([...all, ...carriedRuns(all)]);
    expect(rows.map(({ at, commit, verdict }) => [at, commit?.slice(0, 8), verdict])).toEqual([
      ["2026-07-03T10:00:00Z", "4f2c9e1a", "fail"],
      ["2026-07-01T10:00:00Z", "4f2c9e1a", "fail"],
      ["2026-06-30T10:00:00Z", "aaaaaaa2", null],
      [null, "aaaaaaa1", null],
    ]);
    expect(rows[1]?.metrics).toMatchObject([{ value: 0.9, difference: null, break: true }]);
    expect(rows[2]?.metrics[0]?.difference).toBeCloseTo(0.1);
    const text = renderHistory(rows, { width: 120, runs: all });
    expect(text).toMatch(
      /^2026-06-30 10:00 +– +aaaaaaa +\(base branch\) +60\.0%, \+10\.0 points$/m,
    );
    expect(historyCsv(rows)).toContain(
      "support-bot,,,2026-06-30T10:00:00Z,aaaaaaa2,completed,,qa,",
    );
  });

  it("is CSV that no table program takes for formulas", () => {
    const [first] = runs;
    if (first === undefined) throw new Error("no run");
    const suite = { ...first.run.suite, name: '=HYPERLINK("http://evil")' };
    const csv = historyCsv(historyRows([{ ...first, run: { ...first.run, suite } }]));
    const [head = "", line = ""] = csv.split("\n");
    expect(head.split(",")).toHaveLength(16);
    expect(line.startsWith('"\'=HYPERLINK(""http://evil"")",run_')).toBe(true);
  });

  it("lets no name act on the terminal", () => {
    const [first] = runs;
    if (first === undefined) throw new Error("no run");
    const suite = { ...first.run.suite, name: "x\u001b[2J::error::y" };
    const evil = [{ ...first, run: { ...first.run, suite } }];
    const text = renderHistory(historyRows(evil), { width: 100, runs: evil });
    expect(text).not.toContain("\u001b");
    expect(text).not.toMatch(/^\s*::/m);
  });
});
