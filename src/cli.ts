import { fetchCiRun } from "./ci-run.ts";
import { runCommandLine } from "./cli/run-command-line.ts";
import { keepInspectorShut, settleV8 } from "./wiring.ts";

/** Connections and hosts end within a tenth of it. */
const longestGoodbyeMilliseconds = 1000;

keepInspectorShut();
settleV8();
process.exitCode = await runCommandLine(process.argv.slice(2), process, fetchCiRun);
endSoon();

/**
 * Nothing that is left may hold the process up: a connection that a mute proxy never makes has no end of its own. What was
 * written is let out before.
 */
function endSoon(): void {
  process.stdout.write("", () => {
    setTimeout(() => process.exit(), longestGoodbyeMilliseconds).unref();
  });
}
