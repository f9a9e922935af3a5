import { describe, expect } from "vitest";
import type { Attack, Ended } from "./attack.ts";
import { itSome } from "../../support/rows.ts";

/**
 * Declares a test for each attack of the tables: its honest twin ends green, the attack does not and says why. A twin that
 * several attacks share runs once.
 */
export function expectNotGreen(tables: Readonly<Record<string, readonly Attack[]>>): void {
  const ends = new Map<Attack["control"], Promise<Ended>>();
  const endOf = (control: Attack["control"]): Promise<Ended> => {
    const end = ends.get(control) ?? control();
    ends.set(control, end);
    return end;
  };
  describe.each(Object.entries(tables))("a change that attacks its gate by %s", (_, attacks) => {
    itSome(attacks)("is not green: $attack", async ({ control, run, code, says }) => {
      const [honest, attacked] = [await endOf(control), await run()];
      expect(honest.told, "the control").not.toContain(says);
      expect(honest.code, honest.told).toBe(0);
      expect(attacked.told).toContain(says);
      expect(attacked.code, attacked.told).toBe(code);
    });
  });
}
