import type { Brake, StopCause } from "./brake.ts";
import type { Spent } from "../domain/store.ts";
import { addSpent, nothingSpent } from "./budget.ts";

/** Executions that go on at the same time, for one run: one budget, and what stops one of them stops all. */
export interface Alongside {
  readonly join: (member: Member) => void;
  /** What the others have spent. */
  readonly spentBeside: (brake: Brake) => Spent;
  /** The member's brake has been pulled. */
  readonly stopped: (brake: Brake) => void;
  /** Whose brake was pulled first, and why. */
  readonly first: () => { readonly name: string; readonly cause: StopCause } | undefined;
}

interface Member {
  readonly name: string;
  readonly brake: Brake;
  readonly spent: () => Spent;
}

/** Nobody yet. */
export function createAlongside(): Alongside {
  const members: Member[] = [];
  let first: ReturnType<Alongside["first"]>;
  return {
    join: (member) => void members.push(member),
    spentBeside: (brake) =>
      members
        .filter((each) => each.brake !== brake)
        .map((each) => each.spent())
        .reduce(addSpent, nothingSpent),
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
