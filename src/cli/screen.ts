import type { Secrets } from "../model/ports/secrets.ts";
import type { Progress } from "../model/ports/progress.ts";
import { problem, Refusal, type Problem } from "../model/refusal.ts";
import { escapeJson, escapeLog } from "../report/escape.ts";
import { renderProblems } from "../report/terminal/problems.ts";
import {
  advance,
  noProgress,
  progressLine,
  progressLogLines,
} from "../report/terminal/progress.ts";
import { reasonOf } from "../wiring.ts";

/** Output for a person: data on standard output, messages on standard error. Known secrets are removed. */
export interface Screen {
  /** Data. The text is our own, or has been escaped. */
  readonly print: (text: string) => void;
  /**
   * Data for a person. If it does not fit on the terminal, it opens in the user's pager. The pager then receives
   * Ctrl-C, so close `stop` first. `brief` is printed instead if there is no pager or no terminal.
   */
  readonly page: (text: string, brief?: string) => Promise<void>;
  /** Data: a value as one line of JSON. */
  readonly printJson: (value: unknown) => void;
  /** Messages on standard error. */
  readonly say: (text: string) => void;
  readonly problems: (problems: readonly Problem[]) => void;
  /** Prints warnings; nothing if there are none. */
  readonly warnings: (warnings: readonly Problem[]) => void;
  readonly bug: (error: unknown) => void;
  readonly progress: (event: Progress) => void;
  /** Clears the progress line. */
  readonly settle: () => void;
  /** `colour`: true if the output may have colours. `width`: of the output, in columns. */
  readonly colour: boolean;
  readonly width: number;
  readonly close: () => void;
}

type Host = Pick<NodeJS.Process, "stdout" | "stderr" | "env">;

const defaultWidth = 100;
const redrawMs = 100;
const clearLine = "\r\u001B[K";

/** Shows a text until the user leaves it; returns false if that was not possible. */
type Pager = (text: string, env: NodeJS.ProcessEnv) => Promise<boolean>;

/** Makes a screen from a process's streams. Colours depend on the stream, NO_COLOR and FORCE_COLOR. */
export function createScreen(host: Host, { redact, stringify }: Secrets, pager: Pager): Screen {
  const { stdout, stderr } = host;
  stdout.on("error", refuseUnlessClosed);
  stderr.on("error", () => undefined);
  const colours = { out: takesColour(stdout, host.env), err: takesColour(stderr, host.env) };
  const tell = (text: string): void => writeWords(stderr, redact(text));
  const line = createProgressLine(stderr, tell);
  const say = (text: string): void => {
    line.clear();
    tell(text);
  };
  const write = (text: string): void => {
    line.clear();
    writeData(stdout, text);
  };
  return {
    print: (text) => write(redact(text)),
    page: async (text, brief = text) => {
      const shown = redact(text);
      const opens = stdout.isTTY && !fits(shown, stdout);
      if (opens) line.clear();
      if (opens && (await pager(shown, host.env))) return;
      write(opens || !stdout.isTTY ? redact(brief) : shown);
    },
    printJson: (value) => write(`${escapeJson(stringify(value))}\n`),
    say,
    problems: (problems) => say(renderProblems(problems, { colour: colours.err })),
    warnings: (warnings) => {
      if (warnings.length > 0)
        say(renderProblems(warnings, { colour: colours.err, word: "warning" }));
    },
    bug: (error) => say(bugReport(error)),
    progress: line.show,
    settle: line.clear,
    colour: colours.out,
    // Piped output is searched and read elsewhere, so nothing is cut.
    width: stdout.columns ?? Infinity,
    close: line.clear,
  };
}

/** Writes a message. If the disk is full the message is lost, which must not cost the run. */
function writeWords(stream: NodeJS.WriteStream, text: string): void {
  try {
    stream.write(text);
  } catch {
    // Writing to a file is synchronous and throws.
  }
}

function writeData(stream: NodeJS.WriteStream, text: string): void {
  try {
    stream.write(text);
  } catch (error) {
    throw outputFailed(error);
  }
}

/**
 * Ignores a reader that closed the pipe early (`| head`): that ends the output, not the run. Other errors are thrown.
 */
function refuseUnlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw outputFailed(error);
}

function outputFailed(cause: unknown): Refusal {
  return new Refusal(problem("output_failed", { reason: reasonOf(cause) }), { cause, exit: 4 });
}

/** True if the text fits on the terminal; the prompt needs one of its lines, too. */
function fits(text: string, { rows }: NodeJS.WriteStream): boolean {
  return text.split("\n").length <= rows;
}

function takesColour(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0";
  return stream.isTTY && stream.hasColors();
}

/** A progress line: redrawn in place on a terminal, plain lines now and then elsewhere. */
function createProgressLine(
  stream: NodeJS.WriteStream,
  tell: (text: string) => void,
): {
  readonly show: (event: Progress) => void;
  readonly clear: () => void;
} {
  let state = noProgress;
  let drawnAt = 0;
  let drawn = false;
  const clear = (): void => {
    if (drawn) tell(clearLine);
    drawn = false;
  };
  const draw = (now: number): void => {
    tell(`${clearLine}${progressLine(state, now, stream.columns ?? defaultWidth)}`);
    drawnAt = now;
    drawn = true;
  };
  return {
    clear,
    show: (event) => {
      const now = performance.now();
      state = advance(state, event, now);
      if (stream.isTTY && event.kind !== "warning" && event.kind !== "note") {
        if (now - drawnAt >= redrawMs) draw(now);
        return;
      }
      clear();
      for (const line of progressLogLines(state, event, now)) tell(`${line}\n`);
    },
  };
}

function bugReport(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${escapeLog(stack)}

This is a bug in Regrade, not in your suite. Please report it with the lines above:
https://github.com/OWNER/regrade/issues/new
`;
}
