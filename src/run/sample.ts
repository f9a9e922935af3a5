import type { Extract, Extracted, Graded, Grader } from "../model/grading.ts";
import type { Candidate, Generated } from "../model/ports.ts";
import type { Answer } from "../model/store.ts";
import type { JsonObject } from "../model/json.ts";
import { isoTime } from "../base/time.ts";
import { invalidScores } from "../model/counted-score.ts";
import { isLargerThan, mostPromptBytes } from "../base/written-size.ts";
import type { Case, GraderItem, Sample, SampleError } from "../model/sample.ts";
import type { MetricSpec } from "../model/suite.ts";

/** A sample before it is run. */
export interface PlannedSample {
  readonly id: string;
  /** Position in the whole plan of the task, from 0 and without gaps. */
  readonly sequence: number;
  /** Position among the candidate's samples. */
  readonly index: number;
  readonly repeat: number;
  readonly case: Case;
  readonly candidate: Candidate;
}

/** What the samples of a task are made with. */
export interface SampleTools {
  readonly taskId: string;
  readonly runId: string;
  readonly metrics: readonly MetricSpec[];
  readonly renderPrompt: (asked: Pick<Case, "row" | "content">) => string;
  readonly renderTarget: (row: JsonObject) => string | null;
  readonly buildItem: (
    row: JsonObject,
    rendered: { prompt: string; target: string | null },
  ) => GraderItem;
  readonly extract: Extract;
  readonly grade: Grader["grade"];
  /** An answer of an earlier attempt, or the candidate's, recorded. */
  readonly answer: (planned: PlannedSample, prompt: RenderedPrompt) => Promise<Answer>;
  readonly now: () => number;
}

/** A prompt, or the beginning of one that no sample has room for. */
export interface RenderedPrompt {
  readonly text: string;
  /** The part that a sample has no room for: the prompt alone, or the target with it. */
  readonly tooLarge: "prompt" | "target" | undefined;
}

/** Runs one sample through generation, extraction and grading. Never throws for what the sample brings. */
export async function runSample(planned: PlannedSample, tools: SampleTools): Promise<Sample> {
  const rendered = tools.renderPrompt(planned.case);
  const wholeTarget = tools.renderTarget(planned.case.row);
  const tooLarge = tooLargeOf(rendered, wholeTarget);
  const [prompt, target] = tooLarge
    ? [beginningOf(rendered), wholeTarget && beginningOf(wholeTarget)]
    : [rendered, wholeTarget];
  const answer = await tools.answer(planned, { text: prompt, tooLarge });
  const finish = (result: SampleResult): Sample =>
    wholeSample({ planned, prompt, target, answer, result }, tools);
  if (answer.generated.kind !== "answered") return finish(notAnswered(answer.generated));
  const { outputText, incomplete, transcript, responseId, usage } = answer.generated;
  const given = { output_text: outputText, incomplete, transcript, response_id: responseId, usage };
  const extracted = await tools.extract(outputText);
  if (extracted.kind === "ungraded") return finish({ ...given, ...notExtracted(extracted) });
  const graded = await tools.grade(
    {
      output_text: outputText,
      extracted_output: extracted.text,
      ...(extracted.fields && { extracted_fields: extracted.fields }),
      model: planned.candidate.id,
      prompt,
      task_id: tools.taskId,
      run_id: tools.runId,
      sample_id: planned.id,
    },
    tools.buildItem(planned.case.row, { prompt, target }),
  );
  return finish({
    ...given,
    ...fromExtraction(extracted),
    ...fromGrade(graded, tools.metrics),
  });
}

function tooLargeOf(prompt: string, target: string | null): RenderedPrompt["tooLarge"] {
  if (!isLargerThan(mostPromptBytes, [prompt, target])) return undefined;
  return isLargerThan(mostPromptBytes, [prompt]) ? "prompt" : "target";
}

function beginningOf(text: string): string {
  const shown = 2000;
  return text.length > shown ? `${text.slice(0, shown)}…` : text;
}

/**
 * The id comes first in the line: the journal's compaction finds it there.
 */
function wholeSample(
  parts: {
    readonly planned: PlannedSample;
    readonly prompt: string;
    readonly target: string | null;
    readonly answer: Answer;
    readonly result: SampleResult;
  },
  tools: SampleTools,
): Sample {
  const { planned, prompt, target, answer, result } = parts;
  return {
    id: planned.id,
    object: "eval.sample",
    run_id: tools.runId,
    task_id: tools.taskId,
    model: planned.candidate.id,
    case_id: planned.case.caseId,
    sample_index: planned.index,
    repeat: planned.repeat,
    dataset_row: planned.case.row,
    prompt,
    target,
    cached: answer.cached ?? false,
    latency_ms: answer.latencyMs,
    created_at: answer.createdAt,
    ...result,
    completed_at: isoTime(tools.now()),
  };
}

type SampleResult = Pick<
  Sample,
  | "output_text"
  | "response_id"
  | "usage"
  | "incomplete"
  | "transcript"
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

function notAnswered(generated: Exclude<Generated, { kind: "answered" }>): SampleResult {
  const ours = generated.kind === "unavailable" || generated.kind === "halted";
  const fault = ours ? "infra" : "candidate";
  const error = {
    stage: "generate",
    fault,
    type: generated.type,
    message: generated.message,
  } as const;
  const { incomplete = false, transcript = null, responseId = null, usage = null } = generated;
  const told = { output_text: null, incomplete, transcript, response_id: responseId, usage };
  return { ...told, ...ungraded, error };
}

function fromExtraction({
  text,
  fields,
  repairs,
}: Exclude<Extracted, { kind: "ungraded" }>): Pick<
  Sample,
  "extracted_output" | "extracted_fields" | "extraction_repairs"
> {
  return {
    extracted_output: text,
    ...(fields && { extracted_fields: fields }),
    ...(repairs && { extraction_repairs: repairs }),
  };
}

function notExtracted(
  extracted: Exclude<Extracted, { kind: "extracted" }>,
): typeof ungraded & { error: SampleError } {
  const { type, message } = extracted;
  return { ...ungraded, error: { stage: "extract", fault: "infra", type, message } };
}

function fromGrade(
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
      // What was extracted stays: only the grade is missing.
      return { scores: {}, judge: null, printed: null, model_calls, status: "failed", error };
    }
  }
}
