import type { GateResult } from "../../model/outcomes/rule-result.ts";
import { type RunShard, shardText } from "../../model/outcomes/shard.ts";
import { count, counted } from "../../report/words/figures.ts";
import { conclude, type Conclusion } from "../../verdict/conclude.ts";
import { judgedOf, type Draft } from "../../verdict/describe.ts";
import type { Executed } from "../execute.ts";
import type { Judgement, ToJudge } from "../judge.ts";
import type { Tools } from "../../tools.ts";

/**
 * A shard has figures and no verdict: the merge judges all parts together. A stopped shard is an error: its parts can't
 * be merged.
 */
export function judgeShard(
  { policy, first, second }: ToJudge,
  tools: Tools,
): { readonly run: Judgement; readonly own: (Draft & Conclusion) | undefined } {
  const own = second && figuresOf(second, tools);
  const stopped: Draft = own === undefined ? first.draft : withEndOf(first.draft, own);
  const run = figuresOf({ ...first, draft: stopped }, tools);
  if (policy === undefined) return { run, own };
  return {
    run: { ...run, policy: { ...policy, base: null, head: null, decided_by: "both" } },
    own,
  };
}

/** A shard whose second run was stopped is incomplete, too. */
function withEndOf(draft: Draft, { status, stopped = null }: Draft): Draft {
  return { ...draft, status, stopped };
}

const notCompared = { kind: "none", reason: "a shard is compared when it is merged" } as const;

function figuresOf(
  { draft, ledger }: Pick<Executed, "draft" | "ledger">,
  { now }: Tools,
): Draft & Conclusion {
  const judged = { ...judgedOf(draft, ledger), gate: "none" } as const;
  const found = conclude(judged, notCompared, now());
  const { shard } = draft;
  const gate = draft.status === "completed" && shard ? partOf(shard, draft, found) : found.gate;
  return { ...draft, ...found, gate };
}

function partOf(shard: RunShard, { request_counts }: Draft, { cases }: Conclusion): GateResult {
  const errors = cases.invalid + cases.failed + cases.ungraded;
  const trouble = errors === 0 ? "" : `, ${counted(errors, "case")} without a score of its own`;
  const reason = `Shard ${shardText(shard)} of a run with ${counted(shard.plan_cases, "case")}: ${count(request_counts.total)} samples${trouble}. It is judged when all ${shard.of} shards are merged.`;
  return { verdict: "neutral", reasons: [reason], rules: [] };
}
