import type { CommentView } from "../../src/report/comment.ts";
import { here } from "./comment-examples.ts";
import * as examples from "./examples.ts";

/** A small failed run with one text from outside in every place that can have one. */
export function attacked(text: string): Extract<CommentView, { kind: "run" }> {
  const { failed, ids, rule, value } = examples;
  const place = { task: text, metric: text };
  const broke = [text, `${text} 2`].map((case_id) => ({ case_id, before: 1, after: 0 }));
  const failing = { count: 3, cases: [text, `${text} 2`] };
  const gate = {
    verdict: "fail" as const,
    reasons: [text, `a reason: ${text}`, `${text} begins a reason`],
    rules: [
      rule({ ...place, reason: text, slice: text, changed: { broke, fixed: broke, failing } }),
      rule({ ...place, reason: text, located: { reason: `where: ${text}`, places: [] } }),
      rule({
        ...place,
        reason: `hides: ${text}`,
        outcome: "met",
        code: "drop_not_proven",
        located: { reason: text, places: [] },
      }),
      rule({ metric: "other", changed: { broke: ids("plain", 8, 1), fixed: [] } }),
      rule({ ...place, outcome: "inconclusive", code: "not_comparable", reason: text }),
      rule({ ...place, kind: "must_pass", code: "cases_short", reason: text, level: "warn" }),
    ],
  };
  return {
    kind: "run",
    content: "full",
    circumstances: {
      ...here,
      baseBranch: text,
      noBaseline: text,
      runUrl: text,
      artifactUrl: `https://github.com/acme/${text}`,
      previous: { verdict: "pass", sha: text },
      severalSuites: true,
    },
    errors: [
      {
        task: text,
        candidate: text,
        stage: "grade",
        fault: "grader",
        type: text,
        count: 2,
        caseIds: [text, `${text} 2`],
        message: `${text} (graders/qa.py:3, in grade)`,
      },
    ],
    broken: broke.map(({ case_id: caseId }) => ({
      task: text,
      metric: text,
      candidate: "main",
      caseId,
      slices: { [`${text} field`]: text },
      asked: `${text} asked`,
      target: text,
      before: { score: 1, output: `before ${text}\n${text}` },
      after: { score: 0, output: `now ${text}\n${text}`, judge: { reason: text } },
    })),
    run: {
      ...failed,
      id: text,
      suite: {
        ...failed.suite,
        name: text,
        path: text,
        gate: { accept_label: text, policy_label: text },
        not_selected: { tasks: [text], candidates: [text] },
      },
      gate,
      policy: {
        source: text,
        sha: text,
        suite: "same",
        base_path: text,
        changed: [
          { part: "gate", task: text, effect: "changed", note: text },
          { part: "candidates", task: null, effect: "told", note: text },
        ],
        slots: { new: [text], missing: [text] },
        recorded: [text],
        base: gate,
        head: { ...gate, verdict: "pass" },
        decided_by: "base",
      },
      outputs_from: { repository: text, source: text },
      diagnoses: [text, "crash", "loss_message"].map((symptom) => {
        return { task: text, candidate: text, symptom, message: text, detail: text };
      }),
      metrics: [
        value(place),
        value({ ...place, slice: text }),
        value({ metric: "other", slice: `${text}=${text}` }),
      ],
      candidates: [
        { id: text, kind: "command", model: null },
        { id: `${text} 2`, kind: "replay", model: text },
      ],
      judge_model: text,
      embedding_model: text,
      git: { sha: text, base_sha: text, ref: text },
      baseline: {
        source: text,
        run_id: text,
        sha: text,
        age_days: 2,
        distance: 3,
        reason: text,
        comparable: { [`${text} task`]: false },
        notes: [text, `a note: ${text}`],
      },
      environment: { node: text, python: text, os: text, regrade: text },
      sandbox: { level: text, details: { missing: [text] } },
    },
  };
}
