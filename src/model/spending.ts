import type { ModelAsk, ModelReply } from "./bridge.ts";
import type { GenerateRequest, Generated, Pay } from "./ports.ts";
import type { Spent } from "./store.ts";

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
export interface StopSignal {
  /** The first cause stands. */
  readonly pull: (cause: StopCause) => void;
  readonly cause: () => StopCause | undefined;
}

/** Counts what answers cost, and stops the run when the budget is spent or too small for the next request. */
export interface Meter {
  /**
   * Sets aside what a request of this attempt may cost: not one that an earlier attempt, or the cache, had paid for. Waits
   * while requests under way hold what it needs; undefined: the run has ended, and nothing is sent.
   */
  readonly reserve: (candidateId: string, request: GenerateRequest) => Promise<Bill | undefined>;
  /** The same for a call of a grader. */
  readonly reserveCall: (ask: ModelAsk) => Promise<CallBill | undefined>;
  readonly spent: () => Spent;
  /** Without what was spent elsewhere. */
  readonly own: () => Spent;
  /** Set aside for requests under way. */
  readonly held: () => Spent;
  /** Others, who share the budget, gave back what they held. */
  readonly changed: () => void;
}

/** What one request costs, however often it is asked. */
export interface Bill {
  /** Counts an answer as it comes. */
  readonly pay: Pay;
  /** Counts what came of it in the end, where no answer was counted on the way. True: some of it is told nowhere. */
  readonly settle: (generated: Generated) => boolean;
  /** Gives back what was set aside. Always to be called, after `settle`. */
  readonly release: () => void;
}

export interface CallBill {
  readonly settle: (reply: ModelReply) => void;
  readonly release: () => void;
}
