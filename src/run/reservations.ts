import type { Spent } from "../model/ports/store.ts";
import type { Budget } from "../model/definition/suite.ts";
import type { BudgetSpent } from "../model/figures/spending.ts";
import { addSpent, nothingSpent } from "../model/figures/spent.ts";

/** Reserves parts of a budget for requests in progress, so that they can't overspend it together. */
interface Reservations {
  /**
   * Reserves the possible cost of a request, and waits while other requests hold it. Undefined if the run has ended, or
   * if the budget is too small although no request is in flight: then `onTooSmall` is called. A request of unknown cost
   * (`cost` undefined) runs alone.
   */
  readonly reserve: (cost: () => Spent | undefined) => Promise<Release | undefined>;
  /** The sum of the reservations. */
  readonly held: () => Spent;
  /** Checks the waiting requests again, because the free amount has changed. */
  readonly changed: () => void;
}

/** Releases a reservation: the request has ended, and its cost is counted. */
export type Release = () => void;

interface ReservationRules {
  readonly budget: Budget;
  /** Spent so far, by all that share the budget. */
  readonly spent: () => Spent;
  /** Reserved by others that share the budget. */
  readonly heldBeside: () => Spent;
  readonly isOver: () => boolean;
  readonly onTooSmall: (cause: BudgetSpent) => void;
  /** Called when a reservation is released. */
  readonly onRelease: () => void;
}

/** Reserves the whole budget for a request of unknown cost. */
const everything: Spent = { usd: Number.POSITIVE_INFINITY, tokens: Number.POSITIVE_INFINITY };

/** Reservations from one budget, which others may share. */
export function createReservations(rules: ReservationRules): Reservations {
  const holding = new Set<Spent>();
  let change = Promise.withResolvers<void>();
  let last: Promise<unknown> = Promise.resolve();
  const held = (): Spent => [...holding].reduce(addSpent, nothingSpent);
  const changed = (): void => {
    change.resolve();
    change = Promise.withResolvers<void>();
  };
  const hold = (cost: Spent): Release => {
    holding.add(cost);
    return () => {
      if (!holding.delete(cost)) return;
      changed();
      rules.onRelease();
    };
  };
  const waitFor = async (costNow: () => Spent | undefined): Promise<Release | undefined> => {
    while (!rules.isOver()) {
      const others = addSpent(held(), rules.heldBeside());
      const isAlone = holding.size === 0 && others.tokens === 0 && others.usd === 0;
      const cost = costNow();
      if (cost === undefined && isAlone) return hold({ ...everything });
      const missing = cost === undefined ? undefined : tooSmall(rules, cost, others);
      if (cost !== undefined && missing === undefined) return hold({ ...cost });
      if (isAlone && missing !== undefined) rules.onTooSmall(missing);
      else await change.promise;
    }
    return undefined;
  };
  return {
    held,
    changed,
    reserve: (cost) => {
      // Requests are served in order, so that small ones can't delay a large one for ever.
      const reserved = last.then(() => waitFor(cost));
      last = reserved.catch(() => undefined);
      return reserved;
    },
  };
}

/** The unit (dollars or tokens) of which too little is left for a request, given the reservations of others. */
function tooSmall(
  { budget, spent }: ReservationRules,
  cost: Spent,
  others: Spent,
): BudgetSpent | undefined {
  for (const unit of ["usd", "tokens"] as const) {
    const limit = budget[unit];
    if (limit === undefined) continue;
    const left = limit - spent()[unit];
    // A tolerance, because sums of prices are rounded.
    if (cost[unit] + others[unit] > left + 1e-9)
      return { kind: "budget_spent", unit, limit, next: cost[unit] };
  }
  return undefined;
}
