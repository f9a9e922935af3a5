import type { CandidateSpec } from "../../model/suite.ts";
import type { FileTools } from "../../tools.ts";
import { counterpartOf } from "./compose.ts";

type Replay = Extract<CandidateSpec, { kind: "replay" }>;

/** Candidates with recordings that the base lacks, or has with other content. */
export async function findRecorded(
  base: readonly CandidateSpec[],
  head: readonly CandidateSpec[],
  files: FileTools,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const each of head) {
    if (each.kind !== "replay") continue;
    const before = counterpartOf(each, base, head);
    const isKept = before?.kind === "replay" && (await sameRecording(before, each, files));
    if (!isKept) found.push(each.id);
  }
  return found;
}

async function sameRecording(one: Replay, other: Replay, files: FileTools): Promise<boolean> {
  const same = (["model", "output_field", "id_field"] as const).every(
    (key) => one[key] === other[key],
  );
  if (!same || (await files.inspectPath(one.file.absolute)).kind !== "file") return false;
  return sameBytes(files.readBytes(one.file.absolute), files.readBytes(other.file.absolute));
}

/** Chunks have equal sizes, except the last. */
/** Whether two files have the same bytes. */
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
