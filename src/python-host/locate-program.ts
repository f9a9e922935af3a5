import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { HeldProgramSpec } from "../model/ports/held-programs.ts";
import type { ProgramCopy } from "./program-files.ts";
import type { Environment } from "../model/ports/processes.ts";

type Located = { readonly program: string } | { readonly fault: string };

/**
 * The file that a command runs. A path names one of the program's own files. A name is looked up on the PATH; a file
 * found in a checkout must be installed there, because a script of the repository must be named by its path, so that it
 * is hashed.
 */
export async function locateProgram(
  { command, byOwnNode }: HeldProgramSpec,
  {
    copy,
    env,
    checkouts,
    interpreter,
  }: {
    readonly copy: ProgramCopy;
    /** The Python that runs graders: the one on the PATH may be a launcher, which needs the whole environment. */
    readonly interpreter: string;
    readonly env: Environment;
    readonly checkouts: readonly string[];
  },
): Promise<Located> {
  if (byOwnNode) return { program: process.execPath };
  if (command === "python3" || command === "python") return { program: interpreter };
  if (path.isAbsolute(command)) return installed(command, checkouts);
  if (command.includes("/")) return ownFile(command, copy);
  const found = await findOnPath(command, env);
  if (found !== undefined) return installed(found, checkouts);
  return {
    fault: `there is no program ${JSON.stringify(command)} on the PATH: install it before Regrade runs, or name a path`,
  };
}

/** The program that a name stands for. PATH folders that are relative, or can't be read, are skipped. */
export async function findOnPath(name: string, env: Environment): Promise<string | undefined> {
  for (const folder of (env["PATH"] ?? "").split(path.delimiter)) {
    const found = path.join(folder, name);
    if (path.isAbsolute(folder) && (await canRun(found))) return found;
  }
  return undefined;
}

async function ownFile(command: string, { directory, own }: ProgramCopy): Promise<Located> {
  const program = path.resolve(directory, command);
  if (!program.startsWith(own + path.sep) || !(await isThere(program)))
    return { fault: `${command} is not there, seen from the folder that it starts in` };
  if (!(await canRun(program)))
    return {
      fault: `${command} can't be run: set its mode in git (chmod +x), or name what runs it`,
    };
  return { program };
}

async function installed(program: string, checkouts: readonly string[]): Promise<Located> {
  if (!(await canRun(program))) return { fault: `${program} is not there, or can't be run` };
  const real = await realpath(program);
  const inside = [program, real].find((each) =>
    checkouts.some((folder) => each.startsWith(folder + path.sep)),
  );
  if (inside === undefined || inside.includes("/node_modules/") || (await isOfPython(inside)))
    return { program };
  return {
    fault: `${inside} lies in the repository: name it by its path from the manifest, so that it is a part of the grader`,
  };
}

/** Whether the program is in a virtual environment of Python. */
function isOfPython(program: string): Promise<boolean> {
  return isThere(path.join(path.dirname(program), "..", "pyvenv.cfg"));
}

async function canRun(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
