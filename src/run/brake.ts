import type { Brake, StopCause } from "../model/spending.ts";

/** A brake that is off. `onPull` is called once. */
export function createBrake(onPull: () => void): Brake {
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
