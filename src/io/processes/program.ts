import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, resolve } from "node:path";
import type { FindProgram } from "../../model/ports/processes.ts";
import { inspectPath } from "../files/files.ts";

/** Looks a program up as the system would: a name on the PATH of `env`, a path from the folder. */
export const findProgram: FindProgram = async ({ name, directory, env }) => {
  let isSeen = false;
  for (const path of candidates(name, directory, env)) {
    const { kind } = await inspectPath(path);
    if (kind !== "file") continue;
    if (await isExecutable(path)) return "found";
    isSeen = true;
  }
  return isSeen ? "not_executable" : "missing";
};

function candidates(
  name: string,
  directory: string,
  env: Readonly<Record<string, string>>,
): readonly string[] {
  if (name === "") return [];
  const isWindows = process.platform === "win32";
  const isPath = isWindows ? /[/\\]/.test(name) : name.includes("/");
  const folders = isPath ? [directory] : valueOf(env, "PATH").split(delimiter);
  const endings = isWindows ? ["", ...valueOf(env, "PATHEXT").split(";")] : [""];
  return folders.flatMap((folder) =>
    endings.map((ending) => resolve(directory, folder, name + ending)),
  );
}

/** Windows writes `Path`. */
function valueOf(env: Readonly<Record<string, string>>, name: string): string {
  const key = Object.keys(env).find((known) => known.toUpperCase() === name);
  return key === undefined ? "" : (env[key] ?? "");
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
