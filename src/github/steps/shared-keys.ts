import { setTimeout as sleep } from "node:timers/promises";
import { problem } from "../../model/refusal.ts";
import { scoresArtifactName } from "../artifacts/artifact-names.ts";
import type { Upload } from "../artifacts/artifact.ts";
import { githubPace } from "../api/pace.ts";
import { noteOf } from "../runner/log.ts";
import { openOwnArtifacts } from "../artifacts/own-artifacts.ts";
import type { FinishedEnd, StepEnd } from "./ends.ts";
import type { Step } from "./step.ts";

/** Time in which the other job's upload of a few kilobytes should end. */
const otherUploadMilliseconds = 3000;

/**
 * The runs whose scores' name another job or step of this workflow run has taken, now or in an earlier attempt. A name
 * is also taken if the answer to our own upload was lost; such an upload was never finished, and is in no list.
 */
export async function findShared(
  runs: readonly FinishedEnd[],
  uploads: readonly Upload[],
  { env, context, log }: Step,
): Promise<ReadonlySet<StepEnd>> {
  const scores = runs.flatMap((end) => {
    const { suite, key } = end.run;
    return key === undefined ? [] : [{ end, name: scoresArtifactName(suite.name, key) }];
  });
  const uploaded = uploads.filter((each) => each.kind === "uploaded").map(({ name }) => name);
  const isRerun = context.attempt > 1;
  if (!isRerun && !scores.some(({ name }) => hasCopy(name, uploaded))) return new Set();
  const find = async (): Promise<ReadonlySet<StepEnd>> => {
    const names = (await (await openOwnArtifacts(env)).list()).map(({ name }) => name);
    const shared = scores.filter(({ name }) => names.includes(name) && hasCopy(name, names));
    return new Set(shared.map(({ end }) => end));
  };
  try {
    const shared = await find();
    if (shared.size > 0 || isRerun) return shared;
    // The other upload may still be under way.
    await sleep(githubPace(env).pauseMilliseconds(otherUploadMilliseconds));
    return await find();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    log.warning(noteOf(problem("legs_unknown", { reason })));
    return new Set();
  }
}

/** True if a second artifact was uploaded because the name was taken. */
function hasCopy(name: string, all: readonly string[]): boolean {
  return all.some((each) => each.startsWith(`${name}-`));
}
