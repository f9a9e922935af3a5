import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withSlashes } from "../../base/slashes.ts";

/** Files of a folder, and the changes since the last look. */
export interface FileWatcher {
  readonly files: () => number;
  /** Files that changed since the last look, relative to the folder; new ones are left out. */
  readonly look: () => Promise<readonly string[]>;
  /** Waits for files that change, are made or go; none if the signal came first. */
  readonly next: (signal: AbortSignal) => Promise<readonly string[]>;
}

/** Folders without sources of suites. Names that start with a dot are left out, too. */
const leftOut: ReadonlySet<string> = new Set(["node_modules", "__pycache__", "venv"]);
/** More are not looked at: a look would take too long. */
const mostFiles = 20_000;
const pauseMs = 250;
/** Looking takes a twentieth of the time at most. */
const share = 20;

type Seen = ReadonlyMap<string, string>;

/** Looks at a folder again and again: that works on every file system, and has no limit but time. */
export async function openWatcher(folder: string): Promise<FileWatcher> {
  let seen = await lookAt(folder);
  const shown = (paths: readonly string[]): readonly string[] =>
    paths.map((path) => withSlashes(relative(folder, path)));
  return {
    files: () => seen.size,
    look: async () => {
      const before = seen;
      seen = await lookAt(folder);
      return shown(changes(before, seen).filter((path) => before.has(path)));
    },
    next: async (signal) => {
      for (let tookMs = 0; !signal.aborted;) {
        await pause(Math.max(pauseMs, tookMs * share), signal);
        const startedMs = performance.now();
        const now = await lookAt(folder);
        tookMs = performance.now() - startedMs;
        const changed = changes(seen, now);
        seen = now;
        if (changed.length > 0) return shown(changed);
      }
      return [];
    },
  };
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

function changes(before: Seen, now: Seen): readonly string[] {
  const changed = [...now].filter(([path, state]) => before.get(path) !== state);
  const gone = [...before.keys()].filter((path) => !now.has(path));
  return [...changed.map(([path]) => path), ...gone];
}

async function lookAt(folder: string): Promise<Seen> {
  const seen = new Map<string, string>();
  const folders = [folder];
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    // Ignore files that disappear meanwhile.
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(next, entry.name);
      if (entry.isDirectory() && !isLeftOut(entry.name)) folders.push(path);
      if (!entry.isFile()) continue;
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined) seen.set(path, `${found.mtimeMs} ${found.size}`);
      if (seen.size >= mostFiles) return seen;
    }
  }
  return seen;
}

function isLeftOut(name: string): boolean {
  return name.startsWith(".") || leftOut.has(name);
}
