import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject } from "../domain/json.ts";
import type {
  CheckRegex,
  Graded,
  GraderProgram,
  GraderProgramSpec,
  OpenProgram,
  SearchRegex,
} from "../domain/ports.ts";
import { problem, Refusal } from "../domain/refusal.ts";
import { readGraded } from "./python-answers.ts";
import type { HostFault } from "./python-host.ts";
import { findInterpreter, hostEnvironment } from "./python-interpreter.ts";
import type { Loaded } from "./python-loaded.ts";
import { openHosts, type PooledProgram, type RunningProgram } from "./python-program.ts";
import { createRegexTools } from "./python-regex.ts";

/** Hosts a program: more than a runner has cores help nobody. */
const mostHosts = 4;

export interface PythonOptions {
  /** The interpreter, as the user names it. */
  readonly python: string;
  /** The folder of the Python side, `python/regrade`. */
  readonly packageDirectory: string;
  /** The parent's environment; hosts get little of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Hosts a program; default: one a core, at most 4. */
  readonly hosts?: number;
  /** What a grader's import may take; default 120. */
  readonly loadTimeoutSeconds?: number;
  /** What a host is given beyond a time-out before it is killed; default 3. */
  readonly graceSeconds?: number;
  /** The wish to stop: what is nearly graded is finished, then the hosts end. */
  readonly signal?: AbortSignal;
}

export interface PythonTools {
  readonly version: string;
  readonly openProgram: OpenProgram;
  readonly searchRegex: SearchRegex;
  readonly checkRegex: CheckRegex;
  /** Ends all hosts, and removes their temporary folder. */
  readonly close: () => Promise<void>;
}

/**
 * Finds the interpreter and prepares its hosts, which start when they are needed.
 * Throws a Refusal where there is no Python 3.10 or newer.
 */
export async function startPython(options: PythonOptions): Promise<PythonTools> {
  const interpreter = await findInterpreter(options.python, options.env);
  const temporary = await mkdtemp(path.join(tmpdir(), "regrade-"));
  const ending = openEnding(options.signal);
  const house = { options, interpreter: interpreter.path, temporary, ending: ending.signal };
  const open = new Set<GraderProgram>();
  const regex = createRegexTools(hostProgram(house, { flags: ["-S"], load: { program: "regex" } }));
  return {
    version: interpreter.version,
    openProgram: async (spec) => {
      const opened = await openGraderProgram(house, spec);
      if ("program" in opened) open.add(opened.program);
      return opened;
    },
    searchRegex: regex.search,
    checkRegex: regex.check,
    close: async () => {
      await Promise.all([regex.close(), ...[...open].map((program) => program.close())]);
      ending.close();
      await rm(temporary, { recursive: true, force: true });
    },
  };
}

/** A stopped run has 5 s in all: for its candidates, its graders and its files. */
const stopGraceMilliseconds = 1500;

/** When all hosts end: a moment after the wish to stop, or with this process, which they would outlive in an endless loop. */
function openEnding(stop: AbortSignal | undefined): {
  readonly signal: AbortSignal;
  readonly close: () => void;
} {
  const over = new AbortController();
  const end = (): void => over.abort();
  const endSoon = (): void => void setTimeout(end, stopGraceMilliseconds).unref();
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

interface House {
  readonly options: PythonOptions;
  readonly interpreter: string;
  readonly temporary: string;
  readonly ending: AbortSignal;
}

type HostSettings = Omit<PooledProgram<never>, "readAnswer" | "blame" | "unavailable">;

function hostProgram(
  { options, interpreter, temporary, ending }: House,
  start: { readonly flags: readonly string[]; readonly load: JsonObject },
): HostSettings {
  const loadTimeoutSeconds = options.loadTimeoutSeconds ?? 120;
  // -I: no PYTHON… variables, no user site; -B: no __pycache__ in the user's repository.
  const flags = ["-I", "-B", "-X", "utf8", ...start.flags];
  return {
    command: {
      interpreter,
      arguments: [...flags, options.packageDirectory],
      directory: temporary,
      env: hostEnvironment(options.env, temporary),
    },
    load: { ...start.load, load_timeout_seconds: loadTimeoutSeconds },
    timeoutSeconds: 1,
    loadTimeoutSeconds,
    graceSeconds: options.graceSeconds ?? 3,
    signal: ending,
    hosts: options.hosts ?? Math.min(mostHosts, availableParallelism()),
  };
}

async function openGraderProgram(house: House, spec: GraderProgramSpec): ReturnType<OpenProgram> {
  const load = { program: "grader", ...loadFrame(spec) };
  const { loaded, running } = await openHosts<Graded>({
    ...hostProgram(house, { flags: [], load }),
    timeoutSeconds: spec.timeoutSeconds,
    readAnswer: readGraded,
    blame: (fault) => blame(fault, spec.timeoutSeconds),
    unavailable: (reason) => ({ kind: "ungraded", type: "host_not_started", message: reason }),
  });
  switch (loaded.kind) {
    case "ready":
      return { program: graderProgram(running, loaded) };
    case "refused":
      await running.close();
      return { refused: loaded.refused };
    case "died":
      await running.close();
      return died(house, loaded.reason);
  }
}

/** A process that never started is not the grader's fault. */
function died(house: House, reason: string): Awaited<ReturnType<OpenProgram>> {
  if (reason.startsWith("can't be started")) {
    const found = { python: house.options.python, reason };
    throw new Refusal(problem("python_missing", found), { exit: 4 });
  }
  const nowhere = { line: undefined, column: undefined, text: undefined, traceback: undefined };
  return { refused: { reason: "died", message: `its process ${reason}`, ...nowhere } };
}

function graderProgram(
  running: RunningProgram<Graded>,
  loaded: Extract<Loaded, { readonly kind: "ready" }>,
): GraderProgram {
  return {
    files: loaded.files,
    // The only time that a sample is written as JSON on its way to Python.
    grade: (sample, item) => running.run(JSON.stringify([sample, item])),
    close: running.close,
  };
}

function loadFrame(spec: GraderProgramSpec): JsonObject {
  const common = {
    kind: spec.kind,
    metric_id: spec.metricId,
    timeout_seconds: spec.timeoutSeconds,
  };
  switch (spec.kind) {
    case "source":
      return { ...common, text: spec.text, shown: spec.shown };
    case "file":
      return { ...common, path: spec.absolutePath, shown: spec.shown };
    case "builtin":
      return { ...common, name: spec.name, options: spec.options };
  }
}

/** What a sample says whose host ended under it: an invalid result, as an exception is. */
function blame(fault: HostFault, timeoutSeconds: number): Graded {
  const { type, message } = blamed(fault, timeoutSeconds);
  const judge = { invalid: true, payload: null, reason: message };
  return { kind: "invalid", type, message, judge, printed: null };
}

function blamed(
  fault: HostFault,
  timeoutSeconds: number,
): { readonly type: string; readonly message: string } {
  switch (fault.kind) {
    case "died":
      return { type: "host_died", message: `the grader's process ${fault.reason}` };
    case "timeout": {
      const message = `grade ran longer than ${timeoutSeconds} s (timeout_seconds) and did not let itself be interrupted: its process was killed`;
      return { type: "timeout", message };
    }
    case "forged": {
      const message = `the grader wrote into Regrade's own channel (${fault.reason}): its process was killed`;
      return { type: "forged_result", message };
    }
  }
}
