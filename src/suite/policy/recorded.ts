import { isDeepStrictEqual } from "node:util";
import type { ToldField } from "../../model/outcomes/policy.ts";
import type { FileRef, Suite } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import type { FileTools } from "../../tools.ts";
import { counterpartOf } from "./compose.ts";

/** The recording with a candidate's answers: that of a `replay`, or the cassette of an agent. */
interface Recording {
  readonly file: FileRef;
  /** The settings for reading the file. */
  readonly reading: readonly unknown[];
}

function recordingOf(candidate: CandidateSpec | undefined): Recording | undefined {
  if (candidate?.kind === "agent" && candidate.cassette?.mode === "replay")
    return { file: candidate.cassette.file, reading: [] };
  if (candidate?.kind !== "replay") return undefined;
  const { file, model, output_field, id_field } = candidate;
  return { file, reading: [model, output_field, id_field] };
}

/** Candidates with recordings that are missing on the base, or have other content there. */
export async function findRecorded(
  base: readonly CandidateSpec[],
  head: readonly CandidateSpec[],
  files: FileTools,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const each of head) {
    const own = recordingOf(each);
    if (own === undefined) continue;
    const before = recordingOf(counterpartOf(each, base, head));
    const isKept = before !== undefined && (await sameRecording(before, own, files));
    if (!isKept) found.push(each.id);
  }
  return found;
}

/**
 * Candidates that the base asks, but whose answers the change contains: as a recording, or as an answer in the
 * manifest. Pure.
 */
export function inPlaceOfAsking(base: Suite, head: Suite): readonly ToldField[] {
  const replaced = head.candidates.filter((each) => {
    const before = counterpartOf(each, base.candidates, head.candidates);
    return before !== undefined && isAsked(before) && !isAsked(each);
  });
  return base.tasks.flatMap(({ id: task }) =>
    replaced.map(({ id }) => ({ task, field: id, reader: "recording" }) as const),
  );
}

function isAsked(candidate: CandidateSpec): boolean {
  return candidate.kind !== "answer" && recordingOf(candidate) === undefined;
}

async function sameRecording(one: Recording, other: Recording, files: FileTools): Promise<boolean> {
  if (!isDeepStrictEqual(one.reading, other.reading)) return false;
  if ((await files.inspectPath(one.file.absolute)).kind !== "file") return false;
  return sameBytes(files.readBytes(one.file.absolute), files.readBytes(other.file.absolute));
}

/** Whether two files have the same bytes. Chunks have equal sizes, except the last. */
export async function sameBytes(
  one: AsyncIterable<Uint8Array>,
  other: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const theirs = other[Symbol.asyncIterator]();
  try {
    for await (const chunk of one) {
      const next = await theirs.next();
      if (next.done === true || Buffer.compare(chunk, next.value) !== 0) return false;
    }
    return (await theirs.next()).done === true;
  } finally {
    await theirs.return?.();
  }
}
