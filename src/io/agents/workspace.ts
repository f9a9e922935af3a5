import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { OpenedWorkspace, OpenWorkspace } from "../../model/ports/workspace.ts";
import { reasonOf } from "../files/reason.ts";
import { captureFiles } from "./capture.ts";
import { fingerprintOf, type KnownFiles } from "./content.ts";
import { openFolder, type SourceFolder } from "./folder.ts";
import { walk } from "./walk.ts";

/** Opens workspaces for a run: a folder is read once, for all that begin with it. */
export function createOpenWorkspace(): OpenWorkspace {
  const folders = new Map<string, Promise<SourceFolder>>();
  const folderAt = (source: string): Promise<SourceFolder> => {
    const found = folders.get(source) ?? openFolder(source);
    folders.set(source, found);
    return found;
  };
  return (wanted) => openWorkspace(wanted, folderAt);
}

/**
 * A fresh folder among the system's temporary ones, never in the checkout: `workspace` for the agent's work, `home` for its
 * private home, `tmp` for its temporary files. Nobody else on the machine may look into it.
 */
async function openWorkspace(
  wanted: Parameters<OpenWorkspace>[0],
  folderAt: (source: string) => Promise<SourceFolder>,
): ReturnType<OpenWorkspace> {
  let base: string | undefined;
  try {
    // All at once: each wait costs more than the work.
    base = realpathSync(mkdtempSync(join(tmpdir(), "regrade-agent-")));
    return await fillWorkspace(base, wanted, folderAt);
  } catch (error) {
    if (base !== undefined) await removeFolder(base);
    return { kind: "not_opened", message: `the workspace could not be made: ${reasonOf(error)}` };
  }
}

async function fillWorkspace(
  base: string,
  { folders, files }: Parameters<OpenWorkspace>[0],
  folderAt: (source: string) => Promise<SourceFolder>,
): Promise<OpenedWorkspace> {
  const [directory, home, temporary] = [
    join(base, "workspace"),
    join(base, "home"),
    join(base, "tmp"),
  ];
  for (const each of [directory, home, temporary]) mkdirSync(each);
  const before: KnownFiles = new Map();
  for (const { source, target } of folders)
    await (await folderAt(source)).copyTo(directory, target, before);
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
    remove: () => removeFolder(base),
  };
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
