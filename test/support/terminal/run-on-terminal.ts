import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** Screen of a person at a pseudo-terminal, and the program's end. */
export interface TerminalEnd {
  readonly code: number;
  /** Everything that was shown, the echo of the keys included. */
  readonly screen: string;
}

export interface TerminalRun {
  readonly argv: readonly string[];
  readonly directory: string;
  /** Typed one after the other, each when a prompt (`]: `) waits. `\u0003` is Ctrl-C, `\u0004` Ctrl-D. */
  readonly keys: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program as on a terminal (Python's pty module). Ends it after 60 s. */
export async function runOnTerminal(run: TerminalRun): Promise<TerminalEnd> {
  const script = join(import.meta.dirname, "terminal.py");
  const { stdout } = await promisify(execFile)(
    "python3",
    [script, JSON.stringify({ argv: run.argv, keys: run.keys })],
    {
      cwd: run.directory,
      env: { ...process.env, XDG_CACHE_HOME: join(run.directory, ".regrade", "kept"), ...run.env },
      timeout: 90_000,
    },
  );
  return JSON.parse(stdout) as TerminalEnd;
}
