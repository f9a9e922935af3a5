import { randomBytes } from "node:crypto";
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { constants } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { OpenWorkspace } from "../../model/ports.ts";
import { reasonOf } from "../files/reason.ts";
import { captureFiles } from "./capture.ts";
import { fingerprintOf, type KnownFiles } from "./content.ts";
import { walk } from "./walk.ts";

/**
 * A fresh folder among the system's temporary ones, never in the checkout: `workspace` for the agent's work, `home` for its
 * private home, `tmp` for its temporary files. Nobody else on the machine may look into it.
 */
export const openWorkspace: OpenWorkspace = async ({ folders, files }) => {
  const base = await realpath(await mkdtemp(join(tmpdir(), "regrade-agent-")));
  const [directory, home, temporary] = ["workspace", "home", "tmp"].map((name) => join(base, name));
  if (directory === undefined || home === undefined || temporary === undefined)
    throw new RangeError("a workspace has three folders");
  const remove = (): Promise<void> => removeFolder(base);
  try {
    await Promise.all([directory, home, temporary].map((each) => mkdir(each)));
    const before: KnownFiles = new Map();
    for (const { source, target } of folders)
      await copyFolder(source, { directory, target }, before);
    for (const [path, text] of Object.entries(files)) {
      await writeInside(directory, path, text);
      before.set(path, fingerprintOf(Buffer.from(text)));
    }
    return {
      kind: "opened",
      directory,
      home,
      temporary,
      mark: randomBytes(12).toString("hex"),
      writeHome: (path, text) => writeInside(home, path, text),
      readHome: async (path) => readFile(join(home, path), "utf8").catch(() => undefined),
      capture: () => captureFiles(directory, before),
      remove,
    };
  } catch (error) {
    await remove();
    return { kind: "not_opened", message: `the workspace could not be made: ${reasonOf(error)}` };
  }
};

/** The bits that make a file a program are kept; files of a read-only checkout can be written here. */
async function copyFolder(
  source: string,
  { directory, target }: { readonly directory: string; readonly target: string },
  before: KnownFiles,
): Promise<void> {
  const files = await walk(source);
  const to = join(directory, target);
  const folders = new Set([to, ...files.map(({ path }) => dirname(join(to, path)))]);
  await Promise.all([...folders].map((each) => mkdir(each, { recursive: true })));
  await Promise.all(
    files.map(async ({ path, isLink }) => {
      const [from, into] = [join(source, path), join(to, path)];
      if (isLink) return copyLink(from, into, source);
      await copyFile(from, into, constants.COPYFILE_FICLONE);
      const { mode } = await lstat(into);
      if ((mode & 0o200) === 0) await chmod(into, mode | 0o200);
    }),
  );
  // Read from the copy: the checkout may be changed meanwhile.
  await Promise.all(
    files.map(async ({ path, isLink }) => {
      const name = target === "" ? path : `${target}/${path}`;
      before.set(name, isLink ? undefined : fingerprintOf(await readFile(join(to, path))));
    }),
  );
}

/** A link stays one inside the folder; one that leads out of it is refused, as the agent would work on the checkout. */
async function copyLink(from: string, into: string, source: string): Promise<void> {
  const leads = await readlink(from);
  const way = relative(source, resolve(dirname(from), leads));
  if (isAbsolute(leads) || isAbsolute(way) || way === ".." || way.startsWith(`..${sep}`))
    throw new Error(`the link ${relative(source, from)} leads out of the folder that is copied`);
  await symlink(leads, into);
}

async function writeInside(directory: string, path: string, text: string): Promise<void> {
  const absolute = join(directory, path);
  await mkdir(dirname(absolute), { recursive: true });
  await writeFile(absolute, text, { mode: 0o600 });
}

/** An agent may have taken away its own right to look into a folder. */
async function removeFolder(base: string): Promise<void> {
  const remove = (): Promise<void> => rm(base, { recursive: true, force: true, maxRetries: 3 });
  await remove().catch(async () => {
    await openFolders(base);
    await remove().catch(() => undefined);
  });
}

async function openFolders(base: string): Promise<void> {
  await walk(base, (folder) => chmod(folder, 0o700).catch(() => undefined)).catch(() => undefined);
}
