import { expect, it } from "vitest";

import type { HistoryPoint } from "../../src/model/outcomes/history.ts";
import { meaningOf } from "../../src/model/outcomes/history.ts";
import { pageTrends } from "../../src/report/html/run-words.ts";
import * as examples from "./examples.ts";

const of = { task: "qa", candidate: "main", metric: "exact_match", slice: null };

it("the report's trend has every run that was carried on, and a break where scores came to mean something else", () => {
  const { baseline } = examples.failed;
  if (baseline === null) throw new Error("no baseline");
  const meaning = meaningOf(examples.failed);
  const history = Array.from({ length: 30 }, (_, i): HistoryPoint => {
    const mark = i < 12 ? { qa: "another grader" } : meaning;
    return { sha: `a91b03d${i}`, meaning: mark, values: [{ ...of, value: 0.9 }] };
  });
  const [trend] = pageTrends({ ...examples.failed, baseline: { ...baseline, history } }, () => 0);
  expect(trend?.values).toHaveLength(31);
  expect(trend?.breaks).toEqual([12]);
});
