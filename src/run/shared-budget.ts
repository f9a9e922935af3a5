import type { StopSignal, StopCause } from "../model/figures/spending.ts";
import type { Meter } from "../model/figures/spending.ts";
import type { Spent } from "../model/ports/store.ts";
import { addSpent, nothingSpent } from "../model/figures/spent.ts";

/** Parallel executions of one run: they share a budget, and if one stops, all stop. */
export interface SharedBudget {
  readonly join: (member: Member) => void;
  /** Spending of the other members, and their reservations for requests in flight. */
  readonly spentBeside: (stopSignal: StopSignal) => Spent;
  readonly heldBeside: (stopSignal: StopSignal) => Spent;
  /** Called when the member releases a reservation. */
  readonly released: (stopSignal: StopSignal) => void;
  /** Called when the member has been stopped. */
  readonly stopped: (stopSignal: StopSignal) => void;
  /** The member that stopped first, and the cause. */
  readonly first: () => { readonly name: string; readonly cause: StopCause } | undefined;
}

interface Member {
  readonly name: string;
  readonly stopSignal: StopSignal;
  readonly meter: () => Pick<Meter, "spent" | "held" | "changed">;
}

/** A shared budget without members. */
export function createSharedBudget(): SharedBudget {
  const members: Member[] = [];
  let first: ReturnType<SharedBudget["first"]>;
  const others = (stopSignal: StopSignal) =>
    members.filter((each) => each.stopSignal !== stopSignal).map(({ meter }) => meter());
  return {
    join: (member) => void members.push(member),
    spentBeside: (stopSignal) =>
      others(stopSignal)
        .map((meter) => meter.spent())
        .reduce(addSpent, nothingSpent),
    heldBeside: (stopSignal) =>
      others(stopSignal)
        .map((meter) => meter.held())
        .reduce(addSpent, nothingSpent),
    released: (stopSignal) => {
      for (const meter of others(stopSignal)) meter.changed();
    },
    stopped: (stopSignal) => {
      const cause = stopSignal.cause();
      if (cause === undefined) return;
      const name = members.find((each) => each.stopSignal === stopSignal)?.name ?? "";
      first ??= { name, cause };
      for (const each of members) each.stopSignal.stop(cause);
    },
    first: () => first,
  };
}
