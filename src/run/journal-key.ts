import { createHash } from "node:crypto";
import { candidateKinds } from "../model/definition/candidate-kinds.ts";
import type { ReadBytes } from "../model/ports/files.ts";
import type { RunStart } from "../model/ports/store.ts";
import type { Prepared } from "../suite/prepare.ts";

/**
 * Makes the key by which a run's journals are encrypted while its candidates may be asked; undefined if no candidate can
 * read files. The key is made from the salt and then all bytes of the data sets. So only a program that has all answers
 * can make it, and a change can't bring a part of it that was computed before the run.
 */
export function journalKeyOf(
  { tasks, candidateSpecs, recorded }: Prepared,
  readBytes: ReadBytes,
): RunStart["makeKey"] {
  const areReaders = candidateSpecs.some(
    ({ kind }) => candidateKinds[kind].program || kind === "http",
  );
  if (recorded !== undefined || !areReaders) return undefined;
  return async (salt) => {
    const hash = createHash("sha256").update(salt);
    for (const { files } of tasks) {
      const source = files?.source;
      if (source?.inline !== undefined) hash.update(source.inline.text);
      else if (source !== undefined)
        for await (const chunk of readBytes(source.file.absolute)) hash.update(chunk);
    }
    return hash.digest();
  };
}
