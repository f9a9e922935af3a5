import { Refusal } from "../model/refusal.ts";
import { exitCodes } from "../model/outcomes/verdict.ts";
import { escapeLogLine } from "../report/escape.ts";
import { counted } from "../report/words/figures.ts";
import { openWatcher, type FileWatcher } from "../wiring.ts";
import type { CliContext } from "./context.ts";

const namesShown = 5;

/**
 * Runs, and runs again whenever a file of the folder changes, until the user ends it; returns the exit code of the last
 * run. Mistakes are reported, and the next change is awaited.
 */
export async function runOnChange(
  folder: string,
  run: () => Promise<number>,
  { screen, stop: { signal } }: CliContext,
): Promise<number> {
  const watcher = await openWatcher(folder);
  let before: readonly string[] = [];
  for (;;) {
    const { code, isMistake } = await runOrTell(run, screen);
    if (signal.aborted) return code;
    const during = await watcher.look();
    // Files that change during every run are written by the runs themselves, so they start no new run. A run that was
    // refused at its start writes none.
    const own = isMistake ? [] : during.filter((path) => before.includes(path));
    if (!isMistake) before = during;
    const edited = during.filter((path) => !own.includes(path));
    if (edited.length === 0)
      screen.say(`Watching ${counted(watcher.files(), "file")}; Ctrl-C ends.\n`);
    const changed = edited.length > 0 ? edited : await nextChange(watcher, { own, signal });
    if (signal.aborted) return code;
    const names = changed.slice(0, namesShown).map(escapeLogLine).join(", ");
    const more = changed.length > namesShown ? ` and ${changed.length - namesShown} more` : "";
    screen.say(`\nChanged: ${names}${more}\n`);
  }
}

async function nextChange(
  watcher: FileWatcher,
  { own, signal }: { readonly own: readonly string[]; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  while (!signal.aborted) {
    const changed = (await watcher.next(signal)).filter((path) => !own.includes(path));
    if (changed.length > 0) return changed;
  }
  return [];
}

async function runOrTell(
  run: () => Promise<number>,
  screen: CliContext["screen"],
): Promise<{ readonly code: number; readonly isMistake: boolean }> {
  try {
    return { code: await run(), isMistake: false };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    screen.problems(error.problems);
    return { code: error.exit, isMistake: error.exit === exitCodes.refused };
  }
}
