import type { StopSignal, StopCause } from "../model/spending.ts";

/** A stop signal that has not been given. `onPull` is called once, when it is. */
export function createStopSignal(onPull: () => void): StopSignal {
  let pulled: StopCause | undefined;
  return {
    cause: () => pulled,
    pull: (cause) => {
      if (pulled !== undefined) return;
      pulled = cause;
      onPull();
    },
  };
}
