import type { renderSummary } from "../../src/report/markdown/markdown.ts";
import type { Run } from "../../src/model/outcomes/run.ts";
import * as examples from "./examples.ts";
import { hostileText, random } from "./hostile.ts";

/** Every text that comes from outside is hostile and large: some 10 MB in all. */
export function hostileRun(seed: number): {
  run: Run;
  texts: Parameters<typeof renderSummary>[0]["broken"] & {};
} {
  const next = random(seed);
  return runOfTexts((size) => hostileText(next, size));
}

/** A run whose every text from outside is what `text` gives for about so many characters. */
export function runOfTexts(text: (size: number) => string): {
  run: Run;
  texts: Parameters<typeof renderSummary>[0]["broken"] & {};
} {
  const caseIds = Array.from({ length: 20 }, () => text(300));
  const changed = caseIds.map((case_id) => ({ case_id, before: 1, after: 0 }));
  const task = text(2000);
  const rules = Array.from({ length: 12 }, () =>
    examples.rule({
      task,
      metric: text(2000),
      reason: text(5000),
      slice: text(900),
      changed: { broke: changed, fixed: changed },
    }),
  );
  const run: Run = {
    ...examples.failed,
    id: text(500),
    suite: { ...examples.failed.suite, name: text(200_000), path: text(900) },
    gate: { verdict: "fail", reasons: [text(5000), text(5000)], rules },
    metrics: rules.map((rule) => examples.value({ task, metric: rule.metric, slice: rule.slice })),
    candidates: [
      { id: text(300), kind: "command", model: null },
      { id: text(300), kind: "replay", model: text(300) },
    ],
    baseline: {
      source: text(5000),
      run_id: text(500),
      sha: text(80),
      age_days: 0.2,
      distance: 3,
      comparable: { [text(100)]: false },
      notes: [text(5000), text(5000)],
    },
    environment: { node: text(50), python: text(50), os: text(50), regrade: text(50) },
    sandbox: { level: text(50), details: {} },
  };
  const texts = rules.flatMap((rule) =>
    caseIds.map((caseId) => ({
      task,
      candidate: "main",
      metric: rule.metric,
      caseId,
      slices: { [text(20)]: text(200) },
      before: { score: 1, output: text(20_000) },
      after: { score: 0, output: text(20_000), judge: { reason: text(2000) } },
    })),
  );
  return { run, texts };
}
