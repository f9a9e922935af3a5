import { runCli, type Surroundings } from "./cli/commands.ts";
import { readArguments } from "./cli/program.ts";
import { createScreen } from "./cli/screen.ts";
import { listenForStop } from "./cli/stop.ts";
import { Refusal } from "./domain/refusal.ts";
import { exitCodes } from "./domain/verdict.ts";
import { escapeLog } from "./report/escape.ts";
import { keepInspectorShut, openSecrets, version } from "./wiring.ts";

/** Connections and hosts end within a tenth of it. */
const longestGoodbyeMilliseconds = 1000;

process.exitCode = await main();
endSoon();

/** The front door of the terminal: arguments → what was asked → exit code. */
async function main(): Promise<number> {
  keepInspectorShut();
  const secrets = openSecrets(process.env);
  const screen = createScreen(process, secrets);
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
    return await runCli(asked, {
      screen,
      stop,
      secrets,
      env: process.env,
      workingDirectory: process.cwd(),
      terminal: terminalOf(process),
    });
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

/**
 * Nothing that is left may hold the process up: a connection that a mute proxy never makes has no end of its own. What was
 * written is let out before.
 */
function endSoon(): void {
  process.stdout.write("", () => {
    setTimeout(() => process.exit(), longestGoodbyeMilliseconds).unref();
  });
}

/** Questions are asked where a person can read and answer them. */
function terminalOf({ stdin, stderr }: NodeJS.Process): Surroundings["terminal"] {
  return stdin.isTTY && stderr.isTTY ? { input: stdin, output: stderr } : undefined;
}
