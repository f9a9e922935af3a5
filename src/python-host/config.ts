import { mkdtemp } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import type { JsonObject } from "../model/json.ts";
import type { ProgramRefused, ProgramSource, SandboxReport } from "../model/ports/programs.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { FirstHost } from "./first.ts";
import { hostEnvironment } from "./interpreter.ts";
import { type PythonCommand, PythonProcess } from "./process.ts";
import type { PooledProgram } from "./program.ts";
import type { Environment } from "../model/ports/processes.ts";

/** Limit of hosts per program: more hosts than a runner has cores bring nothing. */
const mostHosts = 4;
/** Seconds after which the host counts as hanging, if samples run in the host process itself. */
export const inlineHangSeconds = 0.4;
const forks = process.platform !== "win32";

export interface HostOptions {
  /** The interpreter, as the user names it. */
  readonly python: string;
  /** Whether user code is sandboxed. */
  readonly sandbox: "auto" | "required" | "off";
  /** The folder of the Python side, `python/regrade`. */
  readonly packageDirectory: string;
  /** The parent's environment, of which hosts get only a small part. */
  readonly env: Environment;
  /** Number of hosts per program; default: one per core, at most 4. */
  readonly hosts?: number;
  /** Time limit of a grader's import; default 120. */
  readonly loadTimeoutSeconds?: number;
  /** Seconds that a sample has after its time-out before it is killed; default 0.5. */
  readonly graceSeconds?: number;
}

/** Shared by all hosts: one interpreter, one temporary folder, one shutdown. */
export interface HostConfig {
  readonly options: HostOptions;
  readonly interpreter: string;
  /** The host that was started before its use was known; undefined if it is used, or could not be started. */
  readonly takeFirst: () => Promise<FirstHost | undefined>;
  readonly temporary: string;
  readonly ending: AbortSignal;
  readonly sandboxed: (report: SandboxReport) => void;
}

/** Settings of a program in hosts, independent of its kind of jobs. */
export type HostSettings = Omit<
  PooledProgram<never>,
  "readAnswer" | "blame" | "unavailable" | "models" | "atOnce"
>;

/** Settings for hosts that load a program in the given sandbox mode. */
export function hostSettings(
  { options, interpreter, temporary, ending, sandboxed }: HostConfig,
  start: {
    readonly flags: readonly string[];
    readonly load: JsonObject;
    readonly home?: string;
    readonly first?: PythonProcess | undefined;
  },
): HostSettings {
  const loadTimeoutSeconds = options.loadTimeoutSeconds ?? 120;
  const directory = start.home ?? temporary;
  let { first } = start;
  return {
    start: () => {
      const started = first;
      first = undefined;
      return (
        started ?? new PythonProcess(hostCommand(options, { interpreter, directory, ...start }))
      );
    },
    load: { ...start.load, load_timeout_seconds: loadTimeoutSeconds },
    timeoutSeconds: 1,
    loadTimeoutSeconds,
    graceSeconds: options.graceSeconds ?? 0.5,
    hangSeconds: forks ? 3 : inlineHangSeconds,
    signal: ending,
    hosts: options.hosts ?? Math.min(mostHosts, availableParallelism()),
    sandboxed,
  };
}

/** Command that starts a host. `hello`: it reports its Python version before it receives what to load. */
export function hostCommand(
  { packageDirectory, env }: HostOptions,
  start: {
    readonly interpreter: string;
    readonly directory: string;
    readonly flags?: readonly string[];
    readonly hello?: boolean;
  },
): PythonCommand {
  const { interpreter, directory, flags = [], hello = false } = start;
  // -I: no PYTHON… variables, no user site. Not -B: our own modules are kept compiled, which halves the start; before
  // user code is imported the host turns it off, so that no __pycache__ appears in the user's repository. The command
  // names the file rather than its folder, because for a folder Python imports ten more modules.
  const main = path.join(packageDirectory, "__main__.py");
  const own = ["-I", "-X", "utf8", ...flags, main, ...(hello ? ["hello"] : [])];
  return { interpreter, arguments: own, directory, env: hostEnvironment(env, directory) };
}

/** Settings for a host of user code, with a private folder for writing. */
export async function userCode(
  { options, temporary, takeFirst }: HostConfig,
  { source, allowRead }: { readonly source: ProgramSource; readonly allowRead: readonly string[] },
): Promise<{ readonly home: string; readonly load: JsonObject; readonly first?: PythonProcess }> {
  const first = await takeFirst();
  const home = first?.home ?? (await mkdtemp(path.join(temporary, "host-")));
  const sandbox = { mode: options.sandbox, read: [...allowRead], write: home };
  return { home, load: { ...sourceOf(source), sandbox }, ...(first && { first: first.process }) };
}

function sourceOf(source: ProgramSource): JsonObject {
  switch (source.kind) {
    case "source":
      return { kind: source.kind, text: source.text, shown: source.shown };
    case "file":
      return {
        kind: source.kind,
        path: source.absolutePath,
        shown: source.shown,
        ...(source.class && { class: source.class }),
      };
    case "builtin":
      return { kind: source.kind, name: source.name, options: source.options };
  }
}

/**
 * The reason for refusing a program whose process ended during its import; if it never started, the program is not at
 * fault.
 */
export function refusedAsDead({ options: { python } }: HostConfig, reason: string): ProgramRefused {
  if (reason.startsWith("can't be started"))
    throw new Refusal(problem("python_missing", { python, reason }), { exit: 4 });
  const nowhere = { line: undefined, column: undefined, text: undefined, traceback: undefined };
  return { reason: "died", message: `its process ${reason}`, ...nowhere };
}
