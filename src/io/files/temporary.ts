import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problem, Refusal } from "../../model/refusal.ts";
import { reasonOf } from "./reason.ts";

/** Makes a new temporary folder that no other user can read; its path, links followed. Whoever asks removes it. */
export async function makeTemporaryFolder(prefix: string): Promise<string> {
  return refusingTemporary(async () => mkdtemp(join(await realpath(tmpdir()), prefix)));
}

/** Work that writes temporary files: an error becomes the refusal that names their place. */
export async function refusingTemporary<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const found = { folder: tmpdir(), reason: reasonOf(error) };
    throw new Refusal(problem("temporary_failed", found), { cause: error, exit: 4 });
  }
}
