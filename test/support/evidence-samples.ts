import type { Sample } from "../../src/model/outcomes/sample.ts";
import type { Task } from "../../src/model/definition/suite.ts";

/** A task, and a sample of it that nothing is wrong with but an empty field. */
export const task: Task = {
  id: "qa",
  name: undefined,
  type: undefined,
  dataset: {
    file: { path: "qa.jsonl", absolute: "/repo/qa.jsonl" },
    format: "jsonl",
    id_field: undefined,
  },
  preprocess: undefined,
  prompt_template: "{{question}} {{meta.hint}}",
  target_template: "{{answer}}",
  choices: [],
  output_extraction: { type: "number" },
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
};

export const sample: Sample = {
  id: "sample_1",
  object: "eval.sample",
  run_id: "run_1",
  task_id: "qa",
  model: "main",
  case_id: "a",
  sample_index: 0,
  repeat: 0,
  dataset_row: { question: "6 × 7?", meta: { hint: " " } },
  prompt: "6 × 7?",
  target: "42",
  response_id: null,
  output_text: "It is 42",
  incomplete: false,
  transcript: null,
  model_calls: null,
  cached: false,
  extracted_output: "42",
  scores: { exact_match: 1 },
  judge: null,
  printed: null,
  status: "completed",
  error: null,
  usage: null,
  latency_ms: null,
  created_at: "2026-01-01T00:00:00Z",
  completed_at: "2026-01-01T00:00:00Z",
};
