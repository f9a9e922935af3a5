import { basename, dirname, isAbsolute, join } from "node:path";
import type { AgentSpec } from "../../model/agent.ts";
import type { Withheld } from "../../model/fence.ts";
import { Refusal } from "../../model/refusal.ts";
import type { CandidateTools } from "../open.ts";
import type { FencedProgram } from "./open.ts";

/** A fence that was tried, and the files that the program may use beside the system's. */
export interface Fence {
  readonly read: readonly string[];
  /** Folders whose names can be listed, which importing from them needs. */
  readonly listed: readonly string[];
  readonly programs: readonly string[];
  /** Folders whose copies it works on. */
  readonly copied: readonly string[];
  /** Folders that hold what users have, and are none that programs are installed in. */
  readonly homes: readonly string[];
  /** Paths and their names for people. A grant may lie in it, but not hold it. */
  readonly around: readonly (readonly [string, string])[];
  /** A grant may neither hold it nor lie in it. */
  readonly withheld: readonly (readonly [string, string])[];
}

/** Paths that a program is granted, and paths that no grant may contain. */
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

/** Folders that an agent is given as copies, with the manifest's keys. */
export function copiedFor({ workspace: { folder }, skills }: AgentSpec): FencedProgram["copied"] {
  return [
    ...(folder === undefined ? [] : [{ path: folder.absolute, key: "workspace" }]),
    ...skills.map(({ absolute }) => ({ path: absolute, key: "skills" })),
  ];
}

/** The words that name a file. */
async function filesOf(
  paths: readonly string[],
  { openFile }: CandidateTools,
): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => isFile(path, openFile)));
  return paths.filter((_, i) => found[i] === true);
}

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
    // No file, or none that can be read: a word like any other.
    if (error instanceof Refusal || isSystemError(error)) return false;
    throw error;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

/** Files that say how this suite's answers are judged. */
function withheldOf({ root, directory, path }: CandidateTools["suite"]): readonly Withheld[] {
  const manifest = basename(path);
  return [
    { path: join(directory, manifest), what: `the suite ${manifest}` },
    { path: join(root, ".git"), what: "git's own files" },
  ];
}
