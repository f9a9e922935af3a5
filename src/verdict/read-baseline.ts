import { chosenCases } from "../model/outcomes/chosen.ts";
import { problem, Refusal } from "../model/refusal.ts";
import { shardText } from "../model/outcomes/shard.ts";
import type { Baseline } from "./conclude.ts";
import type { Tools } from "../tools.ts";

/** Reads a run to compare with. Refuses one that was stopped: it lacks cases, which would look like new ones here. */
export async function readBaseline(
  source: string,
  directory: string,
  tools: Tools,
): Promise<Baseline & { readonly kind: "run" }> {
  const stored = await tools.readRun(directory);
  const { shard } = stored.run;
  if (shard) throw new Refusal(problem("baseline_is_shard", { source, shard: shardText(shard) }));
  if (chosenCases(stored.run).length > 0)
    throw new Refusal(problem("baseline_selected", { source }));
  if (stored.run.status !== "completed") {
    throw new Refusal(problem("baseline_unfinished", { source, status: stored.run.status }));
  }
  return { kind: "run", source, stored };
}
