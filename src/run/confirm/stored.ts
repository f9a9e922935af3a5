import { join } from "node:path";
import type { Confirmation, FreshScores } from "../../model/outcomes/confirmation.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Tools } from "../../tools.ts";

/**
 * Reads a run's confirmation from its directory, so that its fresh scores lead to the same decision. Throws a Refusal
 * if they were not stored: without them the verdict would differ.
 */
export async function readConfirmation(
  directory: string,
  { confirmation: record }: Run,
  { readRun }: Tools,
): Promise<Confirmation | undefined> {
  if (record === undefined) return undefined;
  const fresh: (FreshScores | undefined)[] = [];
  for (const { directory: folder } of record.rounds) {
    if (folder === null) fresh.push(undefined);
    else {
      const head = await readRun(join(directory, folder, "head"));
      const base = await readRun(join(directory, folder, "base"));
      fresh.push({ head: head.ledger, base: base.ledger });
    }
  }
  return { record, fresh };
}
