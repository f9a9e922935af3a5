import type { Candidate, GenerateRequest, Generated } from "../domain/ports.ts";
import { createLineReader, type ReadLineAt } from "./line-reader.ts";
import type { CandidateTools, OpenedCandidate } from "./open.ts";
import { readRecording, type Recording, type ReplaySpec } from "./recording.ts";
import { indexRecordings, type RecordingIndex, type RecordingKey } from "./recordings.ts";

/** Nothing waits for anything: as many as keep the stages after it busy. */
const replayConcurrency = 256;

/**
 * Recorded outputs, as a candidate. Nothing but the places of the lines is kept in memory.
 * Of several recordings that serve a sample the most precise one does: of its task and repeat, of its task,
 * of its repeat, of the case.
 */
export async function openReplay(
  spec: ReplaySpec,
  tools: Pick<CandidateTools, "readBytes" | "openFile" | "hashText">,
): Promise<OpenedCandidate> {
  const indexed = await indexRecordings(spec, tools);
  if ("problems" in indexed) return indexed;
  const file = await tools.openFile(spec.file.absolute);
  const find = createFinder(spec, indexed.index, createLineReader(file));
  const candidate: Candidate = {
    id: spec.id,
    generate: find,
    concurrency: replayConcurrency,
    costly: false,
    recorded: true,
    close: file.close,
  };
  const { model = null, output_field, id_field } = spec;
  const hash = { kind: "replay", file: indexed.index.hash, model, output_field, id_field };
  return { candidate, hash };
}

function createFinder(
  spec: ReplaySpec,
  index: RecordingIndex,
  lineAt: ReadLineAt,
): (request: GenerateRequest) => Promise<Generated> {
  const precisions = [
    { task: true, repeat: true },
    { task: true, repeat: false },
    { task: false, repeat: true },
    { task: false, repeat: false },
  ].filter(index.has);
  return async ({ taskId, caseId, repeat }) => {
    for (const precision of precisions) {
      const key: RecordingKey = {
        caseId,
        taskId: precision.task ? taskId : undefined,
        repeat: precision.repeat ? repeat : undefined,
      };
      const offset = index.offsetOf(key);
      if (offset !== undefined) return readAgain(spec, await lineAt(offset), key);
    }
    return {
      kind: "unavailable",
      type: "no_recording",
      message: `${spec.file.path} has no recording of case '${caseId}' (task ${taskId}, repeat ${repeat})`,
    };
  };
}

/** The line is checked again: the file may have changed, and two keys may share a digest. */
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
