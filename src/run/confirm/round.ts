import { join } from "node:path";
import type { Taken } from "../../verdict/usage.ts";
import type { FreshScores } from "../../model/outcomes/confirmation.ts";
import type { Ledger } from "../../model/figures/ledger.ts";
import type { Candidate } from "../../model/models/candidate.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { RunStore, Spent } from "../../model/ports/store.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { createSharedBudget, type SharedBudget } from "../shared-budget.ts";
import { addSpent, nothingSpent } from "../../model/figures/spent.ts";
import type { ResponseCache } from "../response-cache.ts";
import type { Draft } from "../../verdict/describe.ts";
import { execute, type Execution } from "../execute.ts";
import type { PreparedTask } from "../../suite/opening/open-task.ts";
import type { Prepared } from "../../suite/prepare.ts";
import { finishSide, openSideStore, spentOn, type SideStore } from "../rerun/side-store.ts";
import type { Tools } from "../../tools.ts";
import { sideHash } from "./attempts.ts";

/** One side of a round: a task with the round's cases, and the candidate. */
export interface RoundSide {
  readonly name: "head" | "base";
  readonly task: PreparedTask;
  readonly spec: CandidateSpec;
  readonly candidate: Candidate;
  readonly git: Run["git"];
  /** Fresh answers that are already known; never cached ones. */
  readonly memory: ResponseCache;
}

/** State shared by both sides of a round. */
interface RoundWork {
  readonly prepared: Prepared;
  readonly publish: Execution["request"]["publish"];
  /** Parent of the round's two run directories. */
  readonly directory: string;
  /** True if an earlier attempt at this very round has begun there. */
  readonly isOld: boolean;
  /** Identity of the round: the same for all attempts at it. */
  readonly identity: string;
  readonly spent: Spent;
  readonly minutesUsed: number;
}

/** Result of a round. */
export type RoundEnd = (
  | { readonly kind: "run"; readonly fresh: FreshScores }
  /** The base could not answer any further request. */
  | { readonly kind: "halted"; readonly reason: string }
  | { readonly kind: "stopped"; readonly status: Run["status"]; readonly stopped: string | null }
) & { readonly drafts: readonly Taken[]; readonly spent: Spent };

/**
 * Runs both sides of a round at the same time, so that a slow hour or a changing provider affects both. They share one
 * budget, and stop together.
 */
export async function runRound(
  sides: readonly [RoundSide, RoundSide],
  work: RoundWork,
  tools: Tools,
): Promise<RoundEnd> {
  const alongside = createSharedBudget();
  const [first, second] = sides;
  const head = await openSide(first, work, tools);
  const base = await openSide(second, work, tools).catch(async (error: unknown) => {
    await release(head);
    throw error;
  });
  try {
    const ends = await Promise.allSettled([
      executeSide(first, { ...work, opened: head, alongside }, tools),
      executeSide(second, { ...work, spent: nothingSpent, opened: base, alongside }, tools),
    ]);
    const [here, there] = ends.map(valueOf);
    if (here === undefined || there === undefined) throw new RangeError("both sides were begun");
    return await finishRound([here, there], { alongside, opened: [head, base] }, tools);
  } finally {
    await release(head);
    await release(base);
  }
}

function valueOf<T>(end: PromiseSettledResult<T>): T {
  if (end.status === "rejected") throw end.reason;
  return end.value;
}

async function release(side: SideStore): Promise<void> {
  if (side.kind === "open") await side.store.release();
}

function openSide(side: RoundSide, work: RoundWork, tools: Tools): Promise<SideStore> {
  const { directory, identity, isOld } = work;
  const inputHash = sideHash(identity, side.name, tools.files.hashText);
  return openSideStore({ directory: join(directory, side.name), inputHash, isOld }, tools);
}

interface SideEnd {
  readonly draft: Draft;
  readonly ledger: Ledger;
  readonly spent: Spent;
}

async function executeSide(
  side: RoundSide,
  work: RoundWork & { readonly opened: SideStore; readonly alongside: SharedBudget },
  tools: Tools,
): Promise<SideEnd> {
  const { opened, spent, publish, minutesUsed } = work;
  const alongside = { all: work.alongside, name: side.name };
  if (opened.kind === "finished") {
    const { run, ledger } = opened.stored;
    return { draft: run, ledger, spent: addSpent(spent, spentOn(run)) };
  }
  const prepared = preparedFor(side, work, tools);
  const { store } = opened;
  const { memory, git } = side;
  const baseline = { kind: "none", reason: "it is one side of a comparison" } as const;
  const request = { git, publish };
  return execute(
    { request, prepared, store, memory, baseline, spent, alongside, minutesUsed },
    tools,
  );
}

/** The suite with one task, one candidate and the round's cases. No rule judges it. */
function preparedFor(side: RoundSide, { prepared, identity }: RoundWork, tools: Tools): Prepared {
  const { task, spec, candidate, name } = side;
  return {
    ...prepared,
    suite: { ...prepared.suite, tasks: [task.spec], candidates: [spec], gate: "none" },
    tasks: [task],
    candidates: [candidate],
    candidateSpecs: [spec],
    notSelected: { tasks: [], candidates: [] },
    inputHash: sideHash(identity, name, tools.files.hashText),
    // The graders' requests count only on this run's side, because both sides share one budget.
    startModels: name === "head" ? prepared.startModels : () => undefined,
  };
}

async function finishRound(
  [head, base]: readonly [SideEnd, SideEnd],
  {
    alongside,
    opened,
  }: { readonly alongside: SharedBudget; readonly opened: readonly SideStore[] },
  tools: Tools,
): Promise<RoundEnd> {
  const ends = [head, base];
  const status = worstStatus(ends.map(({ draft }) => draft.status));
  const stopped =
    ends.map(({ draft }) => draft.stopped ?? null).find((each) => each !== null) ?? null;
  for (const [i, side] of opened.entries()) {
    const end = ends[i];
    // If one side was stopped, both are incomplete, and resuming the run continues both.
    if (side.kind === "open" && end !== undefined)
      await finishStore(side.store, { ...end, draft: { ...end.draft, status, stopped } }, tools);
  }
  const shared = {
    drafts: ends.map(({ draft }) => draft),
    spent: addSpent(head.spent, base.spent),
  };
  const first = alongside.first();
  if (status === "failed" && first?.name === "base" && first.cause.kind === "halted")
    return { kind: "halted", reason: first.cause.message, ...shared };
  if (status !== "completed") return { kind: "stopped", status, stopped, ...shared };
  return { kind: "run", fresh: { head: head.ledger, base: base.ledger }, ...shared };
}

async function finishStore(store: RunStore, end: SideEnd, tools: Tools): Promise<void> {
  const summary =
    "One side of a confirmation: the cases that changed in a proven drop, run again. It has no verdict.\n";
  await finishSide(store, { ...end, summary }, tools);
}

function worstStatus(all: readonly Run["status"][]): Run["status"] {
  return (["cancelled", "failed"] as const).find((each) => all.includes(each)) ?? "completed";
}
