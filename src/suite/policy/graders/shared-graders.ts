import { basename, dirname } from "node:path";
import type {
  GraderProgram,
  GraderProgramSpec,
  OpenProgram,
  PythonTools,
} from "../../../model/ports/programs.ts";
import type { Tools } from "../../../tools.ts";

type StartPython = Tools["startPython"];
type FolderTools = Pick<Tools["files"], "haveSameFiles" | "inspectPath">;

/** The Python of one suite, and of further suites that share its graders if these are the same. */
export interface SharedGraders {
  /** Starts the Python of the suite that is opened first. That suite must be closed last. */
  readonly first: StartPython;
  /**
   * Starts the Python of a further suite once the first one is `opened`; only graders that the first one lacks get
   * processes.
   */
  readonly after: (opened: Promise<unknown>) => StartPython;
}

interface Known {
  readonly key: string;
  readonly spec: GraderProgramSpec;
  readonly program: GraderProgram;
}

/** The suite whose Python was started first. */
interface First {
  readonly starting: Promise<PythonTools>;
  readonly known: Set<Known>;
}

/**
 * Lets the suites of two policies use one program if both have the same grader, byte for byte. The loaded program
 * itself runs no job, and each fork runs only its own, so that the jobs of one suite can't reach the other's. A grader
 * that differs has processes of its own.
 */
export function shareGraders(start: StartPython, files: FolderTools): SharedGraders {
  let first: First | undefined;
  return {
    first: () => {
      const began: First = { starting: start(), known: new Set() };
      first = began;
      return began.starting.then((python) => ({ ...python, openProgram: keeping(python, began) }));
    },
    after: (opened) => async () => {
      if (first === undefined) return start();
      const ready = opened.then(
        () => undefined,
        () => undefined,
      );
      return further(await first.starting, { first, ready, start, files });
    },
  };
}

function keeping({ openProgram }: PythonTools, { known }: First): OpenProgram {
  return async (spec) => {
    const opened = await openProgram(spec);
    if ("refused" in opened) return opened;
    const { program } = opened;
    const entry = { key: keyOf(spec), spec, program };
    known.add(entry);
    const close = async (): Promise<void> => {
      known.delete(entry);
      await program.close();
    };
    return { program: { ...program, close } };
  };
}

interface Further {
  readonly first: First;
  /** Settles when the first suite is opened, or has failed to open. */
  readonly ready: Promise<void>;
  readonly start: StartPython;
  readonly files: FolderTools;
}

function further(python: PythonTools, { first, ready, start, files }: Further): PythonTools {
  let starting: Promise<PythonTools> | undefined;
  let started: PythonTools | undefined;
  const own = async (): Promise<PythonTools> => {
    starting ??= start();
    started = await starting;
    return started;
  };
  return {
    version: python.version,
    openProgram: async (spec) => {
      await ready;
      // Without Landlock a grader may also read the files in its suite's other folders.
      const isHeld = python.sandbox()?.level.includes("landlock") === true;
      const program = await sameAs(spec, first.known, { files, isHeld });
      // The first suite closes it.
      if (program !== undefined) return { program: { ...program, close: async () => undefined } };
      return (await own()).openProgram(spec);
    },
    openPreprocessor: async (spec) => (await own()).openPreprocessor(spec),
    openHeldProgram: async (spec) => (await own()).openHeldProgram(spec),
    searchRegex: async (...asked) => (await own()).searchRegex(...asked),
    checkRegex: async (...asked) => (await own()).checkRegex(...asked),
    probeRegex: async (...asked) => (await own()).probeRegex(...asked),
    sandbox: () => started?.sandbox() ?? python.sandbox(),
    close: async () => {
      const ending = await starting?.catch(() => undefined);
      await ending?.close();
    },
  };
}

/** Everything that identifies a grader, except the location of its file. */
function keyOf(spec: GraderProgramSpec): string {
  const { models: _, ...rest } = spec;
  return JSON.stringify(rest.kind === "file" ? { ...rest, absolutePath: "" } : rest);
}

/** A grader that asks models uses the budget of its own suite, and is therefore not shared. */
async function sameAs(
  spec: GraderProgramSpec,
  known: Iterable<Known>,
  { files, isHeld }: { readonly files: FolderTools; readonly isHeld: boolean },
): Promise<GraderProgram | undefined> {
  if (spec.models !== undefined) return undefined;
  const key = keyOf(spec);
  for (const each of known) {
    if (each.key !== key || each.spec.models !== undefined) continue;
    if (spec.kind !== "file" || each.spec.kind !== "file") return each.program;
    if (isHeld && (await areSame([each.spec.absolutePath, spec.absolutePath], files)))
      return each.program;
  }
  return undefined;
}

/** Whether two graders' files have the same name, and the folders that they may read have the same content. */
async function areSame(
  paths: readonly [string, string],
  { inspectPath, haveSameFiles }: FolderTools,
): Promise<boolean> {
  const [one, other] = await Promise.all([inspectPath(paths[0]), inspectPath(paths[1])]);
  if (basename(one.real) !== basename(other.real)) return false;
  return haveSameFiles(dirname(one.real), dirname(other.real));
}
