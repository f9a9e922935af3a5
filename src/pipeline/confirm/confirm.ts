import { join } from "node:path";
import {
  confirmAlpha,
  confirmFolder,
  type Confirmation,
  type ConfirmRound,
  type FreshScores,
} from "../../domain/confirmation.ts";
import type { BaseTree } from "../../domain/policy.ts";
import type { Run } from "../../domain/run.ts";
import type { RunStore } from "../../domain/store.ts";
import { defaultAlpha } from "../../domain/suite.ts";
import type { ProvenDrop } from "../../gate/confirm.ts";
import { findProvenDrops, type Baseline } from "../conclude.ts";
import { judgedOf } from "../describe.ts";
import type { Executed, Execution } from "../execute.ts";
import { onlyCases } from "../only-cases.ts";
import type { PreparedTask } from "../open-task.ts";
import type { OpenPolicy } from "../policy/open.ts";
import type { Prepared } from "../prepare.ts";
import type { Tools } from "../tools.ts";
import { addSeconds, addUsage } from "../usage.ts";
import { openBaseSide, type BaseSide } from "./base-side.ts";
import { createBaseTrees, type BaseTrees } from "./base-trees.ts";
import { tellConfirmation } from "./declare.ts";
import { freshMemory, type EarlierRounds } from "./fresh-memory.ts";
import { runRound, type RoundEnd, type RoundSide } from "./round.ts";
import { cannot, planRounds, recordRound, type Obstacle, type PlannedRound } from "./rounds.ts";

/** A run whose proven drops are to be confirmed before it is judged. */
export interface ToConfirm {
  readonly request: Execution["request"] & {
    readonly manifest: string;
    readonly resume: boolean;
    readonly policyFrom?: BaseTree | undefined;
  };
  readonly prepared: Prepared;
  readonly executed: Executed;
  readonly store: Pick<RunStore, "directory">;
  readonly slots: OpenPolicy["slots"] | undefined;
  /** Its answers are those of shards: candidates are only named here. */
  readonly isMerged?: boolean;
  /** Of the same run by another policy: what it asked afresh need not be asked again. */
  readonly earlier?: EarlierRounds | undefined;
}

/** The run with what became of its proven drops. */
export type Confirmed = Executed & { readonly rounds?: EarlierRounds };

/**
 * Runs the cases that changed in proven drops again, broken and fixed, on both sides, before they block. The base's side is
 * the baseline's candidate, asked as it was asked; where it can't be run here, the round says why. The calls are
 * declared before the first of them, and fresh: no cache is read.
 */
export async function confirmDrops(work: ToConfirm, tools: Tools): Promise<Confirmed> {
  const { executed, prepared, slots } = work;
  const { baseline, draft, ledger } = executed;
  const { gate } = prepared.suite;
  if (gate === "none" || gate.confirm === "never") return executed;
  if (draft.status !== "completed" || baseline.kind === "none") return executed;
  const found = findProvenDrops({ ...judgedOf(draft, ledger), slots }, baseline);
  const planned = planRounds(found.proven);
  if (planned.length === 0) return executed;
  if (!found.hangsOnProven) {
    const why = cannot("not_needed", "the run fails whatever running it again would show");
    const rounds = planned.map((round) => recordRound(round, why));
    return withRecord(executed, found.proven, { rounds, fresh: rounds.map(() => undefined) });
  }
  const { manifest, policyFrom } = work.request;
  const baselineRun = baseline.stored.run;
  const trees = createBaseTrees({ manifest, baseline: baselineRun, policyFrom }, tools);
  const opened: Opened[] = [];
  try {
    for (const round of planned)
      opened.push(
        work.isMerged === true
          ? { kind: "not_possible", round, why: notInMerge }
          : await openRound(round, { prepared, baseline, trees }, tools),
      );
    tellConfirmation(opened.filter(isReady), prepared.suite.budget, tools.report);
    return await runRounds({ ...work, drops: found.proven, baselineRun }, opened, tools);
  } finally {
    for (const each of opened) if (isReady(each)) await each.base.candidate.close();
    await trees.close();
  }
}

const notInMerge = cannot(
  "head_recorded",
  "its answers are those of the shards, and a merge asks nobody",
);

/** A round with both sides ready to be asked. */
interface Ready {
  readonly kind: "ready";
  readonly round: PlannedRound;
  readonly task: PreparedTask;
  readonly base: BaseSide;
}

