import { join } from "node:path";
import type { Taken } from "../../verdict/usage.ts";
import type { Ledger } from "../../model/figures/ledger.ts";
import { digestSample } from "../../model/outcomes/sample.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { RunStore, StoredRun, Spent } from "../../model/ports/store.ts";
import { addSpent, nothingSpent } from "../../model/figures/spent.ts";
import { conclude } from "../../verdict/conclude.ts";
import type { Draft } from "../../verdict/describe.ts";
import { judgedOf } from "../../verdict/describe.ts";
import { createRunTotals } from "../../verdict/run-totals.ts";
import type { Tools } from "../../tools.ts";

/** A run directory within another one's: new, interrupted, or finished by an earlier attempt. */
export type SideStore =
  | { readonly kind: "open"; readonly store: RunStore }
  | { readonly kind: "finished"; readonly stored: StoredRun };

/** Opens the directory. If an earlier attempt at the same side is in it, continues from there. */
export async function openSideStore(
  side: { readonly directory: string; readonly inputHash: string; readonly isOld: boolean },
  tools: Tools,
): Promise<SideStore> {
  const { directory, inputHash, isOld } = side;
  const has = async (name: string): Promise<boolean> =>
    isOld && (await tools.files.inspectPath(join(directory, name))).kind !== "missing";
  // Only a complete run has the first file without the second.
  const isBegun = await has("generated.jsonl");
  if (!isBegun && (await has("run.json")))
    return { kind: "finished", stored: await tools.readRun(directory) };
  const createdAt = new Date(tools.now()).toISOString();
  const start = { directory, resume: isBegun, inputHash, runId: tools.newRunId(), createdAt };
  return { kind: "open", store: await tools.openRunStore(start) };
}

/** Completes a side's directory, as a run that no rule judges. */
export async function finishSide(
  store: RunStore,
  made: { readonly draft: Draft; readonly ledger: Ledger; readonly summary: string },
  tools: Tools,
): Promise<Run> {
  const { draft, ledger, summary } = made;
  const none = { kind: "none", reason: "it is one side of a comparison" } as const;
  const run = { ...draft, ...conclude(judgedOf(draft, ledger), none, tools.now()) };
  await store.finish({ run, ledger, summary });
  return run;
}

/** Spending of an earlier attempt at a run. */
export function spentOn({ usage }: Taken): Spent {
  const judge = (usage.judge_input_tokens ?? 0) + (usage.judge_output_tokens ?? 0);
  return {
    usd: usage.usd + usage.judge_usd,
    tokens: usage.input_tokens + usage.output_tokens + judge,
  };
}

/** Total spending of several runs. */
export function spentOnAll(runs: readonly Taken[]): Spent {
  return runs.map(spentOn).reduce(addSpent, nothingSpent);
}

/** Usage of the samples in a directory, even if their run did not complete, because it was paid for. */
export async function takenIn(directory: string, { visitSamples }: Tools): Promise<Taken> {
  const totals = createRunTotals();
  for await (const sample of visitSamples(directory)) totals.add(digestSample(sample));
  const { usage, generateSeconds, gradeSeconds } = totals.totals();
  const timing = { seconds: 0, generate_seconds: generateSeconds, grade_seconds: gradeSeconds };
  return { usage, timing };
}

/**
 * Existing folders of that name, up to the first missing number: one per attempt that could not continue in earlier ones.
 */
export async function numberedFolders(
  directory: string,
  nameOf: (number: number) => string,
  { files }: Tools,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (;;) {
    const name = nameOf(found.length + 1);
    if ((await files.inspectPath(join(directory, name))).kind === "missing") return found;
    found.push(name);
  }
}
