import { join } from "node:path";
import { problem, Refusal } from "../model/refusal.ts";
import type { OwnRuns } from "../model/ports/store.ts";
import type { Tools } from "../tools.ts";

/** Default directory of a run: a new one, or the directory of the run to resume. */
export async function placeFor(
  {
    resume,
    runId,
    inputHash,
  }: { readonly resume: boolean; readonly runId: string; readonly inputHash: string },
  own: OwnRuns,
  tools: Tools,
): Promise<string> {
  return resume ? interruptedOf(inputHash, own, tools) : join(own.folder, "runs", runId);
}

/** The last run of the same input that was cut off or stopped. */
async function interruptedOf(
  inputHash: string,
  { folder, runs }: OwnRuns,
  { readInputHash }: Tools,
): Promise<string> {
  for (const { directory, isOpen } of runs)
    if (isOpen && (await readInputHash(directory)) === inputHash) return directory;
  throw new Refusal(problem("resume_none", { folder }));
}
