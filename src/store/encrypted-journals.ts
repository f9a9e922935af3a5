import { randomBytes } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { inspectPath, writeFileAtomically } from "../io/files/files.ts";
import { readLines } from "../io/files/lines.ts";
import { jsonObjectIn } from "../model/json.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { RunStart } from "../model/ports/store.ts";
import { encryptedLines, isEncrypted, isPlan, type StoredLines } from "./encrypted-lines.ts";
import { pathsIn, runFiles } from "./run-files.ts";

/** The encryption of a run's journals. */
export interface Encryption {
  readonly salt: string;
  readonly lines: StoredLines;
}

/** A new encryption, or the one of the run to resume. undefined: nothing needs to be encrypted. */
export async function openEncryption(start: RunStart): Promise<Encryption | undefined> {
  const { directory, makeKey, rerun = false, inputHash } = start;
  if (makeKey === undefined) return undefined;
  const found = await readPlan(directory);
  if (found?.salt !== undefined && found.inputHash !== inputHash)
    throw new Refusal(
      problem(rerun ? "rerun_other_input" : "resume_other_input", { out: directory }),
    );
  const salt = found?.salt ?? randomBytes(16).toString("hex");
  return { salt, lines: encryptedLines(await makeKey(salt)) };
}

/** The salt and the input hash of the last plan that has a salt. */
async function readPlan(
  directory: string,
): Promise<{ readonly salt: string; readonly inputHash: unknown } | undefined> {
  const path = pathsIn(directory).generated;
  if ((await inspectPath(path)).kind === "missing") return undefined;
  let found: { readonly salt: string; readonly inputHash: unknown } | undefined;
  for await (const { text, complete } of readLines(path)) {
    if (!complete || text.kind !== "text" || !isPlan(text.text)) continue;
    const { salt, input_hash: inputHash } = jsonObjectIn(text.text) ?? {};
    if (typeof salt === "string") found = { salt, inputHash };
  }
  return found;
}

/**
 * Encrypts the lines of a file that are not encrypted yet, and drops a torn last one. `more`: a last line, if the file
 * changes. False: it does not.
 */
export async function encryptFile(path: string, lines: StoredLines, more = ""): Promise<boolean> {
  if (!(await hasLine(path, (text) => !isEncrypted(text)))) return false;
  const write = lines.writer();
  await writeFileAtomically(
    path,
    rewritten(path, (text) => (isEncrypted(text) ? text : write(text)), more),
  );
  return true;
}

/** Encrypts the samples and answers of runs inside a run's directory. */
export async function encryptInside(directory: string, lines: StoredLines): Promise<void> {
  for (const path of await filesInside(directory, [runFiles.samples, runFiles.generated]))
    await encryptFile(path, lines);
}

/** Decrypts the samples in a run's directory and inside it. */
export async function decryptSamples(directory: string, lines: StoredLines): Promise<void> {
  const inside = await filesInside(directory, [runFiles.samples]);
  for (const path of [pathsIn(directory).samples, ...inside]) {
    if (await hasLine(path, isEncrypted))
      await writeFileAtomically(
        path,
        rewritten(path, (text, number) => lines.read(text, path, number)),
      );
  }
}

/** The size of a file in bytes; 0 if there is none. */
export async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.size ?? 0;
}

async function filesInside(
  directory: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((each) => each.isFile() && names.includes(each.name) && each.parentPath !== directory)
    .map((each) => join(each.parentPath, each.name));
}

async function hasLine(path: string, isWanted: (text: string) => boolean): Promise<boolean> {
  if ((await inspectPath(path)).kind === "missing") return false;
  for await (const { text, complete } of readLines(path))
    if (complete && text.kind === "text" && text.text !== "" && isWanted(text.text)) return true;
  return false;
}

async function* rewritten(
  path: string,
  write: (text: string, number: number) => string,
  more = "",
): AsyncGenerator<string> {
  for await (const { text, number, complete } of readLines(path)) {
    if (!complete) break;
    if (text.kind === "unreadable")
      throw new Refusal(problem("journal_damaged", text, { file: path, line: number }));
    if (text.text !== "") yield `${write(text.text, number)}\n`;
  }
  if (more !== "") yield `${more}\n`;
}
