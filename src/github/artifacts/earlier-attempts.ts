import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { AttemptAsked } from "../../model/outcomes/attempts.ts";
import { isJsonObject } from "../../model/json.ts";
import type { RunKey } from "../../model/outcomes/run.ts";
import { scoresArtifactName } from "./artifact-names.ts";
import { hasArtifactService } from "./artifact.ts";
import { attemptOf, type PlannedRun } from "./attempts.ts";
import { traitsOf } from "../runner/events.ts";
import { openOwnArtifacts, type OwnArtifact, type OwnArtifacts } from "./own-artifacts.ts";
import { attemptArtifact, attemptPrefix, kindOfArtifact } from "./run-artifacts.ts";
import type { Environment } from "../../model/ports/processes.ts";

/**
 * Restores the files of this job's last attempt, which include those of earlier attempts, into the still empty run
 * directories. If files may exist but can't be fetched, this is recorded, so that the run does not pass because they
 * are missing.
 */
export async function fetchEarlier(
  runs: readonly RunToResume[],
  env: Environment,
): Promise<readonly AttemptAsked[]> {
  const number = attemptOf(env);
  const known = (unread?: string): readonly AttemptAsked[] =>
    runs.map(() => ({ number, before: undefined, unread }));
  // GitHub Enterprise Server has no such artifacts, so no attempt leaves any there.
  if (number === 1 || !hasArtifactService(env) || isEnterpriseServer(env)) return known();
  try {
    const artifacts = await openOwnArtifacts(env);
    const all = await artifacts.list();
    if (areLost(all, env)) return known(lost);
    const found: AttemptAsked[] = [];
    for (const run of runs) {
      const left = leftBy(attemptArtifact(run, env), all).filter((each) => each.number < number);
      const isLost = left.length === 0 && hasScores(run, all, env);
      const fetched = isLost ? unreadable(lost) : await fetchNewest(left, run, artifacts);
      found.push({ number, ...fetched });
    }
    return found;
  } catch (cause) {
    return known(`the artifacts of this workflow run can't be listed (${reasonOf(cause)})`);
  }
}

/** A run, with the key by which later runs find it. */
export interface RunToResume extends PlannedRun {
  readonly key: RunKey;
}

const lost = "earlier attempts have left runs, and nothing that a re-run could go on with";

/**
 * True if an attempt came to its end, because it has uploaded its scores. The files for a re-run are uploaded later.
 */
function hasScores({ key }: RunToResume, all: readonly OwnArtifact[], env: Environment): boolean {
  const end = scoresArtifactName("", key).replace(/^.*~/, "~");
  return !mayReuseRun(env) && all.some(({ name }) => name.endsWith(end));
}

/** True if this event's runs may reuse another run, in which case they keep nothing. */
function mayReuseRun(env: Environment): boolean {
  return traitsOf(env["GITHUB_EVENT_NAME"] ?? "").mayReuse === true;
}

/** True if jobs have uploaded runs but no files for a re-run. That upload comes last, so it must have failed. */
function areLost(all: readonly OwnArtifact[], env: Environment): boolean {
  const hasRun = all.some(({ name }) => kindOfArtifact(name) !== undefined);
  const hasKept = all.some(({ name }) => name.startsWith(attemptPrefix));
  return hasRun && !hasKept && !mayReuseRun(env);
}

/** Empties a run directory. */
export async function clearRun(out: string): Promise<void> {
  await rm(out, { recursive: true, force: true });
}

interface Left {
  readonly number: number;
  /** More than one if several jobs or steps can't be told apart. */
  readonly artifacts: readonly OwnArtifact[];
}

/** Artifacts that attempts have left under a name, the newest first. */
function leftBy(name: string, all: readonly OwnArtifact[]): readonly Left[] {
  const byNumber = Map.groupBy(all, (artifact) => {
    const end = artifact.name.startsWith(`${name}~`) ? artifact.name.slice(name.length + 1) : "";
    const [, number] = /^(\d{1,6})(?:-\d+)?$/.exec(end) ?? [];
    return number === undefined ? undefined : Number(number);
  });
  return [...byNumber]
    .flatMap(([number, artifacts]) => (number === undefined ? [] : [{ number, artifacts }]))
    .toSorted((a, b) => b.number - a.number);
}

type Fetched = Pick<AttemptAsked, "before" | "unread">;

async function fetchNewest(
  [newest, ...older]: readonly Left[],
  run: PlannedRun,
  artifacts: OwnArtifacts,
): Promise<Fetched> {
  if (newest === undefined) return { before: undefined, unread: undefined };
  const { number } = newest;
  const [artifact, ...others] = newest.artifacts;
  if (artifact === undefined || others.length > 0)
    return unreadable(
      `several jobs or steps ran this suite in attempt ${number}, all under one name; give each its own input \`leg\``,
    );
  // The name has the attempt's number: no later attempt of this job uploads it again.
  if (artifact.isRepeated)
    return unreadable(
      `attempt ${number} left ${artifact.name}, and in a later attempt another job has uploaded one of the same name`,
    );
  try {
    await artifacts.fetch(artifact, run.out);
    const gap = older.length === 0 ? undefined : await gapIn(run);
    if (gap === undefined) return { before: number, unread: undefined };
    // The attempt would have passed, but the attempts that it could not read may contain failures.
    if (!gap.isFailed) {
      await clearRun(run.out);
      return await fetchNewest(older, run, artifacts);
    }
    return { before: number, unread: `attempt ${number} could not read those before it` };
  } catch (cause) {
    // Remove a partly restored run, so that the run can begin anew.
    await clearRun(run.out);
    return unreadable(`what attempt ${number} left can't be fetched (${reasonOf(cause)})`);
  }
}

function unreadable(unread: string): Fetched {
  return { before: undefined, unread };
}

/**
 * Tells whether a run lacks attempts that it could not read, and whether it failed. A shard counts as failed, because
 * it has no verdict.
 */
async function gapIn({
  out,
  shard,
}: PlannedRun): Promise<{ readonly isFailed: boolean } | undefined> {
  const text = await readFile(join(out, "run.json"), "utf8").catch(() => "{}");
  const run: unknown = JSON.parse(text);
  if (!isJsonObject(run)) return undefined;
  const { attempts, gate } = run;
  if (!isJsonObject(attempts) || typeof attempts["unread"] !== "string") return undefined;
  const verdict = isJsonObject(gate) ? gate["verdict"] : undefined;
  return { isFailed: shard !== undefined || verdict !== "inconclusive" };
}

function isEnterpriseServer(env: Environment): boolean {
  const address = env["GITHUB_SERVER_URL"];
  const host = URL.canParse(address ?? "") ? new URL(address ?? "").hostname : "github.com";
  return host !== "github.com" && !host.endsWith(".ghe.com") && !host.endsWith(".localhost");
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
