import { problem, Refusal } from "../../model/refusal.ts";
import type { ShardChoice } from "../../model/outcomes/shard.ts";
import type { RunChoices } from "../selection/choices.ts";
import type { OpenedSuite } from "../policy/open.ts";

/** Refuses options that make no sense for recorded results. */
export async function refuseIdle(
  {
    shard,
    rerun,
    choices,
  }: {
    readonly shard?: ShardChoice | undefined;
    readonly rerun?: boolean;
    readonly choices?: RunChoices | undefined;
  },
  { prepared, close }: OpenedSuite,
): Promise<void> {
  if (prepared.recorded === undefined) return;
  const asked = {
    shard: shard !== undefined,
    "rerun-failed": rerun === true,
    "--max-samples": choices?.maxSamples !== undefined,
    "--case": (choices?.cases ?? []).length > 0,
    "--where": (choices?.where ?? []).length > 0,
    "--repeats": choices?.repeats !== undefined,
  };
  const flags = Object.entries(asked).flatMap(([flag, isAsked]) => (isAsked ? [flag] : []));
  if (flags.length === 0) return;
  await close();
  const why = "nothing is run for them";
  throw new Refusal(flags.map((flag) => problem("results_flag_idle", { flag, why })));
}
