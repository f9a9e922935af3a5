import { rm } from "node:fs/promises";
import { makeTemporaryFolder } from "../io/files/temporary.ts";
import type { SandboxReport, PythonTools } from "../model/ports/programs.ts";
import { openPythonGrader } from "./grader.ts";
import { type HostOptions, type HostConfig, hostSettings } from "./config.ts";
import { startFirst, type StartedFirst } from "./first.ts";
import { findInterpreter, findPythonProgram, type Interpreter } from "./interpreter.ts";
import { endedByExit } from "./program.ts";
import { createHeldPrograms } from "./held.ts";
import { openPreprocessorProgram } from "./preprocessor.ts";
import { createRegexTools } from "./regex.ts";
import { shareBuiltins } from "./shared-builtins.ts";

export interface PythonOptions extends HostOptions {
  /** Signal to stop: samples that are nearly graded are finished, then the hosts end. */
  readonly signal?: AbortSignal;
}

/**
 * Finds the interpreter and prepares its hosts, which start when they are needed.
 * Throws a Refusal if there is no Python 3.10 or newer.
 */
export async function startPython(options: PythonOptions): Promise<PythonTools> {
  const temporary = await makeTemporaryFolder("regrade-");
  const ending = openEnding(options.signal);
  const remove = async (): Promise<void> => {
    ending.close();
    // A grader can leave paths behind that are too long to be removed: no reason to lose a run.
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
  };
  try {
    const found = await findFirst(options, { temporary, ending: ending.signal });
    return openPython(options, { ...found, temporary, ending: ending.signal, remove });
  } catch (error) {
    await remove();
    throw error;
  }
}

interface Found {
  readonly interpreter: Interpreter;
  readonly first: StartedFirst;
}

/** The interpreter, and a first host started with it: it reports its own version, unless a launcher comes first. */
async function findFirst(
  options: PythonOptions,
  at: { readonly temporary: string; readonly ending: AbortSignal },
): Promise<Found> {
  const program = await findPythonProgram(options.python, options.env);
  if (program !== undefined) {
    const first = await startFirst(options, { ...at, interpreter: program });
    const interpreter = await orClose(first);
    if (interpreter !== undefined) return { interpreter, first };
  }
  // Also reports the reason if there is no Python, or one that is too old to run a host.
  const interpreter = await findInterpreter(options.python, options.env);
  return {
    interpreter,
    first: await startFirst(options, { ...at, interpreter: interpreter.path }),
  };
}

/** The host's report on itself; the host is closed if there is none or if it is unusable. */
async function orClose(first: StartedFirst): Promise<Interpreter | undefined> {
  let interpreter: Interpreter | undefined;
  try {
    interpreter = await first.interpreter();
  } finally {
    if (interpreter === undefined) await first.close();
  }
  return interpreter;
}

function openPython(
  options: PythonOptions,
  found: Found & {
    readonly temporary: string;
    readonly ending: AbortSignal;
    readonly remove: () => Promise<void>;
  },
): PythonTools {
  const { interpreter, first, temporary, ending, remove } = found;
  let report: SandboxReport | undefined;
  const config: HostConfig = {
    options,
    interpreter: interpreter.path,
    temporary,
    ending,
    takeFirst: first.take,
    sandboxed: (said) => (report ??= said),
  };
  const open = new Set<{ readonly close: () => Promise<void> }>();
  const held = createHeldPrograms(config);
  const regex = createRegexTools(
    hostSettings(config, { flags: ["-S"], load: { program: "regex" } }),
  );
  return {
    version: interpreter.version,
    openProgram: shareBuiltins(async (spec) => {
      const opened = await openPythonGrader(config, spec);
      if ("program" in opened) open.add(opened.program);
      return opened;
    }),
    openPreprocessor: async (spec) => {
      const opened = await openPreprocessorProgram(config, spec);
      if ("program" in opened) open.add(opened.program);
      return opened;
    },
    openHeldProgram: held.open,
    searchRegex: regex.search,
    checkRegex: regex.check,
    probeRegex: regex.probe,
    sandbox: () => report,
    close: async () => {
      const programs = [...open].map((program) => program.close());
      await Promise.all([held.close(), regex.close(), first.close(), ...programs]);
      await remove();
    },
  };
}

/** A stopped run has 5 s in all: for its candidates, its graders and its files. */
const stopGraceMilliseconds = 1500;

/**
 * Aborts when all hosts must end: shortly after the stop signal, or with this process, which they would outlive in an
 * endless loop.
 */
function openEnding(stop: AbortSignal | undefined): {
  readonly signal: AbortSignal;
  readonly close: () => void;
} {
  const over = new AbortController();
  const end = (): void => over.abort(endedByExit);
  const endSoon = (): void => void setTimeout(() => over.abort(), stopGraceMilliseconds).unref();
  process.once("exit", end);
  if (stop?.aborted === true) endSoon();
  stop?.addEventListener("abort", endSoon, { once: true });
  return {
    signal: over.signal,
    close: () => {
      process.off("exit", end);
      stop?.removeEventListener("abort", endSoon);
    },
  };
}
