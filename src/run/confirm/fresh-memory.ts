import { join } from "node:path";
import type { ConfirmRound } from "../../model/outcomes/confirmation.ts";
import { noResponseCache, type ResponseCache } from "../response-cache.ts";
import type { PreparedTask } from "../../suite/opening/open-task.ts";
import { answersOf } from "../own-policy/answers.ts";
import type { Tools } from "../../tools.ts";
import type { PlannedRound } from "./rounds.ts";

/** The rounds of the run by the base's policy, whose answers the other policy reuses. */
export interface EarlierRounds {
  /** The run directory. */
  readonly directory: string;
  readonly rounds: readonly ConfirmRound[];
  /** Tasks of both sides by round; undefined for a round that was not run. */
  readonly tasks: readonly (
    | { readonly head: PreparedTask; readonly base: PreparedTask }
    | undefined
  )[];
}

/**
 * Fresh answers that the same round got under the other policy, minutes ago and for the same purpose: thus both
 * verdicts judge the same answers. Other sources are excluded: the cache holds answers of the runs that found the drop.
 */
export async function freshMemory(
  earlier: EarlierRounds | undefined,
  { round, name }: { readonly round: PlannedRound; readonly name: "head" | "base" },
  tools: Tools,
): Promise<ResponseCache> {
  const at =
    earlier?.rounds.findIndex(
      (each) => each.task === round.task && each.candidate === round.candidate,
    ) ?? -1;
  const [done, tasks] = [earlier?.rounds[at], earlier?.tasks[at]];
  if (earlier === undefined || done === undefined || tasks === undefined) return noResponseCache;
  if (done.directory === null) return noResponseCache;
  const directory = join(earlier.directory, done.directory, name);
  const store = { directory, openSamples: () => tools.openSamples(directory) };
  return answersOf({ store, tasks: [tasks[name]] }, tools, noResponseCache);
}
