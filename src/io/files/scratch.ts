import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Scratch } from "../../model/ports/files.ts";
import { refusingWrites } from "./reason.ts";
import { makeTemporaryFolder } from "./temporary.ts";

/** Lines are collected up to this size before a write. */
const bytesHeld = 256 * 1024;

/** A new file in a new temporary folder that no other user can read. */
export async function openScratch(): Promise<Scratch> {
  const folder = await makeTemporaryFolder("regrade-");
  const path = join(folder, "rows.jsonl");
  const handle = await refusingWrites(path, () => open(path, "wx", 0o600));
  let held: string[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    const text = held.join("");
    held = [];
    characters = 0;
    if (text !== "") await refusingWrites(path, () => handle.appendFile(text));
  };
  return {
    absolute: path,
    append: async (line) => {
      held.push(`${line}\n`);
      characters += line.length;
      if (characters >= bytesHeld) await flush();
    },
    finish: async () => {
      await flush();
      await handle.close();
    },
    remove: async () => {
      await handle.close().catch(() => undefined);
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}
