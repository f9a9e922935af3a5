import type { Json, JsonObject } from "../../model/json.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import { figureIn, sessionOf } from "../../model/models/session.ts";
import { toolCallsOf } from "../../model/models/transcript.ts";
import { bootstrap } from "../../stats/inference/bootstrap.ts";

/** Figures of results in waza's format: means, deviations, intervals, and what a run used. */

/** The mean; 0 for an empty list, as in waza. */
export function meanOrZero(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The population deviation, dividing by n. */
export function deviationOf(values: readonly number[]): number {
  const middle = meanOrZero(values);
  return Math.sqrt(meanOrZero(values.map((value) => (value - middle) ** 2)));
}

const draws = 10_000;
const level = 0.95;
// waza's draws have no seed, so its intervals differ between two reports of one run.
const seed = [1, 2, 3] as const;

/**
 * The bootstrap interval of a mean as waza computes it: the sorted means' elements ⌊α/2·10,000⌋ and ⌊(1 − α/2)·10,000⌋.
 * undefined for fewer than two scores.
 */
export function meanInterval(scores: readonly number[]): JsonObject | undefined {
  if (scores.length < 2) return undefined;
  const means = bootstrap({ units: scores.length, draws, seed }, (counts) => {
    let sum = 0;
    for (const [i, score] of scores.entries()) sum += score * (counts[i] ?? 0);
    return sum / scores.length;
  }).toSorted();
  const [lower = 0, upper = 0] = [
    means[Math.floor(((1 - level) / 2) * draws)],
    means[Math.floor(((1 + level) / 2) * draws)],
  ];
  return { lower, upper, mean: meanOrZero(scores), confidence_level: level, num_bootstraps: draws };
}

/** Whether an interval is significant in waza's sense: it does not contain 0. */
export function isSignificant({ lower, upper }: JsonObject): boolean {
  return Number(lower) > 0 || Number(upper) < 0;
}

/** A sample's `session_digest`: tools in the order of their calls, and what was used. */
export function digestOf({ transcript, usage, error }: Sample): JsonObject {
  const calls = toolCallsOf(transcript);
  // waza writes no lists if the agent broke off.
  const isBroken = error?.stage === "generate";
  return {
    tool_call_count: calls.length,
    tools_used: isBroken && calls.length === 0 ? null : calls.map(({ name }) => name),
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
    errors: isBroken ? null : [],
    ...usagePart({ transcript, usage }),
  };
}

function callOf({ name, arguments: given, result, is_error }: CalledTool): JsonObject {
  return {
    name,
    arguments: given,
    ...(result !== undefined && { result: { content: result } }),
    success: is_error !== true,
  };
}

type CalledTool = ReturnType<typeof toolCallsOf>[number];

/** Empty for an agent that used no tokens: waza's mock reports no usage. */
function usagePart({ transcript, usage }: Pick<Sample, "transcript" | "usage">): {
  readonly usage?: Readonly<Record<string, number>>;
} {
  if (usage === null) return {};
  const { turns, ...used } = figuresOf({ transcript, usage });
  const isUsed = Object.values(used).some((figure) => figure > 0);
  return isUsed ? { usage: { turns, ...used } } : {};
}

function figuresOf({
  transcript,
  usage,
}: {
  readonly transcript: Sample["transcript"];
  readonly usage: NonNullable<Sample["usage"]>;
}) {
  return {
    turns: transcript === null ? 0 : sessionOf(transcript).turns,
    input_tokens: usage.input_tokens ?? 0,
    output_tokens: usage.output_tokens ?? 0,
    cache_read_tokens: usage.cached_tokens ?? 0,
    cache_write_tokens: figureAtEnd(transcript, "cache_write_tokens"),
    premium_requests: figureAtEnd(transcript, "premium_requests"),
  };
}

/** A figure that is not among the token counts: Copilot's premium requests. */
function figureAtEnd(transcript: Sample["transcript"], key: string): number {
  return (
    figureIn(
      transcript?.findLast(({ type }) => type === "end"),
      key,
    ) ?? 0
  );
}

/** Sums the samples' usage, added one by one. `part` is empty if no sample has any. */
export function createUsageSum(): {
  readonly add: (sample: Sample) => void;
  readonly part: () => JsonObject;
} {
  const total = new Map<string, number>();
  return {
    add: ({ transcript, usage }) => {
      const { usage: own = {} } = usagePart({ transcript, usage });
      for (const [key, value] of Object.entries(own)) total.set(key, (total.get(key) ?? 0) + value);
    },
    part: () => (total.size === 0 ? {} : { usage: Object.fromEntries<Json>(total) }),
  };
}
