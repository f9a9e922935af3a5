import { constants, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readFile, readlink, symlink } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fingerprintOf, type KnownFiles } from "./content.ts";
import { walk, type WalkedFile } from "./walk.ts";

/** Folders up to this size are held in memory while a run goes on: each sample begins with the same files, whatever becomes of them. */
const mostHeldBytes = 16 * 1024 * 1024;
const mostHeldFiles = 2000;

/** A folder to begin with. */
export interface SourceFolder {
  /** Writes it into a folder, and notes what it wrote. */
  readonly copyTo: (directory: string, target: string, before: KnownFiles) => Promise<void>;
}

type HeldFile = { readonly path: string } & (
  | { readonly link: string }
  | { readonly content: Buffer; readonly mode: number; readonly sha256: string }
);

/** Reads a folder once. A link that leads out of it is refused, as the agent would work on the checkout. */
export async function openFolder(source: string): Promise<SourceFolder> {
  const files = await walk(source);
  for (const file of files) if (file.isLink) await checkLink(source, file);
  const held = await holdFiles(source, files);
  return {
    copyTo: async (directory, target, before) => {
      const to = join(directory, target);
      if (held === undefined) await copyFiles({ source, files }, to);
      else writeFiles(held, to);
      await note({ files, held, to, target }, before);
    },
  };
}

async function checkLink(source: string, { path }: WalkedFile): Promise<void> {
  const from = join(source, path);
  const leads = await readlink(from);
  const way = relative(source, resolve(dirname(from), leads));
  if (isAbsolute(leads) || isAbsolute(way) || way === ".." || way.startsWith(`..${sep}`))
    throw new Error(`the link ${path} leads out of the folder that is copied`);
}

/** undefined: it is too large. */
async function holdFiles(
  source: string,
  files: readonly WalkedFile[],
): Promise<readonly HeldFile[] | undefined> {
  if (files.length > mostHeldFiles) return undefined;
  const held: HeldFile[] = [];
  let bytes = 0;
  for (const { path, isLink } of files) {
    const absolute = join(source, path);
    if (isLink) {
      held.push({ path, link: await readlink(absolute) });
      continue;
    }
    const { size, mode } = await lstat(absolute);
    bytes += size;
    if (bytes > mostHeldBytes) return undefined;
    const content = readFileSync(absolute);
    held.push({ path, content, mode: mode | 0o200, sha256: fingerprintOf(content) });
  }
  return held;
}

/** Writes all files at once, without waiting between them: a hundred small files take some milliseconds. */
function writeFiles(held: readonly HeldFile[], to: string): void {
  for (const folder of foldersIn(held, to)) mkdirSync(folder, { recursive: true });
  for (const file of held) {
    const absolute = join(to, file.path);
    if ("link" in file) symlinkSync(file.link, absolute);
    else writeFileSync(absolute, file.content, { mode: file.mode });
  }
}

function foldersIn(files: readonly { readonly path: string }[], to: string): ReadonlySet<string> {
  return new Set([to, ...files.map(({ path }) => dirname(join(to, path)))]);
}

/** Executable files stay executable; copies of a read-only checkout become writable. */
async function copyFiles(
  { source, files }: { readonly source: string; readonly files: readonly WalkedFile[] },
  to: string,
): Promise<void> {
  await Promise.all([...foldersIn(files, to)].map((each) => mkdir(each, { recursive: true })));
  await Promise.all(
    files.map(async ({ path, isLink }) => {
      const [from, into] = [join(source, path), join(to, path)];
      if (isLink) return symlink(await readlink(from), into);
      await copyFile(from, into, constants.COPYFILE_FICLONE);
      const { mode } = await lstat(into);
      if ((mode & 0o200) === 0) await chmod(into, mode | 0o200);
    }),
  );
}

interface Written {
  readonly files: readonly WalkedFile[];
  readonly held: readonly HeldFile[] | undefined;
  readonly to: string;
  readonly target: string;
}

/** For a large folder the copy is read: the original may have changed meanwhile. */
async function note({ files, held, to, target }: Written, before: KnownFiles): Promise<void> {
  const named = (path: string): string => (target === "" ? path : `${target}/${path}`);
  if (held !== undefined) {
    for (const file of held) before.set(named(file.path), "link" in file ? undefined : file.sha256);
    return;
  }
  for (const { path, isLink } of files)
    before.set(named(path), isLink ? undefined : fingerprintOf(await readFile(join(to, path))));
}
