import { basename, dirname } from "node:path";
import type {
  GraderProgram,
  GraderProgramSpec,
  OpenProgram,
  PythonTools,
} from "../../model/programs.ts";
import type { Tools } from "../../tools.ts";

type StartPython = Tools["startPython"];
type FolderTools = Pick<Tools["files"], "haveSameFiles" | "inspectPath">;

/** The Python of one suite, and of further suites that use its graders where theirs are the same. */
export interface SharedGraders {
  /** Starts the Python of the suite that is opened first. It must be closed last. */
  readonly first: StartPython;
  /** Starts that of a further suite once the first one is `opened`: a process only for what the first one has not. */
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
  readonly known: Known[];
}

/**
 * Lets the suites of two policies grade with one program where both have the same grader, byte for byte. Programs run no job
 * themselves, each fork only its own, so what one suite grades is out of the other's reach. A grader that differs has
 * processes of its own.
 */
export function shareGraders(start: StartPython, files: FolderTools): SharedGraders {
  let first: First | undefined;
  return {
    first: () => {
      const began: First = { starting: start(), known: [] };
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
    if ("program" in opened) known.push({ key: keyOf(spec), spec, program: opened.program });
    return opened;
  };
}

interface Further {
  readonly first: First;
  /** Settled when the first suite is opened, or can't be. */
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
      // Without Landlock a grader may read the files of its suite's other folders, too.
      const isHeld = python.sandbox()?.level.includes("landlock") === true;
      const program = await sameAs(spec, first.known, { files, isHeld });
      // It is the first suite's to close.
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

/** Everything that decides what a grader is but the place of its file. */
function keyOf(spec: GraderProgramSpec): string {
  const { models: _, ...rest } = spec;
  return JSON.stringify(rest.kind === "file" ? { ...rest, absolutePath: "" } : rest);
}

/** A grader that asks models does so by its own suite's budget, and is shared with none. */
async function sameAs(
  spec: GraderProgramSpec,
  known: readonly Known[],
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

/** Whether two graders' files are called alike, and their folders, which they may read, have the same content. */
async function areSame(
  paths: readonly [string, string],
  { inspectPath, haveSameFiles }: FolderTools,
): Promise<boolean> {
  const [one, other] = await Promise.all([inspectPath(paths[0]), inspectPath(paths[1])]);
  if (basename(one.real) !== basename(other.real)) return false;
  return haveSameFiles(dirname(one.real), dirname(other.real));
}
