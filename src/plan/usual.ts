import type { Usage } from "../model/outcomes/sample.ts";
import type { Spent } from "../model/ports/store.ts";
import { assumedOutputTokens } from "./estimate.ts";
import { addUsage, nothingSpent } from "../model/figures/spent.ts";

/** Usage of this run's answers so far, by candidate: the expected usage of the next one. */
export interface Usual {
  /** `usage` is null if the candidate does not report it. */
  readonly learn: (name: string, usage: Usage | null) => void;
  /** Output tokens, at the 95th percentile; undefined before the first answer. */
  readonly output: (name: string) => number | undefined;
  /** Tokens and dollars, each at the 95th percentile; undefined before the first answer. */
  readonly cost: (name: string) => Spent | undefined;
}

/** Number of recent answers to keep: enough for a percentile. */
const remembered = 500;

/** Learns the usage of answers. An answer of unknown usage counts with the assumed output tokens and nothing else. */
export function createUsual(): Usual {
  const known = new Map<string, { readonly output: number; readonly cost: Spent }[]>();
  const of = (name: string) => known.get(name) ?? [];
  return {
    learn: (name, usage) => {
      const answers = of(name).slice(1 - remembered);
      const output = usage?.output_tokens ?? assumedOutputTokens;
      answers.push({ output, cost: addUsage(nothingSpent, usage) });
      known.set(name, answers);
    },
    output: (name) => percentile95(of(name).map(({ output }) => output)),
    cost: (name) => {
      const tokens = percentile95(of(name).map(({ cost }) => cost.tokens));
      const usd = percentile95(of(name).map(({ cost }) => cost.usd));
      return tokens === undefined || usd === undefined ? undefined : { tokens, usd };
    },
  };
}

/** The smallest value that 95 of 100 do not exceed. */
function percentile95(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1];
}
