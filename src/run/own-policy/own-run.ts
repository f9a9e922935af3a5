import { join } from "node:path";
import type { AttemptAsked } from "../../model/outcomes/attempts.ts";
import { ownPolicyFolder } from "../../model/outcomes/policy.ts";
import type { RunStore } from "../../model/ports/store.ts";
import { execute } from "../execute.ts";
import type { Executed, Execution } from "../execute.ts";
import type { Prepared } from "../../suite/prepare.ts";
import type { Tools } from "../../tools.ts";
import { answersOf } from "./answers.ts";

/** The run by the base's policy, which comes first. */
interface FirstRun extends Omit<Execution, "memory" | "spent" | "baseline"> {
  readonly executed: Executed;
  readonly resume: boolean;
  readonly attempt: AttemptAsked | undefined;
}

/**
 * Runs a suite by the change's own policy over the first run's answers. Only new requests are sent: for cases that the
 * change adds, and for prompts that differ. Its run directory lies within the first run's.
 */
export async function runByOwnPolicy(
  first: FirstRun,
  { own, memory, baseline }: Pick<Execution, "memory" | "baseline"> & { readonly own: Prepared },
  tools: Tools,
): Promise<Executed & { readonly store: RunStore }> {
  const { prepared, executed, request } = first;
  tools.report({
    kind: "note",
    text: "This change alters how it is judged: the same answers are judged by its own policy too.",
  });
  const store = await openOwnStore(first, own, tools);
  try {
    const { tasks, candidates } = prepared;
    const answered = { store: first.store, tasks, candidates };
    const shared = await answersOf(answered, tools, memory);
    const { spent } = executed;
    const work = { request, prepared: own, store, memory: shared, baseline, spent };
    const asked = first.onAsked && { onAsked: first.onAsked };
    return { ...(await execute({ ...work, ...asked }, tools)), store };
  } catch (error) {
    await store.release();
    throw error;
  }
}

async function openOwnStore(first: FirstRun, own: Prepared, tools: Tools): Promise<RunStore> {
  const directory = join(first.store.directory, ownPolicyFolder);
  const has = async (name: string): Promise<boolean> =>
    (await tools.files.inspectPath(join(directory, name))).kind !== "missing";
  // A run that was interrupted before the second one began has no files of it; a complete one is continued by a further
  // attempt.
  const isWhole = first.attempt?.before !== undefined && (await has("run.json"));
  const isBegun = isWhole || (await has("generated.jsonl"));
  return tools.openRunStore({
    directory,
    resume: first.resume && isBegun,
    attempt: first.attempt,
    inputHash: own.inputHash,
    runId: tools.newRunId(),
    createdAt: new Date(tools.now()).toISOString(),
  });
}
