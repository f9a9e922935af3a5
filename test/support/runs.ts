import { createLedger } from "../../src/ledger/ledger.ts";
import type { StoredRun } from "../../src/model/ports/store.ts";
import type { Run } from "../../src/model/outcomes/run.ts";
import type { Scores } from "../../src/model/outcomes/sample.ts";
import type { MetricSpec } from "../../src/model/definition/suite.ts";
import type { Gate } from "../../src/model/definition/gate.ts";
import { sfc32, type Random } from "../../src/stats/distributions/sfc32.ts";
import { exampleRun } from "../github/example-run.ts";

export interface RunParts {
  readonly id: string;
  /** By case; several numbers are its repeats. */
  readonly scores: readonly (number | readonly number[])[];
  readonly gate?: Gate;
  readonly metric?: Partial<MetricSpec>;
  /** Cluster of each case. */
  readonly clusters?: readonly string[];
  readonly run?: Partial<Run>;
  /** Numbers of a batch grader for all cases together. */
  readonly given?: Scores;
}

const metric: MetricSpec = {
  id: "em",
  aggregation: "mean",
  higher_is_better: true,
  range: [0, 1],
  scale: "binary",
};

/** A finished run of the suite `qa`, whose one metric is `em`. */
export function storedRun(parts: RunParts): StoredRun {
  const ledger = createLedger();
  const cases = parts.scores.map((one) => (typeof one === "number" ? [one] : one));
  for (const [i, repeats] of cases.entries()) {
    const id = `c${String(i).padStart(3, "0")}`;
    const common = { task: "qa", candidate: "main", case_id: id, content: id, slices: {} };
    const cluster = parts.clusters?.[i] ?? null;
    for (const [repeat, score] of repeats.entries())
      ledger.add({ ...common, repeat, outcome: "scored", scores: { em: score }, cluster });
  }
  if (parts.given !== undefined)
    ledger.give({ task: "qa", candidate: "main", metrics: parts.given, dropped: [] });
  const example = exampleRun({});
  const task = {
    fingerprint: {
      dataset: "d",
      preprocess: null,
      prompt: "p",
      extraction: "e",
      grader: "g",
      judge: null,
    },
    metrics: [{ ...metric, ...parts.metric }],
    repeats: cases[0]?.length ?? 1,
    min_cases: 1,
  };
  const total = cases.reduce((sum, repeats) => sum + repeats.length, 0);
  const run: Run = {
    ...example,
    id: parts.id,
    suite: { ...example.suite, name: "qa", gate: parts.gate ?? {}, tasks: { qa: task } },
    candidates: [{ id: "main", kind: "command", model: null }],
    request_counts: { total, completed: total, failed: 0 },
    ...parts.run,
  };
  return { directory: `runs/${parts.id}`, run, ledger };
}

/** From 0 to below 1. */
export function uniform(random: Random): number {
  return (random() + 0.5) / 2 ** 32;
}

/** Chances of cases to be answered right: beta with mean 0.8, so that two runs disagree on 12 % (Jöhnk's rejection). */
export function chances(count: number, random: Random): readonly number[] {
  return Array.from({ length: count }, () => {
    for (;;) {
      const x = uniform(random) ** (1 / 0.48);
      const y = uniform(random) ** (1 / 0.12);
      if (x + y <= 1 && x + y > 0) return x / (x + y);
    }
  });
}

/** Runs in which nothing changes: every case has the same chance in each of them. */
export function unchangedRuns(
  asked: { readonly cases: number; readonly runs: number; readonly repeats?: number },
  rest: Partial<RunParts> = {},
): readonly StoredRun[] {
  const random = sfc32([1, 2, 3]);
  const all = chances(asked.cases, random);
  const draw = (chance: number): number => (uniform(random) < chance ? 1 : 0);
  return Array.from({ length: asked.runs }, (_, i) =>
    storedRun({
      id: `r${i + 1}`,
      scores: all.map((chance) => Array.from({ length: asked.repeats ?? 1 }, () => draw(chance))),
      ...rest,
    }),
  );
}
