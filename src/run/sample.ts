import { cutText } from "../base/cut-text.ts";
import type { Extracted, Graded } from "../model/grading.ts";
import type { GenerateRequest, Generated } from "../model/models/candidate.ts";
import type { Answer } from "../model/ports/store.ts";
import { isoTime } from "../base/time.ts";
import { isLargerThan, mostPromptBytes } from "../base/written-size.ts";
import type { Json } from "../model/json.ts";
import { storedMessages, type Conversation, type Message } from "../model/models/message.ts";
import type { GraderSample, Sample } from "../model/outcomes/sample.ts";
import { callsTools, conversationOf } from "../model/models/transcript.ts";
import { graderSample } from "../prompt/item.ts";
import type { PreparedTask } from "../suite/opening/open-task.ts";
import type { TaskContext } from "./context.ts";
import type { PlannedSample } from "./plan.ts";
import { countSample, recordSample } from "./record.ts";
import { fromGrade, notAnswered, notExtracted, type SampleResult } from "./sample-result.ts";

/**
 * Runs one sample, unless an earlier attempt finished it: prompt, answer, extraction, grade, record. Never throws because
 * of the sample's content.
 */
export async function runSample(planned: PlannedSample, context: TaskContext): Promise<void> {
  const { run, beside } = context;
  const kept = run.store.finished.get(planned.id);
  beside?.begin(planned);
  try {
    if (kept === undefined) return await makeSample(planned, context);
    beside?.kept(planned);
    return countSample(planned, kept, context);
  } finally {
    beside?.done(planned);
  }
}

async function makeSample(planned: PlannedSample, context: TaskContext): Promise<void> {
  const { task, run, backpressure, beside } = context;
  backpressure.begin();
  const prompt = writePrompt(planned, task);
  const request = requestFor(planned, prompt, task);
  const answer = prompt.tooLarge
    ? notSent(prompt.tooLarge, run.tools.now())
    : await run.answers.find(planned, request);
  backpressure.answered();
  beside?.answered(planned, answer.generated);
  const finish = (result: SampleResult): Promise<void> =>
    recordSample(planned, wholeSample({ planned, prompt, answer, result }, context), context);
  if (answer.generated.kind !== "answered") return finish(notAnswered(answer.generated));
  const given = {
    ...givenIn(answer.generated),
    ...(await formatErrorIn(planned, answer.generated, task)),
  };
  const extracted = await task.extract(given.output_text, given.transcript);
  if (extracted.kind === "ungraded") return finish({ ...given, ...notExtracted(extracted) });
  const output = {
    outputText: given.output_text,
    extractedOutput: extracted.text,
    extractedFields: extracted.fields,
    transcript: given.transcript,
    workspace: given.workspace,
    usage: given.usage,
    latencyMs: latencyOf(answer),
  };
  const graded = await grade({ planned, prompt, output }, context);
  return finish({
    ...given,
    ...extractedIn(extracted),
    ...fromGrade(graded, task.spec.metrics),
  });
}

/** The prompt and the target; only the beginning of both if a sample can't hold them. */
interface Prompt {
  readonly text: string;
  /** The prompt as messages. */
  readonly conversation: Conversation | undefined;
  readonly target: string | null;
  readonly targets: GraderSample["targets"];
  /** The part that a sample can't hold: the prompt alone, or the target with it. */
  readonly tooLarge: "prompt" | "target" | undefined;
}

function writePrompt({ case: asked }: PlannedSample, task: PreparedTask): Prompt {
  const { text, messages, turns } = task.renderPrompt(asked);
  const target = task.renderTarget(asked.row);
  const targets = task.renderTargets(asked.row);
  const conversation = messages && { messages, turns: turns ?? [] };
  const sent = conversation ? askedTwice(text, conversation) : [text];
  const tooLarge = tooLargeOf(sent, [target, ...Object.values(targets ?? {})]);
  if (tooLarge === undefined) return { text, conversation, target, targets, tooLarge };
  const shown = { text: beginningOf(text), target: target && beginningOf(target) };
  return { ...shown, conversation: undefined, targets: undefined, tooLarge };
}

/** A sample stores messages twice: as one text and as messages. */
function askedTwice(text: string, { messages, turns }: Conversation): readonly Json[] {
  return [text, storedMessages(messages), storedMessages(turns)];
}

function tooLargeOf(
  asked: readonly Json[],
  targets: readonly (string | null)[],
): Prompt["tooLarge"] {
  if (!isLargerThan(mostPromptBytes, [...asked, ...targets])) return undefined;
  return isLargerThan(mostPromptBytes, asked) ? "prompt" : "target";
}

function beginningOf(text: string): string {
  const shown = 2000;
  return text.length > shown ? `${cutText(text, shown)}…` : text;
}

function requestFor(
  { candidate, case: { caseId, row }, repeat }: PlannedSample,
  { text, conversation }: Prompt,
  task: PreparedTask,
): GenerateRequest {
  const fields = task.fieldsFor(candidate.id, row);
  const instructions = task.instructionsFor(candidate.id, row);
  const toolResults = task.toolResultsFor?.(row);
  return {
    taskId: task.spec.id,
    caseId,
    repeat,
    prompt: text,
    fields,
    ...conversation,
    ...(toolResults && { toolResults }),
    ...(instructions !== undefined && { instructions }),
  };
}

