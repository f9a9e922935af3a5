import type { Brake, StopCause } from "../model/spending.ts";
import type { Meter } from "../model/spending.ts";
import type { Spent } from "../model/store.ts";
import { addSpent, nothingSpent } from "../model/spent.ts";

/** Executions that go on at the same time, for one run: one budget, and what stops one of them stops all. */
export interface Alongside {
  readonly join: (member: Member) => void;
  /** What the others have spent, and hold for requests under way. */
  readonly spentBeside: (brake: Brake) => Spent;
  readonly heldBeside: (brake: Brake) => Spent;
  /** The member gave back what it held. */
  readonly released: (brake: Brake) => void;
  /** The member's brake has been pulled. */
  readonly stopped: (brake: Brake) => void;
  /** Whose brake was pulled first, and why. */
  readonly first: () => { readonly name: string; readonly cause: StopCause } | undefined;
}

interface Member {
  readonly name: string;
  readonly brake: Brake;
  readonly meter: () => Pick<Meter, "spent" | "held" | "changed">;
}

/** Nobody yet. */
export function createAlongside(): Alongside {
  const members: Member[] = [];
  let first: ReturnType<Alongside["first"]>;
  const others = (brake: Brake) =>
    members.filter((each) => each.brake !== brake).map(({ meter }) => meter());
  return {
    join: (member) => void members.push(member),
    spentBeside: (brake) =>
      others(brake)
        .map((meter) => meter.spent())
        .reduce(addSpent, nothingSpent),
    heldBeside: (brake) =>
      others(brake)
        .map((meter) => meter.held())
        .reduce(addSpent, nothingSpent),
    released: (brake) => {
      for (const meter of others(brake)) meter.changed();
    },
    stopped: (brake) => {
      const cause = brake.cause();
      if (cause === undefined) return;
      const name = members.find((each) => each.brake === brake)?.name ?? "";
      first ??= { name, cause };
      for (const each of members) each.brake.pull(cause);
    },
    first: () => first,
  };
}
