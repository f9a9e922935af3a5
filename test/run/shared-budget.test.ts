import { describe, expect, it } from "vitest";
import { createSharedBudget } from "../../src/run/shared-budget.ts";
import type { Spent } from "../../src/model/ports/store.ts";
import { createStopSignal } from "../../src/run/stop.ts";
import type { StopSignal } from "../../src/model/figures/spending.ts";

const meterOf = (spent: Spent) => () => ({
  spent: () => spent,
  held: () => spent,
  changed: () => {},
});

/** Two executions of one run. */
function two(): { all: ReturnType<typeof createSharedBudget>; head: StopSignal; base: StopSignal } {
  const all = createSharedBudget();
  const head: StopSignal = createStopSignal(() => all.stopped(head));
  const base: StopSignal = createStopSignal(() => all.stopped(base));
  all.join({ name: "head", stopSignal: head, meter: meterOf({ usd: 1, tokens: 10 }) });
  all.join({ name: "base", stopSignal: base, meter: meterOf({ usd: 2, tokens: 20 }) });
  return { all, head, base };
}

describe("executions that go on at the same time", () => {
  it("have one budget: each is told what the others spent", () => {
    const { all, head, base } = two();
    expect(all.spentBeside(head)).toEqual({ usd: 2, tokens: 20 });
    expect(all.spentBeside(base)).toEqual({ usd: 1, tokens: 10 });
  });

  it("stop together, and it is known which of them was the cause", () => {
    const { all, head, base } = two();
    const cause = { kind: "halted", candidate: "main", message: "no key" } as const;
    expect(all.first()).toBeUndefined();
    base.stop(cause);
    head.stop({ kind: "broken" });
    expect(head.cause()).toEqual(cause);
    expect(all.first()).toEqual({ name: "base", cause });
  });
});
