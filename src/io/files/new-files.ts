import { appendFile, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { problem, Refusal } from "../../model/refusal.ts";
import { makeFolders } from "./folders.ts";
import { reasonOf, systemCode } from "./reason.ts";

/** A file that is to come into being. */
interface NewFile {
  readonly absolute: string;
  readonly text: string;
}

/**
 * Writes files and their folders: the folders first, so that nothing is written if one can't be made. A file that was
 * created meanwhile is kept, and reported as a failure.
 */
export async function createFiles(files: readonly NewFile[]): Promise<void> {
  const folders = new Set(files.map(({ absolute }) => dirname(absolute)));
  for (const folder of folders) await attempt(folder, () => makeFolders(folder));
  for (const { absolute, text } of files) {
    await attempt(absolute, () => writeFile(absolute, text, { flag: "wx" }));
  }
}

async function attempt(file: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    const reason = reasonOf(error);
    throw new Refusal(problem("init_write_failed", { file, reason }), { cause: error });
  }
}

/** Adds a line to a file that may not exist. False if the file has it already, in one of its spellings. */
export async function addLine(
  absolute: string,
  line: string,
  spellings: readonly string[],
): Promise<boolean> {
  let isAdded = false;
  await attempt(absolute, async () => {
    const before = await readIfThere(absolute);
    const lines = before.split(/\r?\n/).map((each) => each.trim());
    if ([line, ...spellings].some((each) => lines.includes(each))) return;
    const gap = before === "" || before.endsWith("\n") ? "" : "\n";
    await appendFile(absolute, `${gap}${line}\n`);
    isAdded = true;
  });
  return isAdded;
}

async function readIfThere(absolute: string): Promise<string> {
  try {
    return await readFile(absolute, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
}
