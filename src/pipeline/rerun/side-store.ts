import { join } from "node:path";
import type { Ledger } from "../../domain/ledger.ts";
import type { Run } from "../../domain/run.ts";
import type { RunStore, StoredRun } from "../../domain/store.ts";
import type { Spent } from "../budget.ts";
import { conclude } from "../conclude.ts";
import type { Draft } from "../describe.ts";
import { judgedOf } from "../describe.ts";
import type { Tools } from "../tools.ts";

/** A run directory within another one's: new, interrupted, or finished by an earlier attempt. */
export type SideStore =
  | { readonly kind: "open"; readonly store: RunStore }
  | { readonly kind: "finished"; readonly stored: StoredRun };

/** Opens it; on a resumption, as the earlier attempt left it. */
export async function openSideStore(
  side: { readonly directory: string; readonly inputHash: string; readonly resume: boolean },
  tools: Tools,
): Promise<SideStore> {
  const { directory, inputHash } = side;
  const has = async (name: string): Promise<boolean> =>
    (await tools.files.inspectPath(join(directory, name))).kind !== "missing";
  // Only a run that is whole has the one without the other.
  const isBegun = side.resume && (await has("generated.jsonl"));
  if (side.resume && !isBegun && (await has("run.json"))) {
    const stored = await tools.readRun(directory);
    if (stored.run.input_hash === inputHash) return { kind: "finished", stored };
  }
  const createdAt = new Date(tools.now()).toISOString();
  const start = { directory, resume: isBegun, inputHash, runId: tools.newRunId(), createdAt };
  return { kind: "open", store: await tools.openRunStore(start) };
}

/** Leaves a side's directory whole: a run that no rule judges. */
export async function finishSide(
  store: RunStore,
  made: { readonly draft: Draft; readonly ledger: Ledger; readonly summary: string },
  tools: Pick<Tools, "now">,
): Promise<Run> {
  const { draft, ledger, summary } = made;
  const none = { kind: "none", reason: "it is one side of a comparison" } as const;
  const run = { ...draft, ...conclude(judgedOf(draft, ledger), none, tools.now()) };
  await store.finish({ run, ledger, summary });
  return run;
}

/** What an earlier attempt spent on a run that it finished. */
export function spentOn({ usage }: Run): Spent {
  const judge = (usage.judge_input_tokens ?? 0) + (usage.judge_output_tokens ?? 0);
  return {
    usd: usage.usd + usage.judge_usd,
    tokens: usage.input_tokens + usage.output_tokens + judge,
  };
}
