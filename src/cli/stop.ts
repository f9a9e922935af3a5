import { exitCodes } from "../model/outcomes/verdict.ts";

/** The user's request to stop: the first signal ends the run cleanly, the second one at once. */
export interface Stop {
  readonly signal: AbortSignal;
  readonly close: () => void;
}

/** Listens for Ctrl-C and for the signals that a runner sends to a cancelled job. */
export function listenForStop(
  host: Pick<NodeJS.Process, "on" | "off" | "exit">,
  say: (text: string) => void,
): Stop {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) host.exit(exitCodes.interrupted);
    say(
      "Stopping: what has an answer already is still graded and kept. Once more to stop at once.\n",
    );
    controller.abort();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) host.on(signal, stop);
  return {
    signal: controller.signal,
    close: () => {
      for (const signal of signals) host.off(signal, stop);
    },
  };
}
