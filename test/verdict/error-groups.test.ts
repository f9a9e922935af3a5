import { describe, expect, it } from "vitest";
import type { Sample, SampleError } from "../../src/model/outcomes/sample.ts";
import { createErrorGroups } from "../../src/verdict/error-groups.ts";

const sample: Sample = {
  id: "sample_1",
  object: "eval.sample",
  run_id: "run_1",
  task_id: "qa",
  model: "main",
  case_id: "a",
  sample_index: 0,
  repeat: 0,
  dataset_row: {},
  prompt: "",
  target: null,
  response_id: null,
  output_text: null,
  incomplete: false,
  transcript: null,
  model_calls: null,
  cached: false,
  extracted_output: null,
  scores: {},
  judge: null,
  printed: null,
  status: "failed",
  error: null,
  usage: null,
  latency_ms: null,
  created_at: "2026-01-01T00:00:00Z",
  completed_at: "2026-01-01T00:00:00Z",
};

const timeOut: SampleError = {
  stage: "generate",
  fault: "infra",
  type: "timeout",
  message: "first",
};
const exit: SampleError = {
  stage: "generate",
  fault: "candidate",
  type: "exit_code",
  message: "1",
};

describe("errors by kind", () => {
  it("names the most frequent first, with the first words and some cases", () => {
    const groups = createErrorGroups();
    groups.add({ ...sample, error: exit });
    groups.add({ ...sample, case_id: "fine" });
    for (const name of "bcdefgh") {
      groups.add({ ...sample, case_id: name, error: { ...timeOut, message: `of ${name}` } });
    }
    expect(groups.groups()).toMatchObject([
      { type: "timeout", count: 7, message: "of b", caseIds: ["b", "c", "d", "e", "f"] },
      { type: "exit_code", count: 1, caseIds: ["a"] },
    ]);
  });
});
