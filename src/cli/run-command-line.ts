import { problem, Refusal, type Problem } from "../model/refusal.ts";
import { exitCodes } from "../model/outcomes/verdict.ts";
import { escapeLog } from "../report/escape.ts";
import { openSecrets, showInPager, version } from "../wiring.ts";
import type { CliContext, FetchCiRun } from "./context.ts";
import { readArguments } from "./program.ts";
import { invocationOf, ownName } from "./invocation.ts";
import { createScreen, type Screen } from "./screen.ts";
import { listenForStop } from "./stop.ts";

/** The parts of a process that the command line uses. */
type CliHost = Pick<
  NodeJS.Process,
  "cwd" | "env" | "exit" | "off" | "on" | "stderr" | "stdin" | "stdout"
> & {
  /** The program and the script; absent if the program is on the PATH under its name. */
  readonly argv?: readonly string[];
};

/** Runs the command that the arguments (without node and script) name, and returns the exit code. Never throws. */
export async function runCommandLine(
  argv: readonly string[],
  host: CliHost,
  fetchCiRun: FetchCiRun,
): Promise<number> {
  const secrets = openSecrets(host.env);
  const screen = createScreen(host, secrets, showInPager);
  const read = await readArguments(argv, {
    version,
    write: screen.print,
    // The message quotes the arguments, which a workflow may have taken from anywhere.
    complain: (text) => screen.say(escapeLog(text)),
  });
  const script = host.argv?.[1];
  const program = Promise.try(() =>
    invocationOf({ script, env: host.env, workingDirectory: host.cwd() }),
  ).catch(() => ownName);
  const stop = listenForStop(host, screen.say);
  // Also catches promises that nobody awaits: Node would exit with 1, which means "the gate failed".
  const onUncaught = (error: unknown): void => {
    if (error instanceof Refusal) screen.problems(error.problems);
    else screen.bug(error);
    host.exit(error instanceof Refusal ? error.exit : exitCodes.bug);
  };
  host.on("uncaughtException", onUncaught);
  try {
    if (read.kind === "answered") return read.exitCode;
    return await read.act({
      screen,
      stop,
      secrets,
      env: host.env,
      workingDirectory: workingDirectoryOf(host),
      program: await program,
      terminal: terminalOf(host),
      fetchCiRun,
    });
  } catch (error) {
    if (error instanceof Refusal) {
      screen.problems(error.problems);
      if (error.problems.some(namesCommand)) sayProgram(await program, screen);
      return error.exit;
    }
    screen.bug(error);
    return exitCodes.bug;
  } finally {
    stop.close();
    screen.close();
  }
}

/** The shell may be in a folder that was removed. */
function workingDirectoryOf(host: CliHost): string {
  try {
    return host.cwd();
  } catch (error) {
    throw new Refusal(problem("working_directory_gone", undefined), { cause: error });
  }
}

/** True if a problem's text contains a command to copy. */
function namesCommand({ message, hint = "" }: Problem): boolean {
  return /\bregrade [a-z]/.test(`${message} ${hint}`);
}

function sayProgram(program: string, { say }: Screen): void {
  if (program !== ownName) say(escapeLog(`Here, \`${ownName}\` stands for: ${program}\n`));
}

/** The terminal, if a person can read and answer questions on it. */
function terminalOf({ stdin, stderr }: CliHost): CliContext["terminal"] {
  return stdin.isTTY && stderr.isTTY ? { input: stdin, output: stderr } : undefined;
}
