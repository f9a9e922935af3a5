import { join } from "node:path";
import {
  confirmAlpha,
  type Confirmation,
  type ConfirmRound,
  type FreshScores,
} from "../../model/outcomes/confirmation.ts";
import type { BaseTree } from "../../model/outcomes/policy.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { RunStore } from "../../model/ports/store.ts";
import { defaultAlpha } from "../../model/definition/gate.ts";
import type { ProvenDrop } from "../../gate/confirm.ts";
import type { Executed, Execution } from "../execute.ts";
import type { OpenPolicy } from "../../suite/policy/open.ts";
import type { Prepared } from "../../suite/prepare.ts";
import type { Tools } from "../../tools.ts";
import { addSeconds, addRunUsage } from "../../verdict/usage.ts";
import { placeRounds, withTaken, type ConfirmAttempt, type RoundPlace } from "./attempts.ts";
import { freshMemory, type EarlierRounds } from "./fresh-memory.ts";
import { isReady, type OpenedRound, type Ready } from "./open-round.ts";
import { runRound, type RoundEnd, type RoundSide } from "./round.ts";
import { cannot, recordRound, type Obstacle, type PlannedRound } from "./rounds.ts";

/** A run whose proven drops are to be confirmed before it is judged. */
export interface ToConfirm {
  readonly request: Execution["request"] & {
    readonly manifest: string;
    /** True if failed and ungraded samples of a finished run are run again. */
    readonly rerun?: boolean;
    readonly policyFrom?: BaseTree | undefined;
  };
  readonly prepared: Prepared;
  readonly executed: Executed;
  readonly store: RunStore;
  readonly slots: OpenPolicy["slots"] | undefined;
  /** True if the answers come from shards: here the candidates are only names. */
  readonly isMerged?: boolean;
  /** Rounds of the same run by the other policy: their fresh answers are reused. */
  readonly earlier?: EarlierRounds | undefined;
  /** Called around the rounds, if there are any: the candidates are watched while they are asked again. */
  readonly whileAsked?: <T extends Executed>(ask: () => Promise<T>) => Promise<T>;
}

/** The run with the results of confirming its proven drops. */
export type Confirmed = Executed & { readonly rounds?: EarlierRounds };

/** Everything to confirm: the drops, and the results of earlier attempts at them. */
export interface Rounds extends ToConfirm {
  readonly drops: readonly ProvenDrop[];
  readonly attempts: readonly ConfirmAttempt[];
}

type OpenedRounds = Rounds & { readonly baselineRun: Run };

/**
 * Runs the rounds that can be run, one after the other. Each gets a directory in the run's; the run gets one record of
 * all.
 */
export async function runRounds(
  work: OpenedRounds,
  opened: readonly OpenedRound[],
  tools: Tools,
): Promise<Confirmed> {
  const identities = opened.map((each) => (isReady(each) ? identityOf(each, work) : undefined));
  const places = placeRounds(identities, work.attempts, tools.files.hashText);
  let executed = withTaken(work.executed, work.attempts, places);
  const rounds: ConfirmRound[] = [];
  const fresh: (FreshScores | undefined)[] = [];
  let halted: Obstacle | undefined;
  for (const [i, each] of opened.entries()) {
    const why = isReady(each) ? halted : each.why;
    const [place, identity] = [places[i], identities[i]];
    if (why !== undefined || !isReady(each) || place === undefined || identity === undefined) {
      rounds.push(recordRound(each.round, why ?? cannot("not_needed", "")));
      fresh.push(undefined);
      continue;
    }
    const started = tools.now();
    const end = await runReady(each, { work, executed, place, identity }, tools);
    executed = withSpent(executed, end, (tools.now() - started) / 1000);
    if (end.kind === "stopped") return stopRun(executed, end);
    if (end.kind === "halted")
      halted = cannot("base_halted", `the base can't be asked here: ${end.reason}`);
    const isDead = end.kind === "run" && isBaseDead(end.fresh, each.round);
    const told = { kind: "run" as const, directory: place.folder, baseSha: each.base.sha };
    rounds.push(recordRound(each.round, halted ?? (isDead ? baseIsDead : told)));
    fresh.push(end.kind === "run" && !isDead ? end.fresh : undefined);
  }
  const made = { rounds, fresh };
  const tasks = opened.map((each) =>
    isReady(each) ? { head: each.task, base: each.base.task } : undefined,
  );
  const earlier = { directory: work.store.directory, rounds, tasks };
  return { ...withRecord(executed, work.drops, made), rounds: earlier };
}

