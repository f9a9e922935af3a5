import { execFile } from "node:child_process";
import { access, constants, open } from "node:fs/promises";
import { resolve as resolvePath } from "node:path";
import { problem, Refusal } from "../model/refusal.ts";
import { reasonOf } from "../io/files/reason.ts";
import type { Environment } from "../model/ports/processes.ts";

export interface Interpreter {
  /** The interpreter itself, even if `python` was a launcher (pyenv, asdf). */
  readonly path: string;
  readonly version: string;
}

/** Imports only modules that are loaded anyway: imports take half of the time. */
const probe = "import sys; print(sys.executable); print(*sys.version_info[:3])";
const oldest = [3, 10] as const;

/** Determines the version of `python`. Throws a Refusal if it can't be started or is too old. */
export async function findInterpreter(python: string, env: Environment): Promise<Interpreter> {
  // The launchers need the whole environment; no user code runs here (-I -S).
  const output = await run(python, { ...env });
  const found = readProbe(output);
  if (found === undefined)
    throw missing(python, `it answered ${output.slice(0, 200).trim() || "nothing"}`);
  return {
    path: found.path === "" ? python : found.path,
    version: versionText(found.version, python),
  };
}

/** The version as text. Throws a Refusal if it is too old. */
export function versionText(numbers: readonly number[], python: string): string {
  const [major = 0, minor = 0] = numbers;
  const version = numbers.join(".");
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
    throw new Refusal(problem("python_old", { python, version }));
  return version;
}

/** First bytes of programs that the system runs directly, in hexadecimal: ELF, and Mach-O in its forms. */
const programStarts = ["7f454c46", "cffaedfe", "cefaedfe", "cafebabe"];

/**
 * The file that starting `python` runs, if it is an interpreter rather than a launcher: a launcher (pyenv, asdf) is a
 * script, and needs more of the environment than hosts are given. undefined for a launcher, or if the file is unknown.
 */
export async function findPythonProgram(
  python: string,
  env: Environment,
): Promise<string | undefined> {
  // On Windows a name on the PATH may be a stub that opens the store.
  if (process.platform === "win32") return undefined;
  const folders = python.includes("/") ? [""] : (env["PATH"] ?? "").split(":").filter(Boolean);
  for (const folder of folders) {
    const file = resolvePath(folder, python);
    const start = await startOf(file);
    if (start !== undefined) return programStarts.includes(start) ? file : undefined;
  }
  return undefined;
}

/** The file's first four bytes, in hexadecimal; undefined if it can't be executed. */
async function startOf(file: string): Promise<string | undefined> {
  try {
    await access(file, constants.X_OK);
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString("hex", 0, bytesRead);
  } catch {
    return undefined;
  }
}

function run(python: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      python,
      ["-I", "-S", "-c", probe],
      { env, timeout: 30_000 },
      (error, output, words) => {
        if (error === null) resolve(output);
        else reject(missing(python, words.trim().split("\n").at(-1) || reasonOf(error)));
      },
    );
  });
}

function readProbe(output: string): { path: string; version: readonly number[] } | undefined {
  const [path, version = ""] = output.split(/\r?\n/);
  const isVersion = /^\d+ \d+ \d+$/.test(version);
  return path === undefined || !isVersion
    ? undefined
    : { path, version: version.split(" ").map(Number) };
}

function missing(python: string, reason: string): Refusal {
  return new Refusal(problem("python_missing", { python, reason }));
}

/**
 * Environment variables passed to a host: those that a program needs to run, and none that could be a secret.
 * LD_LIBRARY_PATH because interpreters of actions/setup-python don't start without it.
 */
const handedOn = new Set([
  "PATH",
  "LANG",
  "LANGUAGE",
  "TZ",
  "LD_LIBRARY_PATH",
  "DYLD_LIBRARY_PATH",
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "WINDIR",
  "COMSPEC",
  "PATHEXT",
]);

/** The environment of a host: the allowed part of `env`, and a private temporary folder. */
export function hostEnvironment(env: Environment, temporary: string): Record<string, string> {
  const kept: Record<string, string> = { TMPDIR: temporary, TEMP: temporary, TMP: temporary };
  for (const [name, value] of Object.entries(env)) {
    const known = handedOn.has(name.toUpperCase()) || name.startsWith("LC_");
    if (known && value !== undefined) kept[name] = value;
  }
  return kept;
}
