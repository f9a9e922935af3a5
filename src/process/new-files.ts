import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFailed } from "./journal.ts";
import { systemCode } from "./reason.ts";

/** A file that is to come into being. */
export interface NewFile {
  readonly absolute: string;
  readonly text: string;
}

/** Writes files and the folders around them. A file that came to exist meanwhile is left as it is, and told of as a failure. */
export async function createFiles(files: readonly NewFile[]): Promise<void> {
  for (const { absolute, text } of files) {
    try {
      await mkdir(dirname(absolute), { recursive: true });
      await writeFile(absolute, text, { flag: "wx" });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      throw writeFailed(absolute, error);
    }
  }
}

/** Adds a line to a file that may not exist. False where the file has it already, in one of its spellings. */
export async function addLine(
  absolute: string,
  line: string,
  spellings: readonly string[],
): Promise<boolean> {
  try {
    const before = await readIfThere(absolute);
    const lines = before.split(/\r?\n/).map((each) => each.trim());
    if ([line, ...spellings].some((each) => lines.includes(each))) return false;
    const gap = before === "" || before.endsWith("\n") ? "" : "\n";
    await appendFile(absolute, `${gap}${line}\n`);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw writeFailed(absolute, error);
  }
}

async function readIfThere(absolute: string): Promise<string> {
  try {
    return await readFile(absolute, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
}
