import { basename, dirname, isAbsolute, join } from "node:path";
import type { AgentSpec } from "../../model/models/agent.ts";
import type { Withheld } from "../../model/ports/fence.ts";
import { Refusal } from "../../model/refusal.ts";
import type { CandidateTools } from "../open.ts";
import type { FencedProgram } from "./open.ts";

/** A tested fence, and the files that the program may use in addition to the system's. */
export interface Fence {
  readonly read: readonly string[];
  /** Folders whose names can be listed, which importing from them requires. */
  readonly listed: readonly string[];
  readonly programs: readonly string[];
  /** Folders that the program works on as copies. */
  readonly copied: readonly string[];
  /** Home folders, which hold users' data but no installed programs. */
  readonly homes: readonly string[];
  /** Paths with their names in messages. A grant may lie inside such a path, but not contain it. */
  readonly around: readonly (readonly [string, string])[];
  /** Paths with their names in messages. A grant may neither contain such a path nor lie inside it. */
  readonly withheld: readonly (readonly [string, string])[];
}

/** The paths that a program is granted, and the paths that no grant may contain. */
export async function grantsOf(program: FencedProgram, tools: CandidateTools): Promise<Fence> {
  const { suite, withheld, environment } = tools;
  const { words, inputs, programs, copied } = program;
  const absolute = (path: string): string =>
    isAbsolute(path) ? path : join(suite.directory, path);
  const own = await filesOf(words.map(absolute), tools);
  const read = [...new Set([...own, ...Object.keys(inputs).map(absolute)])];
  return {
    read,
    listed: [...new Set(read.map((path) => dirname(path)))],
    programs: programs.map((name) => (name.includes("/") ? absolute(name) : name)),
    copied: copied.map(({ path }) => path),
    homes: [environment["HOME"] ?? ""].filter((path) => path !== ""),
    around: [[suite.root, "the checkout"]],
    withheld: [...withheldOf(suite), ...withheld].map(({ path, what }) => [path, what] as const),
  };
}

/** Folders that an agent receives as copies, with their keys in the manifest. */
export function copiedFor({ workspace: { folder }, skills }: AgentSpec): FencedProgram["copied"] {
  return [
    ...(folder === undefined ? [] : [{ path: folder.absolute, key: "workspace" }]),
    ...skills.map(({ absolute }) => ({ path: absolute, key: "skills" })),
  ];
}

/** Those of the paths that are files. */
async function filesOf(
  paths: readonly string[],
  { openFile }: CandidateTools,
): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => isFile(path, openFile)));
  return paths.filter((_, i) => found[i] === true);
}

/** True for a file that can be read. Errors that are neither a Refusal nor the system's are thrown. */
export async function isFile(path: string, openFile: CandidateTools["openFile"]): Promise<boolean> {
  try {
    const file = await openFile(path);
    try {
      await file.read(0, 1);
      return true;
    } finally {
      await file.close();
    }
  } catch (error) {
    // The path is no file, or it can't be read: the word is not a path.
    if (error instanceof Refusal || isSystemError(error)) return false;
    throw error;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

/** Files that decide how this suite's answers are judged. */
function withheldOf({ root, directory, path }: CandidateTools["suite"]): readonly Withheld[] {
  const manifest = basename(path);
  return [
    { path: join(directory, manifest), what: `the suite ${manifest}` },
    { path: join(root, ".git"), what: "git's own files" },
  ];
}
