import type { Candidate, GenerateRequest, Generated } from "../model/models/candidate.ts";
import { Refusal } from "../model/refusal.ts";
import { createLineReader, type ReadLineAt } from "../base/line-reader.ts";
import type { CandidateTools, OpenedCandidate } from "./open.ts";
import { readRecording, type Recording, type ReplaySpec } from "./recording.ts";
import { indexRecordings, type RecordingIndex, type RecordingKey } from "./recordings.ts";

/** Concurrency of this kind. Answers come at once; this many keep the later stages busy. */
const replayConcurrency = 256;

/**
 * Opens recorded outputs as a candidate. Only the offsets of the lines are kept in memory. If several recordings match
 * a sample, the most specific one is used: by task and repeat, by task, by repeat, by case.
 */
export async function openReplay(
  spec: ReplaySpec,
  tools: CandidateTools,
): Promise<OpenedCandidate> {
  const indexed = await indexRecordings(spec, tools).catch((error: unknown) => {
    // The change deleted the file, so there is no answer to any case.
    if (spec.answeredBefore !== undefined && error instanceof Refusal) return { index: undefined };
    throw error;
  });
  if ("problems" in indexed) return indexed;
  const { index } = indexed;
  const file = index && (await tools.openFile(spec.file.absolute));
  const lineAt = file && createLineReader(file);
  const find = index && lineAt ? createFinder(spec, index, lineAt) : notRecorded(spec);
  const before = await openBefore(spec, tools);
  const candidate: Candidate = {
    id: spec.id,
    generate: async (request) => {
      const found = await find(request);
      const isLeftOut = isMissing(found) && (await before.has(request));
      return isLeftOut ? leftOut(found) : found;
    },
    concurrency: replayConcurrency,
    costly: false,
    recorded: true,
    ...(index && spec.answeredBefore === undefined && { recordings: recordingsIn(index) }),
    close: async () => {
      await file?.close();
      await before.close();
    },
  };
  const { model = null, output_field, id_field } = spec;
  const hash = { kind: "replay", file: index?.hash ?? null, model, output_field, id_field };
  return { candidate, hash };
}

type Find = (request: GenerateRequest) => Promise<Generated>;

function notRecorded({ file }: ReplaySpec): Find {
  return async ({ taskId, caseId, repeat }) => ({
    kind: "unavailable",
    type: "no_recording",
    message: `${file.path} has no recording of case '${caseId}' (task ${taskId}, repeat ${repeat})`,
  });
}

/**
 * Tells which answers the base has. A base's recording that can't be read, or that is made anew for each run, has none.
 */
async function openBefore(
  { id, answeredBefore }: ReplaySpec,
  tools: CandidateTools,
): Promise<{
  readonly has: (request: GenerateRequest) => Promise<boolean>;
  readonly close: () => Promise<void>;
}> {
  if (answeredBefore === undefined) return { has: async () => false, close: nothingOpen };
  if (answeredBefore === "all") return { has: async () => true, close: nothingOpen };
  const spec: ReplaySpec = { id, kind: "replay", ...answeredBefore };
  const opened = await openReplay(spec, tools).catch((error: unknown) => {
    if (error instanceof Refusal) return { problems: error.problems };
    throw error;
  });
  if ("problems" in opened) return { has: async () => false, close: nothingOpen };
  const { candidate } = opened;
  const { signal } = new AbortController();
  return {
    has: async (request) => !isMissing(await candidate.generate(request, signal)),
    close: candidate.close,
  };
}

async function nothingOpen(): Promise<void> {}

/** True if a line is missing or holds an infrastructure failure; in both cases there is no answer. */
function isMissing({ kind }: Generated): boolean {
  return kind === "unavailable";
}

/**
 * The failure for an answer that the change left out but the base has: otherwise a change could hide a wrong answer.
 */
function leftOut(generated: Generated): Generated {
  const words = "message" in generated ? generated.message : "there is no recording";
  const message = `${words}; the base has an answer to it, so it counts as failed`;
  return { kind: "failed", type: "recording_left_out", message };
}

/** Keys of a recording from the most to the least specific. */
const allPrecisions = [
  { task: true, repeat: true },
  { task: true, repeat: false },
  { task: false, repeat: true },
  { task: false, repeat: false },
];

function recordingsIn(index: RecordingIndex): NonNullable<Candidate["recordings"]> {
  const precisions = allPrecisions.filter(index.has);
  return {
    some: index.some,
    has: (sample) => precisions.some((each) => index.offsetOf(keyOf(sample, each)) !== undefined),
  };
}

function keyOf(
  { taskId, caseId, repeat }: Pick<GenerateRequest, "taskId" | "caseId" | "repeat">,
  precision: { readonly task: boolean; readonly repeat: boolean },
): RecordingKey {
  return {
    caseId,
    taskId: precision.task ? taskId : undefined,
    repeat: precision.repeat ? repeat : undefined,
  };
}

function createFinder(spec: ReplaySpec, index: RecordingIndex, lineAt: ReadLineAt): Find {
  const precisions = allPrecisions.filter(index.has);
  const none = notRecorded(spec);
  return async (request) => {
    for (const precision of precisions) {
      const key = keyOf(request, precision);
      const offset = index.offsetOf(key);
      if (offset !== undefined) return readAgain(spec, await lineAt(offset), key);
    }
    return none(request);
  };
}

/** Reads a line and checks it again: the file may have changed, and two keys may share a digest. */
function readAgain(spec: ReplaySpec, line: string | undefined, key: RecordingKey): Generated {
  const read = readRecording(line ?? "", spec, { file: spec.file.path });
  if (read.kind === "recording" && isFor(read.recording, key, spec))
    return read.recording.generated;
  return {
    kind: "unavailable",
    type: "recording_changed",
    message: `${spec.file.path} was changed while the run was reading it`,
  };
}

function isFor(recording: Recording, key: RecordingKey, spec: ReplaySpec): boolean {
  return (
    recording.caseId === key.caseId &&
    recording.taskId === key.taskId &&
    recording.repeat === key.repeat &&
    (spec.model === undefined || recording.model === spec.model)
  );
}
