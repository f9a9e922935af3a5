import type { ModelRef, Suite, Task } from "../../../src/model/definition/suite.ts";
import type { CandidateSpec } from "../../../src/model/definition/candidate-spec.ts";

/** A task of the base, or what a change makes of it. */
export function taskSpec(changes: Partial<Task> = {}): Task {
  return {
    id: "qa",
    name: undefined,
    type: undefined,
    dataset: {
      file: { path: "qa.jsonl", absolute: "/base/qa.jsonl" },
      format: "jsonl",
      id_field: undefined,
    },
    preprocess: undefined,
    prompt_template: "{{q}}",
    target_template: "{{a}}",
    choices: [],
    output_extraction: { type: "none" },
    grader: { type: "exact_match", options: {}, models: undefined },
    metrics: [
      {
        id: "exact_match",
        aggregation: "mean",
        higher_is_better: true,
        range: [0, 1],
        scale: "binary",
      },
    ],
    repeats: 1,
    slices: [],
    min_cases: 1,
    metadata: {},
    ...changes,
  };
}

export function slot(id: string, command = "app"): CandidateSpec {
  const shared = { inputs: [], env: [], pass: [], timeout_seconds: 10 };
  return { id, kind: "command", command: [command], ...shared };
}

export function suiteOf(changes: Partial<Suite> = {}): Suite {
  return {
    name: "qa",
    path: "evals/qa.yaml",
    directory: "/head/evals",
    root: "/head",
    schema_version: "2026-05-27",
    tasks: [taskSpec()],
    candidates: [slot("app")],
    concurrency: "auto",
    budget: { usd: undefined, tokens: undefined, minutes: undefined },
    judge_model: undefined,
    embedding_model: undefined,
    gate: { max_drop: 0.02 },
    publish: undefined,
    metadata: {},
    ...changes,
  };
}

export function modelRef(name: string, base_url = "http://127.0.0.1:1/v1"): ModelRef {
  const provider = {
    id: "local",
    base_url,
    api: "chat",
    api_key_env: undefined,
    builtin: false,
    passthrough: true,
    prices: {},
  } as const;
  return { model: `local:${name}`, name, provider };
}
