import type { Extracted, Graded } from "../model/grading.ts";
import { invalidScores } from "../model/outcomes/counted-score.ts";
import type { Generated } from "../model/models/candidate.ts";
import type { Sample, SampleError } from "../model/outcomes/sample.ts";
import type { MetricSpec } from "../model/definition/suite.ts";

/** Fields of a sample that hold its result. */
export type SampleResult = Pick<
  Sample,
  | "output_text"
  | "response_id"
  | "usage"
  | "incomplete"
  | "format_error"
  | "transcript"
  | "workspace"
  | "extracted_output"
  | "extracted_fields"
  | "extraction_repairs"
  | "scores"
  | "judge"
  | "printed"
  | "model_calls"
  | "status"
  | "error"
>;

const ungraded = {
  extracted_output: null,
  scores: {},
  judge: null,
  printed: null,
  model_calls: null,
  status: "failed",
} as const;

/** The result of a sample without an answer. */
export function notAnswered(
  generated: Exclude<Generated, { readonly kind: "answered" }>,
): SampleResult {
  const ours = generated.kind === "unavailable" || generated.kind === "halted";
  const fault = ours ? "infra" : "candidate";
  const error = {
    stage: "generate",
    fault,
    type: generated.type,
    message: generated.message,
  } as const;
  const { incomplete = false, transcript = null, responseId = null, usage = null } = generated;
  const { workspace } = generated;
  const left = { transcript, ...(workspace && { workspace }) };
  const told = { output_text: null, incomplete, ...left, response_id: responseId, usage };
  return { ...told, ...ungraded, error };
}

/** The result of a sample whose extraction could not be done. */
export function notExtracted(
  extracted: Exclude<Extracted, { kind: "extracted" }>,
): typeof ungraded & { error: SampleError } {
  const { type, message } = extracted;
  return { ...ungraded, error: { stage: "extract", fault: "infra", type, message } };
}

/** The result of a graded sample; an invalid grade gets the scores that count for it. */
export function fromGrade(
  graded: Graded,
  metrics: readonly MetricSpec[],
): Pick<Sample, "scores" | "judge" | "printed" | "model_calls" | "status" | "error"> {
  const model_calls = graded.modelCalls ?? null;
  switch (graded.kind) {
    case "scored": {
      const { scores, judge, printed } = graded;
      return { scores, judge, printed, model_calls, status: "completed", error: null };
    }
    case "invalid": {
      const { type, message, judge, printed } = graded;
      const error = { stage: "grade", fault: "grader", type, message } as const;
      const counted = { scores: invalidScores(metrics), judge, printed, model_calls };
      return { ...counted, status: "completed", error };
    }
    case "ungraded": {
      const { type, message } = graded;
      const error = { stage: "grade", fault: "infra", type, message } as const;
      // The extraction stays in the sample: only the grade is missing.
      return { scores: {}, judge: null, printed: null, model_calls, status: "failed", error };
    }
  }
}
