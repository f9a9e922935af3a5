import type { Usage } from "../outcomes/sample.ts";
import type { Spent } from "../ports/store.ts";

export const nothingSpent: Spent = { usd: 0, tokens: 0 };

/** The sum of two spendings. */
export function addSpent(a: Spent, b: Spent): Spent {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens };
}

/** The spending with one more usage added. Cached tokens are part of the input, reasoning tokens of the output. */
export function addUsage(spent: Spent, usage: Usage | null | undefined): Spent {
  if (!usage) return spent;
  const tokens = usage.input_tokens + usage.output_tokens;
  return addSpent(spent, { usd: usage.usd ?? 0, tokens });
}
