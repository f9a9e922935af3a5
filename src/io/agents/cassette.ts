import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { OpenCassette } from "../../model/models/cassette.ts";
import { type Json, jsonObjectIn } from "../../model/json.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Secrets } from "../../model/ports/secrets.ts";
import { inspectPath, readText } from "../files/files.ts";
import { makeFolders } from "../files/folders.ts";
import { writeFailed } from "../files/reason.ts";

/** A file of lines `{key, about, value}`: lines are only ever added, and the last one of a key counts. */
export function createOpenCassette({ stringify }: Pick<Secrets, "stringify">): OpenCassette {
  return async ({ file, mode }) => {
    const isThere = (await inspectPath(file.absolute)).kind === "file";
    const known = isThere ? readLines(await readText(file.absolute), file.path) : new Map();
    if (mode === "record") await makeFolders(dirname(file.absolute));
    let last: Promise<void> = Promise.resolve();
    const append = (line: string): Promise<void> => {
      last = last
        .then(() => appendFile(file.absolute, `${line}\n`))
        .catch((error: unknown) => {
          throw writeFailed(file.path, error);
        });
      return last;
    };
    return {
      find: (key) => known.get(key),
      keep: async (key, about, value) => {
        const line = stringify({ key, about, value });
        if (JSON.stringify(known.get(key)) === JSON.stringify(value)) return;
        known.set(key, value);
        await append(line);
      },
    };
  };
}

function readLines(text: string, path: string): Map<string, Json> {
  const known = new Map<string, Json>();
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const { key, value } = jsonObjectIn(line) ?? {};
    if (typeof key !== "string" || value === undefined)
      throw new Refusal(problem("cassette_unreadable", { path }, { file: path, line: i + 1 }));
    known.set(key, value);
  }
  return known;
}
