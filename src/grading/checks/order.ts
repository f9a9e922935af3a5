const orders = ["exact", "in_order", "any_order"] as const;
export type Order = (typeof orders)[number];

/** Similarity of actual and expected calls, ignoring their order. */
interface Overlap {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** Names count as often as they occur. */
export function overlapOf(expected: readonly string[], actual: readonly string[]): Overlap {
  const counts = countsOf(actual);
  let common = 0;
  for (const [name, count] of countsOf(expected)) common += Math.min(count, counts.get(name) ?? 0);
  const precision = actual.length === 0 ? 0 : common / actual.length;
  const recall = expected.length === 0 ? 0 : common / expected.length;
  const sum = precision + recall;
  return { precision, recall, f1: sum === 0 ? 0 : (2 * precision * recall) / sum };
}

/** The reason why the actual calls don't have the expected order; undefined if they do. */
export function orderFailure(
  order: Order,
  {
    expected,
    actual,
    noun,
  }: {
    readonly expected: readonly string[];
    readonly actual: readonly string[];
    readonly noun: "actions" | "skills";
  },
): string | undefined {
  switch (order) {
    case "exact": {
      const isEqual =
        expected.length === actual.length && expected.every((name, i) => name === actual[i]);
      const [wanted, got] = [listed(expected), listed(actual)];
      return isEqual
        ? undefined
        : `Exact match failed: expected ${expected.length} ${noun} ${wanted}, got ${actual.length} ${noun} ${got}`;
    }
    case "in_order":
      return isSubsequence(expected, actual)
        ? undefined
        : `In-order match failed: not all ${noun === "actions" ? "expected" : "required"} ${noun} ${listed(expected)} appeared in order within actual ${listed(actual)}`;
    case "any_order": {
      const missing = missingFrom(expected, countsOf(actual));
      return missing.length === 0
        ? undefined
        : `Any-order match failed: missing or insufficient ${noun}: ${missing.join(", ")}`;
    }
  }
}

function countsOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function isSubsequence(expected: readonly string[], actual: readonly string[]): boolean {
  let next = 0;
  for (const name of actual) if (name === expected[next]) next += 1;
  return next >= expected.length;
}

function missingFrom(
  expected: readonly string[],
  counts: ReadonlyMap<string, number>,
): readonly string[] {
  return [...countsOf(expected)].flatMap(([name, need]) => {
    const got = counts.get(name) ?? 0;
    return got >= need ? [] : [`${name} (need ${need}, got ${got})`];
  });
}

function listed(names: readonly string[]): string {
  return `[${names.join(" ")}]`;
}
