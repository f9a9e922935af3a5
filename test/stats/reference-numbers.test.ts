import { existsSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { methods, otherMethods, type Vector } from "./reference-methods.ts";

const vectorsFile = new URL("../../../shared/vectors/stats.json", import.meta.url);

/** Every number in `expected` must be in `got`, within the tolerance. Returns how many there are. */
function check(got: unknown, expected: unknown, tol: Vector["tol"]): number {
  if (typeof expected === "number") {
    expect(got).toBeTypeOf("number");
    const allowed = Math.max(tol.abs, tol.rel * Math.abs(expected));
    expect(Math.abs(Number(got) - expected)).toBeLessThanOrEqual(allowed);
    return 1;
  }
  if (typeof expected === "boolean") {
    expect(got).toBe(expected);
    return 1;
  }
  if (Array.isArray(expected)) expect(got).toHaveLength(expected.length);
  const found = entriesOf(got);
  let checked = 0;
  for (const [key, value] of entriesOf(expected)) checked += check(found.get(key), value, tol);
  return checked;
}

function entriesOf(value: unknown): Map<string, unknown> {
  expect(value).toBeTypeOf("object");
  return new Map(Object.entries(value ?? {}));
}

describe.skipIf(!existsSync(vectorsFile))(
  "the numbers of SciPy, mpmath and published tables (in ../shared; skipped where it is absent)",
  () => {
    const vectors: readonly Vector[] = existsSync(vectorsFile)
      ? JSON.parse(readFileSync(vectorsFile, "utf8")).vectors
      : [];
    const ran = new Map<string, number>();
    let numbers = 0;

    it.each(vectors)("$id", ({ id, method, input, expected, tol }) => {
      const known = methods[method] ?? otherMethods[method];
      if (known === undefined) throw new Error(`${id}: the method ${method} is not known here`);
      const checked = check(known.compute(input), expected, tol);
      expect(checked).toBeGreaterThan(method === "p_adjust" ? -1 : 0);
      numbers += checked;
      ran.set(method, (ran.get(method) ?? 0) + 1);
    });

    it("no method is without its numbers", () => {
      const declared = [...Object.keys(methods), ...Object.keys(otherMethods)];
      expect([...ran.keys()].toSorted()).toEqual(declared.toSorted());
    });

    afterAll(() => {
      const own = vectors.filter(({ method }) => method in methods).length;
      console.log(
        `${vectors.length} reference results of ${ran.size} methods, ${numbers} numbers; ${own} results are of the ${Object.keys(methods).length} methods that Regrade judges by`,
      );
    });
  },
);
