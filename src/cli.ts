import { fetchCiRun } from "./ci-run.ts";
import { runCommandLine } from "./cli/run-command-line.ts";
import { keepInspectorShut } from "./wiring.ts";

/**
 * Limit of the time between the result and the end of the process. Connections and hosts usually end within a tenth of
 * it.
 */
const exitDelayMilliseconds = 1000;

/** The command line, from the arguments to the exit code. The launcher calls it. */
export async function startCommandLine(): Promise<void> {
  keepInspectorShut();
  process.exitCode = await runCommandLine(process.argv.slice(2), process, fetchCiRun);
  endSoon();
}

/**
 * Ends the process even if something is still open: a connection through a proxy that never answers has no time limit.
 * Output is flushed first.
 */
function endSoon(): void {
  process.stdout.write("", () => {
    setTimeout(() => process.exit(), exitDelayMilliseconds).unref();
  });
}
