import { createHash } from "node:crypto";
import { copyFile, lstat, mkdir, readFile, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { reasonOf } from "../io/files/reason.ts";
import type { HeldBase, HeldProgramSpec, NamedFile } from "../model/ports/held-programs.ts";
import type { ProgramFile } from "../model/ports/programs.ts";

/** Limits of a program's files. */
const mostFiles = 1000;
const mostBytes = 64 * 1024 * 1024;
/** Folders that don't belong to a program: git's own, and the one that Python writes by itself. */
const leftOut = new Set([".git", "__pycache__"]);

/** A private copy of a program's files: all that it sees of the repository, as it was when the program was opened. */
export interface ProgramCopy {
  /** The copy of the root. */
  readonly own: string;
  /** The copy of the folder that it starts in. */
  readonly directory: string;
  readonly files: readonly ProgramFile[];
}

interface Found {
  readonly absolute: string;
  readonly sha256: string | undefined;
}

/**
 * Copies a program's files into `own`, with their places in the repository. The program then reads exactly the files
 * that were hashed, even if a candidate changes the repository meanwhile.
 */
export async function copyProgram(
  spec: HeldProgramSpec,
  own: string,
): Promise<ProgramCopy | { readonly fault: string }> {
  const { base, directory } = spec;
  const start = placeIn(own, directory, base);
  if (start === undefined) return { fault: "it would start outside of the repository" };
  await mkdir(start, { recursive: true });
  const found = await findAll(spec);
  if ("fault" in found) return found;
  const files: ProgramFile[] = [];
  let bytes = 0;
  for (const { absolute, sha256 } of found.files) {
    const copied = await copyOne(absolute, { own, base });
    if ("fault" in copied) return copied;
    bytes += copied.bytes;
    if (bytes > mostBytes) return tooMuch;
    const name = relativeTo(base.directory, absolute);
    if (sha256 !== undefined && sha256 !== copied.sha256)
      return { fault: `${name} is not what it was when the suite was read: its hash differs` };
    files.push({ path: name, sha256: copied.sha256 });
  }
  return { own, directory: start, files };
}

const tooMuch = {
  fault: `a program may be made of ${mostFiles} files and 64 MiB at most: name fewer in \`files\``,
} as const;

async function findAll(
  spec: HeldProgramSpec,
): Promise<{ readonly files: readonly Found[] } | { readonly fault: string }> {
  const byPath = new Map<string, Found>();
  const inWords = await filesInWords(spec);
  for (const named of spec.wordsNameFiles ? [...spec.files, ...inWords] : spec.files) {
    const found = await findNamed(named, spec.base);
    if ("fault" in found) return found;
    for (const each of found.files)
      if (each.sha256 !== undefined || !byPath.has(each.absolute)) byPath.set(each.absolute, each);
    if (byPath.size > mostFiles) return tooMuch;
  }
  const unnamed = inWords.find(
    ({ path: name }) => !byPath.has(path.resolve(spec.base.directory, name)),
  );
  if (unnamed !== undefined) return { fault: unnamedWords(unnamed.path) };
  const files = [...byPath.values()].toSorted((a, b) => (a.absolute < b.absolute ? -1 : 1));
  return { files };
}

/** Words of the command that are paths of files from the folder that it starts in. */
async function filesInWords(spec: HeldProgramSpec): Promise<readonly NamedFile[]> {
  const { command, args, directory, base } = spec;
  // A bare name is looked up on the PATH.
  const words = [...(command.includes("/") ? [command] : []), ...args];
  const named = await Promise.all(
    words.map(async (word) => {
      if (word === "" || path.isAbsolute(word) || word.includes("\0")) return [];
      const absolute = path.resolve(directory, word);
      const isFile = isWithin(absolute, base.root) && (await kindOf(absolute)) === "file";
      return isFile ? [{ path: relativeTo(base.directory, absolute), sha256: undefined }] : [];
    }),
  );
  return named.flat();
}

function unnamedWords(name: string): string {
  return `${name} is a file of the repository: name it in \`files\` as {path, sha256}, as a program that a row names is a part of the row`;
}

async function findNamed(
  { path: name, sha256 }: NamedFile,
  base: HeldBase,
): Promise<{ readonly files: readonly Found[] } | { readonly fault: string }> {
  const absolute = path.resolve(base.directory, name);
  if (!isWithin(absolute, base.root)) return { fault: `${name} leads out of the repository` };
  const kind = await kindOf(absolute);
  if (kind === "file") return { files: [{ absolute, sha256 }] };
  if (kind === undefined || sha256 !== undefined) return { fault: `${name} is not there` };
  const files = await filesBeneath(absolute);
  return { files: files.map((each) => ({ absolute: each, sha256: undefined })) };
}

async function filesBeneath(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const left = [folder];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const absolute = path.join(next, entry.name);
      if (entry.isDirectory()) {
        if (!leftOut.has(entry.name)) left.push(absolute);
      } else if (entry.isFile() || entry.isSymbolicLink()) found.push(absolute);
      if (found.length > mostFiles) return found;
    }
  }
  return found.toSorted();
}

async function copyOne(
  absolute: string,
  { own, base }: { readonly own: string; readonly base: HeldBase },
): Promise<{ readonly sha256: string; readonly bytes: number } | { readonly fault: string }> {
  const name = relativeTo(base.directory, absolute);
  try {
    const real = await realpath(absolute);
    const isOutside = !isWithin(real, await realpath(base.root));
    const steps = real.split(path.sep);
    if (isOutside) return { fault: `${name} is a link that leads out of the repository` };
    if (steps.includes(".git")) return { fault: `${name} is git's own` };
    const target = placeIn(own, absolute, base);
    if (target === undefined) return { fault: `${name} leads out of the repository` };
    await mkdir(path.dirname(target), { recursive: true });
    await copyFile(real, target);
    const content = await readFile(target);
    return {
      sha256: createHash("sha256").update(content).digest("hex"),
      bytes: content.byteLength,
    };
  } catch (error) {
    return { fault: `${name} can't be read: ${reasonOf(error)}` };
  }
}

/** The place of a repository's path in the copy. */
function placeIn(own: string, absolute: string, { root }: HeldBase): string | undefined {
  return isWithin(absolute, root) ? path.join(own, path.relative(root, absolute)) : undefined;
}

function isWithin(absolute: string, folder: string): boolean {
  return absolute === folder || absolute.startsWith(folder.replace(/[/\\]$/, "") + path.sep);
}

function relativeTo(directory: string, absolute: string): string {
  return path.relative(directory, absolute).split(path.sep).join("/");
}

async function kindOf(absolute: string): Promise<"file" | "directory" | undefined> {
  try {
    const real = await realpath(absolute);
    const found = await lstat(real);
    return found.isFile() ? "file" : found.isDirectory() ? "directory" : undefined;
  } catch {
    return undefined;
  }
}
