import { problem, Refusal } from "../domain/refusal.ts";
import type { Baseline } from "./conclude.ts";
import type { Tools } from "./tools.ts";

/** A run to compare with. One that was stopped has lost cases, which would look like new ones here. */
export async function readBaseline(
  source: string,
  directory: string,
  tools: Pick<Tools, "readRun">,
): Promise<Baseline & { readonly kind: "run" }> {
  const stored = await tools.readRun(directory);
  if (stored.run.status !== "completed") {
    throw new Refusal(problem("baseline_unfinished", { source, status: stored.run.status }));
  }
  return { kind: "run", source, stored };
}
