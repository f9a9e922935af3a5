import { access, readFile, realpath } from "node:fs/promises";
import { delimiter, join, relative, sep } from "node:path";
import { withSlashes } from "../base/slashes.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { shellWord } from "../report/shell-word.ts";
import { packageName } from "../wiring.ts";
import type { Environment } from "../model/ports/processes.ts";

/** The parts of a process that tell how it was started. */
interface Start {
  /** The script's absolute path, from `process.argv[1]`; undefined if there is none. */
  readonly script: string | undefined;
  readonly env: Environment;
  readonly workingDirectory: string;
}

/** The command's name on the PATH. */
export const ownName = "regrade";

/**
 * The words that start this program again in the user's shell: its name if that is on the PATH, else the package runner
 * or the path that started it.
 */
export async function invocationOf({ script, env, workingDirectory }: Start): Promise<string> {
  if (script === undefined) return ownName;
  const real = await realpath(script).catch(() => script);
  const fetched = await byRunner(withSlashes(real));
  if (fetched !== undefined) return fetched;
  if (await isOnPath(real, env["PATH"] ?? "")) return ownName;
  const [project, inPackages] = real.split(`${sep}node_modules${sep}`);
  if (inPackages !== undefined && `${workingDirectory}${sep}`.startsWith(`${project}${sep}`))
    return installed(env["npm_config_user_agent"] ?? "");
  const near = relative(workingDirectory, script);
  return `node ${shellWord(near.length < script.length ? near : script)}`;
}

/**
 * The command of a package runner that fetched this program for a single start; each runner keeps it in a folder of its
 * own kind.
 */
async function byRunner(real: string): Promise<string | undefined> {
  const [folder = ""] = real.split("/node_modules/");
  if (/\/_npx\/[^/]+$/.test(folder)) return byNpx(folder);
  if (/\/dlx\/[^/]+\/[^/]+$/.test(folder)) return `pnpm dlx ${await fetchedFrom(folder)}`;
  const [, bunx] = /\/bunx-\d+-([^/]+(?:\/[^/]+)?)$/.exec(folder) ?? [];
  if (bunx !== undefined) return `bunx ${shellWord(bunx.replace(/@latest$/, ""))}`;
  const [yarn] = /^.*\/dlx-\d+(?=\/)/.exec(real) ?? [];
  return yarn === undefined ? undefined : `yarn dlx ${await fetchedFrom(yarn)}`;
}

/** The npx command. npx records the requested packages as they were written. */
async function byNpx(folder: string): Promise<string> {
  const { _npx: asked } = await readPackage(folder);
  const listed = isJsonObject(asked) ? asked["packages"] : undefined;
  const packages = Array.isArray(listed) ? listed.filter((each) => typeof each === "string") : [];
  const [only = packageName, ...more] = packages;
  if (more.length === 0) return `npx ${shellWord(only)}`;
  return `npx ${packages.map((each) => `-p ${shellWord(each)}`).join(" ")} ${ownName}`;
}

/** The package as the runner resolved it: its exact version, or its source. */
async function fetchedFrom(folder: string): Promise<string> {
  const { dependencies } = await readPackage(folder);
  const version = isJsonObject(dependencies) ? dependencies[packageName] : undefined;
  if (typeof version !== "string") return packageName;
  return shellWord(/[:/]/.test(version) ? version : `${packageName}@${version}`);
}

async function readPackage(folder: string): Promise<JsonObject> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * True if the command's name leads to this program. npm adds package folders to the PATH of the processes that it
 * starts, but the user's shell does not have them. A file that is no link (a launcher written by a package manager)
 * can't be followed, and counts.
 */
async function isOnPath(real: string, path: string): Promise<boolean> {
  const folders = path.split(delimiter).filter((each) => each !== "" && !ofPackages.test(each));
  const names = process.platform === "win32" ? [`${ownName}.cmd`, `${ownName}.exe`] : [ownName];
  for (const file of folders.flatMap((folder) => names.map((name) => join(folder, name)))) {
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (!isThere) continue;
    // A shell starts the first match on the PATH.
    const target = await realpath(file).catch(() => file);
    return target === real || target === file;
  }
  return false;
}

const ofPackages = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

/** The command for a dependency of the project, started by the project's own package manager. */
function installed(userAgent: string): string {
  if (userAgent.startsWith("pnpm/")) return `pnpm exec ${ownName}`;
  if (userAgent.startsWith("yarn/")) return `yarn ${ownName}`;
  if (userAgent.startsWith("bun/")) return `bunx ${ownName}`;
  return `npx ${ownName}`;
}
