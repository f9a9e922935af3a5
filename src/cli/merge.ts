import { exitCodes } from "../model/verdict.ts";
import { mergeShards } from "../runs.ts";
import type { FinishedRun } from "../runs.ts";
import type { Tools } from "../tools.ts";
import { withBase } from "./base.ts";
import type { AskedOfRuns } from "./declare-runs.ts";

type AskedToMerge = Extract<AskedOfRuns, { command: "merge" }>;

/** Joins shards and judges them; the exit code is the verdict's. */
export async function mergeRuns(
  asked: AskedToMerge,
  tools: Tools,
  show: (finished: FinishedRun) => void,
): Promise<number> {
  const { directories, out, suite: manifest, baseline } = asked;
  const finished = await withBase(asked, tools, (policyFrom) => {
    const request = { directories, out, manifest, baseline, policyFrom };
    return mergeShards({ ...request, publish: "failures" }, tools);
  });
  show(finished);
  if (finished.run.status === "cancelled") return exitCodes.interrupted;
  return exitCodes[finished.run.gate.verdict];
}
