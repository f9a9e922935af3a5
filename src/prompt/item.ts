import type { BatchSample } from "../model/grading.ts";
import type { Message } from "../model/models/message.ts";
import type {
  ExtractedFields,
  GraderItem,
  GraderSample,
  Row,
  Usage,
} from "../model/outcomes/sample.ts";
import { isAgentic, sessionOf } from "../model/models/session.ts";
import { choicesOf } from "./template.ts";
import { toolCallsOf, type Transcript } from "../model/models/transcript.ts";
import type { Workspace } from "../model/ports/workspace.ts";

/** Parts of an item besides the row. */
interface ItemParts {
  readonly prompt: string;
  readonly target: string | null;
  readonly choices: readonly string[];
  readonly taskId: string;
}

/**
 * The `item` of a grader's `grade(sample, item)`: the row's fields plus the convenience fields,
 * which win over fields of the same name. `reference_answer`, the target again, is added where the grader is.
 */
export function graderItem(row: Row, { prompt, target, choices, taskId }: ItemParts): GraderItem {
  const own = choicesOf(row, choices);
  return { ...row, prompt, target, choices: own, task_id: taskId };
}

/** An answer as a grader receives it. */
interface SampleParts {
  readonly outputText: string;
  readonly extractedOutput: string | null;
  readonly extractedFields?: ExtractedFields | undefined;
  /** Targets of graders that have their own. */
  readonly targets?: GraderSample["targets"];
  /** The candidate's slot name. */
  readonly model: string;
  readonly prompt: string;
  readonly taskId: string;
  readonly runId: string;
  readonly sampleId: string;
  readonly messages?: readonly Message[] | undefined;
  readonly transcript?: Transcript | null;
  readonly workspace?: Workspace | undefined;
  readonly usage?: Usage | null | undefined;
  readonly latencyMs?: number | null | undefined;
}

/** The `sample` of a grader's `grade(sample, item)`. */
export function graderSample(parts: SampleParts): GraderSample {
  return {
    output_text: parts.outputText,
    extracted_output: parts.extractedOutput,
    ...(parts.extractedFields && { extracted_fields: parts.extractedFields }),
    ...(parts.targets && { targets: parts.targets }),
    model: parts.model,
    prompt: parts.prompt,
    task_id: parts.taskId,
    run_id: parts.runId,
    sample_id: parts.sampleId,
    ...wayFields(parts),
  };
}

/**
 * Fields about the way to an answer: the conversation, tool calls, an agent's activity, files and effort. Absent for
 * parts that did not exist.
 */
export function wayFields(parts: {
  readonly messages?: readonly Message[] | undefined;
  readonly transcript?: Transcript | null;
  readonly workspace?: Workspace | undefined;
  readonly usage?: Usage | null | undefined;
  readonly latencyMs?: number | null | undefined;
}): Pick<
  BatchSample,
  "messages" | "transcript" | "tool_calls" | "skills" | "files" | "usage" | "latency_ms"
> {
  const { messages, transcript = null, workspace } = parts;
  return {
    ...(messages && { messages }),
    ...(transcript && { transcript, tool_calls: toolCallsOf(transcript) }),
    ...(workspace && { files: workspace.files }),
    ...(isAgentic(transcript) && effortFields(transcript, parts)),
  };
}

/** For agents only: an answer's effort differs each time, so comparing samples would find every one different. */
function effortFields(
  transcript: Transcript,
  { usage, latencyMs }: Parameters<typeof wayFields>[0],
): Pick<BatchSample, "skills" | "usage" | "latency_ms"> {
  return {
    skills: sessionOf(transcript).skills,
    ...(usage && { usage: { ...usage } }),
    ...(typeof latencyMs === "number" && { latency_ms: latencyMs }),
  };
}
