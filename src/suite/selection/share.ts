import { candidateKinds } from "../../model/definition/candidate-kinds.ts";
import type { Candidate } from "../../model/models/candidate.ts";
import type { ShardChoice } from "../../model/outcomes/shard.ts";
import type { Budget, Suite } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";

/**
 * A suite with a shard's part of the run's limits: dollars, tokens, and concurrent requests. Minutes are not divided:
 * shards run in parallel, and each may take as long as the whole.
 */
export function shardShare<T extends { readonly suite: Suite }>(
  resolved: T,
  shard: ShardChoice | undefined,
): T {
  if (shard === undefined) return resolved;
  const { budget, concurrency } = resolved.suite;
  const suite = {
    ...resolved.suite,
    budget: shareOfBudget(budget, shard),
    concurrency: concurrency === "auto" ? concurrency : wholeShare(concurrency, shard),
  };
  return { ...resolved, suite };
}

function shareOfBudget({ usd, tokens, minutes }: Budget, shard: ShardChoice): Budget {
  return {
    usd: usd === undefined ? undefined : usd / shard.of,
    tokens: tokens === undefined ? undefined : wholeShare(tokens, shard),
    minutes,
  };
}

/** A shard's share of a whole number: shares add up to the whole, but each is at least one. */
function wholeShare(whole: number, { index, of }: ShardChoice): number {
  const rest = whole % of;
  return Math.max(1, Math.floor(whole / of) + (index <= rest ? 1 : 0));
}

/** A candidate with a name only, whose answers are all recorded. */
export function nameCandidate(spec: CandidateSpec): Candidate {
  return {
    id: spec.id,
    generate: async () => ({
      kind: "unavailable",
      type: "not_run_here",
      message: "its answers are those of the shards",
    }),
    concurrency: 1,
    costly: false,
    recorded: candidateKinds[spec.kind].recorded,
    close: async () => undefined,
  };
}
