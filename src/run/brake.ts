/** Why a run ends before its last sample without anybody having asked for it. */
export type StopCause =
  /** A candidate can't answer any further request. `message` names what to set. */
  | { readonly kind: "halted"; readonly candidate: string; readonly message: string }
  /** Something was thrown, such as the refusal of a full disk: an answer that can't be kept is not to be paid for. */
  | { readonly kind: "broken" }
  | BudgetSpent;

export type BudgetSpent = {
  readonly kind: "budget_spent";
  readonly unit: "usd" | "tokens" | "minutes";
  readonly limit: number;
  /** What the next request may cost, where that is more than is left. */
  readonly next?: number;
};

/** Stops a run: what is under way finishes, the rest is not started. */
export interface Brake {
  /** The first cause stands. */
  readonly pull: (cause: StopCause) => void;
  readonly cause: () => StopCause | undefined;
}

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