/** The prompt is the candidate's responsibility; a target that makes the sample too large is nobody's fault. */
function notSent(tooLarge: "prompt" | "target", now: number): Answer {
  const isOwn = tooLarge === "prompt";
  const what = isOwn ? "the prompt takes" : "the prompt and the target take";
  const message = `${what} more than ${mostPromptBytes / 1024 / 1024} MiB as JSON`;
  const kind = isOwn ? "failed" : "unavailable";
  const generated: Generated = { kind, type: "prompt_too_large", message };
  return { generated, latencyMs: 0, createdAt: isoTime(now) };
}

type Answered = Extract<Generated, { kind: "answered" }>;

/** The fields of an answer that the sample stores. */
function givenIn(answer: Answered) {
  const { outputText, incomplete, transcript, responseId, usage, workspace } = answer;
  return {
    output_text: outputText,
    incomplete,
    transcript,
    response_id: responseId,
    usage,
    ...(workspace && { workspace }),
  };
}

/** Why a model's answer lacks the requested format. The answer is graded nevertheless. */
async function formatErrorIn(
  { id, candidate }: PlannedSample,
  { outputText, transcript }: Answered,
  task: PreparedTask,
): Promise<Pick<Sample, "format_error">> {
  // A tool call has no text that could have a format.
  if (outputText === "" && callsTools(transcript)) return {};
  const format_error = await task.checkFormat(candidate.id, { sampleId: id, outputText });
  return format_error === undefined ? {} : { format_error };
}

/** The fields of an extraction that the sample stores. */
function extractedIn({
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

const notGradedYet = { kind: "scored", scores: {}, judge: null, printed: null } as const;

async function grade(
  asked: {
    readonly planned: PlannedSample;
    readonly prompt: Prompt;
    readonly output: Pick<
      Parameters<typeof graderSample>[0],
      | "outputText"
      | "extractedOutput"
      | "extractedFields"
      | "transcript"
      | "workspace"
      | "usage"
      | "latencyMs"
    >;
  },
  { task, run, backpressure, beside }: TaskContext,
): Promise<Graded> {
  const { planned, prompt, output } = asked;
  const { gradeBatch, batchPart } = task.grader;
  // The scores come when all samples of the task are complete.
  if (gradeBatch !== undefined && batchPart === undefined) return notGradedYet;
  const { text, conversation, targets } = prompt;
  const sample = graderSample({
    ...output,
    targets,
    model: planned.candidate.id,
    prompt: text,
    taskId: task.spec.id,
    runId: run.store.runId,
    sampleId: planned.id,
    messages: conversation && storedConversation(conversation, output.transcript ?? null),
  });
  const item = task.buildItem(planned.case.row, { prompt: prompt.text, target: prompt.target });
  const started = run.tools.now();
  const grading = task.grader.grade(sample, item, beside?.answerOf(planned));
  backpressure.graded();
  const graded = await grading;
  run.totals.addGradeMs(run.tools.now() - started);
  return graded;
}

function storedConversation(
  asked: Conversation,
  transcript: Sample["transcript"],
): readonly Message[] {
  return storedMessages(conversationOf(asked, transcript));
}

/** Messages that were sent before a conversation broke off. */
function messagesOf(
  { conversation }: Prompt,
  { transcript, error }: SampleResult,
): Pick<Sample, "messages"> {
  if (conversation === undefined) return {};
  const isBroken = error?.stage === "generate";
  const asked = isBroken
    ? { ...conversation, turns: turnsAsked(conversation, transcript) }
    : conversation;
  return { messages: storedConversation(asked, transcript) };
}

function turnsAsked({ turns }: Conversation, transcript: Sample["transcript"]): readonly Message[] {
  const asked = (transcript ?? []).filter(
    ({ type, role }) => type === "message" && role === "user",
  );
  return turns.slice(0, asked.length);
}

/** The id comes first in the line, where the journal's compaction finds it. */
function wholeSample(
  parts: {
    readonly planned: PlannedSample;
    readonly prompt: Prompt;
    readonly answer: Answer;
    readonly result: SampleResult;
  },
  { task, run }: TaskContext,
): Sample {
  const { planned, prompt, answer, result } = parts;
  return {
    id: planned.id,
    object: "eval.sample",
    run_id: run.store.runId,
    task_id: task.spec.id,
    model: planned.candidate.id,
    case_id: planned.case.caseId,
    sample_index: planned.index,
    repeat: planned.repeat,
    dataset_row: planned.case.row,
    prompt: prompt.text,
    ...messagesOf(prompt, result),
    target: prompt.target,
    ...(prompt.targets && { targets: prompt.targets }),
    cached: answer.cached ?? false,
    latency_ms: latencyOf(answer),
    created_at: answer.createdAt,
    ...result,
    completed_at: isoTime(run.tools.now()),
  };
}

/** A recorded answer has the latency of its recording, so that regrading sees the same value. */
function latencyOf({ generated, latencyMs }: Answer): number {
  return (generated.kind === "answered" ? generated.tookMs : undefined) ?? latencyMs;
}
