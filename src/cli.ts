import { runCli } from "./cli/commands.ts";
import { readArguments } from "./cli/program.ts";
import { createScreen } from "./cli/screen.ts";
import { listenForStop } from "./cli/stop.ts";
import { Refusal } from "./domain/refusal.ts";
import { exitCodes } from "./domain/verdict.ts";
import { escapeLog } from "./report/escape.ts";
import { version } from "./wiring.ts";

process.exitCode = await main();

/** The front door of the terminal: arguments → what was asked → exit code. */
async function main(): Promise<number> {
  const screen = createScreen(process);
  const asked = await readArguments(process.argv.slice(2), {
    version,
    write: screen.print,
    // It quotes the arguments, which a workflow may have taken from anywhere.
    complain: (text) => screen.say(escapeLog(text)),
  });
  const stop = listenForStop(process, screen.say);
  // A promise that nobody waits for, too: left to Node it would be exit 1, "the gate failed".
  process.on("uncaughtException", (error) => {
    screen.bug(error);
    process.exit(exitCodes.bug);
  });
  try {
    return await runCli(asked, { screen, stop, env: process.env, workingDirectory: process.cwd() });
  } catch (error) {
    if (error instanceof Refusal) {
      screen.problems(error.problems);
      return error.exit;
    }
    screen.bug(error);
    return exitCodes.bug;
  } finally {
    stop.close();
    screen.close();
  }
}
