import { formatProblem, problem } from "../../model/refusal.ts";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import type { Log } from "../runner/log.ts";

/** Ends the process, even if an abandoned upload holds a socket open; waits until stdout is written. */
export function endProcess(code: number): void {
  process.exitCode = code;
  process.stdout.write("", () => process.exit(code));
}

/**
 * Listens for a cancelled job: the runner sends SIGINT, 7.5 seconds later SIGTERM, and then kills the process. The
 * first signal ends the run in good order, the second ends the process.
 */
export function listenForCancel(log: Log): AbortSignal {
  const cancel = new AbortController();
  const onSignal = (): void => {
    if (cancel.signal.aborted) process.exit(exitCodes.interrupted);
    log.info(formatProblem(problem("interrupted", undefined)));
    cancel.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return cancel.signal;
}