/** Identity of a round, the same for all attempts at it: candidates, prompts and cases. */
function identityOf({ round, base }: Ready, { prepared, baselineRun }: OpenedRounds): string {
  const { task, candidate, baseCandidate, repeats, cases } = round;
  const pairs = cases.map(({ caseId, baseCaseId }) => JSON.stringify([caseId, baseCaseId]));
  const sides = [prepared.inputHash, baselineRun.id, base.sha];
  return JSON.stringify([...sides, task, candidate, baseCandidate, repeats, pairs.toSorted()]);
}

const baseIsDead = cannot(
  "base_refused",
  "the base's candidate failed in every case when it was run here",
);

/**
 * Whether the base failed in every case: a checkout that lacks something does, and beside it no change would look like
 * a loss.
 */
function isBaseDead(fresh: FreshScores, { task, baseCandidate }: PlannedRound): boolean {
  const group = fresh.base.group(task, baseCandidate);
  if (group === undefined) return false;
  const outcomes = Array.from({ length: group.size }, (_, i) => group.outcome(i));
  return outcomes.includes("failed") && !outcomes.includes("scored");
}

async function runReady(
  { round, task, base }: Ready,
  at: {
    readonly work: OpenedRounds;
    readonly executed: Executed;
    readonly place: RoundPlace;
    readonly identity: string;
  },
  tools: Tools,
): Promise<RoundEnd> {
  const { prepared, request, store, earlier, baselineRun } = at.work;
  const spec = prepared.candidateSpecs.find(({ id }) => id === round.candidate);
  const candidate = prepared.candidates.find(({ id }) => id === round.candidate);
  if (spec === undefined || candidate === undefined)
    throw new RangeError("a round of no candidate");
  const memoryOf = (name: "head" | "base") => freshMemory(earlier, { round, name }, tools);
  const head: RoundSide = {
    name: "head",
    task,
    spec,
    candidate,
    git: request.git,
    memory: await memoryOf("head"),
  };
  const git = { ...baselineRun.git, sha: base.sha ?? baselineRun.git.sha };
  const there: RoundSide = {
    name: "base",
    task: base.task,
    spec: base.spec,
    candidate: base.candidate,
    git,
    memory: await memoryOf("base"),
  };
  const { seconds } = at.executed.draft.timing;
  return runRound(
    [head, there],
    {
      prepared,
      publish: request.publish,
      directory: join(store.directory, at.place.folder),
      isOld: at.place.isOld,
      identity: at.identity,
      spent: at.executed.spent,
      minutesUsed: seconds / 60,
    },
    tools,
  );
}

/** The run with the record of its rounds. */
export function withRecord(
  executed: Executed,
  drops: readonly ProvenDrop[],
  {
    rounds,
    fresh,
  }: { readonly rounds: readonly ConfirmRound[]; readonly fresh: Confirmation["fresh"] },
): Executed {
  const alpha = confirmAlpha;
  const proof = Math.max(...drops.map((drop) => drop.alpha), drops.length === 0 ? defaultAlpha : 0);
  const joint = Number((proof * alpha).toPrecision(12));
  const record = { alpha, joint_error: joint, rounds };
  const draft = { ...executed.draft, confirmation: record };
  return { ...executed, draft, confirmation: { record, fresh } };
}

/** Adds the cost of the fresh samples to the run. */
function withSpent(executed: Executed, { drafts, spent }: RoundEnd, seconds: number): Executed {
  return {
    ...executed,
    spent,
    draft: addSeconds(drafts.reduce(addRunUsage, executed.draft), seconds),
  };
}

/** Leaves the run without a verdict if its confirmation was stopped: a resumption continues it. */
function stopRun(
  executed: Executed,
  { status, stopped }: Extract<RoundEnd, { readonly kind: "stopped" }>,
): Executed {
  const told =
    stopped === null
      ? null
      : `A drop was proven, and stopped while it was run again before it blocks. ${stopped}`;
  return { ...executed, draft: { ...executed.draft, status, stopped: told } };
}