type Opened =
  | Ready
  | { readonly kind: "not_possible"; readonly round: PlannedRound; readonly why: Obstacle };

function isReady(opened: Opened): opened is Ready {
  return opened.kind === "ready";
}

async function openRound(
  round: PlannedRound,
  parts: {
    readonly prepared: Prepared;
    readonly baseline: Extract<Baseline, { readonly kind: "run" }>;
    readonly trees: BaseTrees;
  },
  tools: Tools,
): Promise<Opened> {
  const { prepared, baseline, trees } = parts;
  const whole = prepared.tasks.find(({ spec }) => spec.id === round.task);
  const own = prepared.candidateSpecs.find(({ id }) => id === round.candidate);
  if (whole === undefined || own === undefined) throw new RangeError("a drop of what was not run");
  const not = (why: Obstacle): Opened => ({ kind: "not_possible", round, why });
  if (own.kind === "replay")
    return not(cannot("head_recorded", "the answers are a recording, which gives the same again"));
  if (whole.grader.gradeBatch !== undefined)
    return not(
      cannot(
        "batch_grader",
        "its grader scores all cases together, and some of them would be scored otherwise",
      ),
    );
  const ids = new Set(round.cases.map(({ caseId }) => caseId));
  const spec = { ...whole.spec, repeats: round.repeats };
  const task = { ...whole, spec, dataset: onlyCases(whole.dataset, ids) };
  const base = await openBaseSide({ round, task, prepared, stored: baseline.stored, trees }, tools);
  return base.kind === "open" ? { kind: "ready", round, task, base } : not(base);
}

interface Rounds extends ToConfirm {
  readonly drops: readonly ProvenDrop[];
  readonly baselineRun: Run;
}

async function runRounds(
  work: Rounds,
  opened: readonly Opened[],
  tools: Tools,
): Promise<Confirmed> {
  let { executed } = work;
  const rounds: ConfirmRound[] = [];
  const fresh: (FreshScores | undefined)[] = [];
  let halted: Obstacle | undefined;
  for (const [i, each] of opened.entries()) {
    const why = isReady(each) ? halted : each.why;
    if (why !== undefined || !isReady(each)) {
      rounds.push(recordRound(each.round, why ?? cannot("not_needed", "")));
      fresh.push(undefined);
      continue;
    }
    const directory = `${confirmFolder}/${i + 1}`;
    const started = tools.now();
    const end = await runReady(each, { work, executed, directory }, tools);
    executed = withSpent(executed, end, (tools.now() - started) / 1000);
    if (end.kind === "stopped") return stopRun(executed, end);
    if (end.kind === "halted")
      halted = cannot("base_halted", `the base can't be asked here: ${end.reason}`);
    const isDead = end.kind === "run" && isBaseDead(end.fresh, each.round);
    const told = { kind: "run" as const, directory, baseSha: each.base.sha };
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

const baseIsDead = cannot(
  "base_refused",
  "the base's candidate failed in every case when it was run here",
);

/** A checkout that lacks something fails in every case: beside it, whatever the change does looks like no loss. */
function isBaseDead(fresh: FreshScores, { task, baseCandidate }: PlannedRound): boolean {
  const group = fresh.base.group(task, baseCandidate);
  if (group === undefined) return false;
  const outcomes = Array.from({ length: group.size }, (_, i) => group.outcome(i));
  return outcomes.includes("failed") && !outcomes.includes("scored");
}

async function runReady(
  { round, task, base }: Ready,
  at: { readonly work: Rounds; readonly executed: Executed; readonly directory: string },
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
      directory: join(store.directory, at.directory),
      resume: request.resume,
      identity: JSON.stringify([prepared.inputHash, baselineRun.id, round.task, round.candidate]),
      spent: at.executed.spent,
      minutesUsed: seconds / 60,
    },
    tools,
  );
}

function withRecord(
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

/** What the fresh samples took, the run took. */
function withSpent(executed: Executed, { drafts, spent }: RoundEnd, seconds: number): Executed {
  return {
    ...executed,
    spent,
    draft: addSeconds(drafts.reduce(addUsage, executed.draft), seconds),
  };
}

/** A confirmation that was stopped leaves the run without a verdict: a resumption goes on with it. */
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
