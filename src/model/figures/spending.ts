import type { ModelAsk, ModelReply } from "../ports/bridge.ts";
import type { GenerateRequest, Generated, Pay } from "../models/candidate.ts";
import type { Spent } from "../ports/store.ts";

/** Cause of a run's early end, if the user did not ask for it. */
export type StopCause =
  /** A candidate can't answer any further request. `message` names what to fix. */
  | { readonly kind: "halted"; readonly candidate: string; readonly message: string }
  /** Something was thrown, such as the refusal of a full disk: an answer that can't be stored should not be paid for. */
  | { readonly kind: "broken" }
  | BudgetSpent;

export type BudgetSpent = {
  readonly kind: "budget_spent";
  readonly unit: "usd" | "tokens" | "minutes";
  readonly limit: number;
  /** Cost of the next request, if it exceeds the rest of the budget. */
  readonly next?: number;
};

/** Stops a run: work in progress finishes, the rest is not started. */
export interface StopSignal {
  /** Stops the run; only the first cause is kept. */
  readonly stop: (cause: StopCause) => void;
  readonly cause: () => StopCause | undefined;
}

/** Counts what answers cost, and stops the run when the budget is spent or too small for the next request. */
export interface Meter {
  /**
   * Reserves the possible cost of a request. Not needed for answers that an earlier attempt or the cache paid for. Waits
   * while requests in progress hold the rest of the budget; undefined: the run has ended, and nothing may be sent.
   */
  readonly reserve: (candidateId: string, request: GenerateRequest) => Promise<Bill | undefined>;
  /** As `reserve`, for a call of a grader. */
  readonly reserveCall: (ask: ModelAsk) => Promise<CallBill | undefined>;
  readonly spent: () => Spent;
  /** Spending of this run only, without the spending of others. */
  readonly own: () => Spent;
  /** Spending reserved for requests in progress. */
  readonly held: () => Spent;
  /** Called when others that share the budget release a reservation. */
  readonly changed: () => void;
}

/** Cost of one request, including its retries. */
export interface Bill {
  /** Counts an answer's cost when it arrives. */
  readonly pay: Pay;
  /** Counts the final result's cost if no answer was counted before. True if some of the cost is unknown. */
  readonly settle: (generated: Generated) => boolean;
  /** Releases the reservation. Must always be called, after `settle`. */
  readonly release: () => void;
}

export interface CallBill {
  readonly settle: (reply: ModelReply) => void;
  readonly release: () => void;
}
