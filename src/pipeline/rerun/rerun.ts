import type { Ledger } from "../../domain/ledger.ts";
import { join, posix } from "node:path";
import type { BaseTree } from "../../domain/policy.ts";
import { problem, Refusal } from "../../domain/refusal.ts";
import type { Run } from "../../domain/run.ts";
import type { PublishContent } from "../../domain/suite.ts";
import { nothingSpent, type Spent } from "../budget.ts";
import { noMemory } from "../cache.ts";
import type { Baseline } from "../conclude.ts";
import { execute } from "../execute.ts";
import { prepareFrom, type Prepared, type Resolved } from "../prepare.ts";
import type { Tools } from "../tools.ts";
import { checkOutAgain, openBaseSuite } from "./base-suite.ts";
import { runSetups } from "./setup.ts";
import { finishSide, openSideStore, spentOn } from "./side-store.ts";

/** Where, in a run directory, the base's own run lies. */
const baselineFolder = "baseline";

/** A base whose candidates are to be run in this job. */
export interface Rerun {
  readonly manifest: string;
  readonly candidates: readonly string[];
  readonly tasks: readonly string[];
  readonly policyFrom: BaseTree;
}

/** The base's suite, ready to be run in a checkout of its own. */
export interface PreparedRerun {
  readonly kind: "prepared";
  readonly prepared: Prepared;
  readonly sha: string | null;
  readonly close: () => Promise<void>;
}

/** Why there is nothing to compare with, though the base was to be run. */
interface NoRerun {
  readonly kind: "none";
  readonly reason: string;
}

/** Prepares the base's run. Nothing is run, not even its setup, unless `setUp` says so. */
export async function prepareRerun(
  { manifest, candidates, tasks, policyFrom }: Rerun,
  { head, setUp }: { readonly head: Pick<Prepared, "suite">; readonly setUp: boolean },
  tools: Tools,
): Promise<PreparedRerun | NoRerun> {
  const tree = await checkOutAgain(policyFrom, tools);
  const base = await openBaseSuite(manifest, tree, tools);
  if (base === undefined) return none("the base does not have this suite");
  try {
    const resolved = toRun(base.resolved, head);
    const globs = {
      candidates: matching(resolved.suite.candidates, candidates),
      tasks: matching(resolved.suite.tasks, tasks),
    };
    if (globs.candidates === undefined || globs.tasks === undefined) {
      await base.close();
      return none("the base has nothing of what --candidate and --task select");
    }
    if (setUp) await setUpAll(resolved, globs.candidates, tools);
    const chosen = { candidates: globs.candidates, tasks: globs.tasks };
    const prepared = await prepareFrom(chosen, async () => resolved, tools);
    const close = async (): Promise<void> => {
      await prepared.close();
      await base.close();
    };
    return { kind: "prepared", prepared, sha: base.sha, close };
  } catch (error) {
    await base.close();
    throw error;
  }
}

function none(reason: string): NoRerun {
  return { kind: "none", reason };
}

/** On this run's budget; no rule judges it. */
function toRun(resolved: Resolved, { suite: { budget } }: Pick<Prepared, "suite">): Resolved {
  return { ...resolved, suite: { ...resolved.suite, budget, gate: "none" } };
}

/** Those globs that select something, of one candidate or task any; undefined where none does. */
function matching(
  all: readonly { readonly id: string }[],
  globs: readonly string[],
): readonly string[] | undefined {
  // One on each side is the same one, whatever it is called.
  if (globs.length === 0 || all.length === 1) return [];
  const kept = globs.filter((glob) => all.some(({ id }) => posix.matchesGlob(id, glob)));
  return kept.length === 0 ? undefined : kept;
}

async function setUpAll(
  { suite }: Resolved,
  globs: readonly string[],
  tools: Tools,
): Promise<void> {
  const isChosen = ({ id }: { readonly id: string }): boolean =>
    globs.length === 0 || globs.some((glob) => posix.matchesGlob(id, glob));
  const failure = await runSetups(suite.candidates.filter(isChosen), suite, tools);
  if (failure === undefined) return;
  if (tools.signal.aborted) throw new Refusal(problem("stopped_early", undefined), { exit: 130 });
  throw new Refusal(problem("rerun_setup_failed", failure), { exit: 4 });
}

/** What the base's run came to. */
export interface Rerunned {
  readonly baseline: Baseline;
  readonly spent: Spent;
  /** Of this attempt. */
  readonly minutes: number;
  readonly run: Run | undefined;
}

/**
 * Runs the base's candidates, in a checkout and processes of their own, by the base's suite, without any answer of earlier
 * runs. What it leaves is a run directory like any other, in this run's: the baseline. Refuses where it does not get to its
 * end; a resumption goes on with it.
 */
export async function rerunBase(
  rerun: Rerun & {
    readonly resume: boolean;
    readonly publish: PublishContent;
    readonly directory: string;
  },
  head: Pick<Prepared, "suite">,
  tools: Tools,
): Promise<Rerunned> {
  const { policyFrom, resume, publish } = rerun;
  const started = tools.now();
  const opened = await prepareRerun(rerun, { head, setUp: true }, tools);
  if (opened.kind === "none")
    return { baseline: opened, spent: nothingSpent, minutes: 0, run: undefined };
  const { prepared, sha } = opened;
  tools.report({ kind: "note", text: `Running the base (${policyFrom.source}) for comparison.` });
  try {
    const directory = join(rerun.directory, baselineFolder);
    const side = { directory, inputHash: prepared.inputHash, resume };
    const git = { sha, base_sha: null, ref: policyFrom.source };
    await runInto(side, { prepared, request: { git, publish } }, tools);
    const stored = await tools.readRun(directory);
    const minutes = (tools.now() - started) / 60_000;
    const { run } = stored;
    const baseline = { kind: "run", source: directory, stored } as const;
    return { baseline, spent: spentOn(run), minutes, run };
  } finally {
    await opened.close();
  }
}

async function runInto(
  side: { readonly directory: string; readonly inputHash: string; readonly resume: boolean },
  work: {
    readonly prepared: Prepared;
    readonly request: { readonly git: Run["git"]; readonly publish: PublishContent };
  },
  tools: Tools,
): Promise<void> {
  const opened = await openSideStore(side, tools);
  if (opened.kind === "finished") return;
  const { store } = opened;
  try {
    const baseline = none("it is the baseline");
    const executed = await execute({ ...work, store, memory: noMemory, baseline }, tools);
    refuseDead(executed.ledger);
    const summary = "The base's own run, which this run is compared with. It has no verdict.\n";
    const run = await finishSide(store, { ...executed, summary }, tools);
    refuseUnfinished(run, tools);
  } finally {
    await store.release();
  }
}

/** Beside a base that failed in every case whatever the change does would look like no loss. */
function refuseDead(ledger: Ledger): void {
  for (const group of ledger.groups()) {
    const outcomes = Array.from({ length: group.size }, (_, i) => group.outcome(i));
    const isDead = outcomes.length > 0 && !outcomes.includes("scored");
    if (!isDead || !outcomes.includes("failed")) continue;
    const reason = `${group.task}, ${group.candidate}: the base's candidate failed in every case`;
    throw new Refusal(problem("rerun_stopped", { reason }), { exit: 4 });
  }
}

function refuseUnfinished({ status, stopped }: Run, { signal }: Pick<Tools, "signal">): void {
  if (status === "completed") return;
  if (signal.aborted) throw new Refusal(problem("rerun_interrupted", undefined), { exit: 130 });
  const reason = stopped ?? "it was stopped";
  throw new Refusal(problem("rerun_stopped", { reason }), { exit: 4 });
}
