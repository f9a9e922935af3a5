import type { Taken } from "../../verdict/usage.ts";
import type { Spent } from "../../model/ports/store.ts";
import type { Ledger } from "../../model/figures/ledger.ts";
import { join } from "node:path";
import { matchesName } from "../../base/glob.ts";
import type { BaseTree } from "../../model/outcomes/policy.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { PublishContent } from "../../model/definition/suite.ts";
import { addSpent, nothingSpent } from "../../model/figures/spent.ts";
import { noResponseCache } from "../response-cache.ts";
import { withChoices, type RunChoices } from "../../suite/selection/choices.ts";
import type { Baseline } from "../../verdict/conclude.ts";
import { execute } from "../execute.ts";
import { prepareFrom, type Prepared } from "../../suite/prepare.ts";
import type { Tools } from "../../tools.ts";
import { openBaseSuite } from "./base-suite.ts";
import { runSetups } from "./setup.ts";
import { finishSide, numberedFolders, openSideStore, spentOnAll, takenIn } from "./side-store.ts";
import type { Resolved } from "../../suite/read-manifest.ts";

/** Folder of the base's own run within a run directory; after the base has moved on, the next number is used. */
function folderOf(number: number): string {
  return number === 1 ? "baseline" : `baseline-${number}`;
}

/** A base whose candidates are to be run in this job. */
interface Rerun {
  readonly manifest: string;
  readonly candidates: readonly string[];
  readonly tasks: readonly string[];
  readonly policyFrom: BaseTree;
  /** The choices of this run: the base runs the same cases, with the same repeats. */
  readonly choices?: RunChoices | undefined;
}

/** The base's suite, ready to be run in a checkout of its own. */
interface PreparedRerun {
  readonly kind: "prepared";
  readonly prepared: Prepared;
  readonly sha: string | null;
  readonly close: () => Promise<void>;
}

/** Why there is nothing to compare with, although the base was to be run. */
interface NoRerun {
  readonly kind: "none";
  readonly reason: string;
}

/** Prepares the base's run. Nothing is run, not even its setup, unless `setUp` is set. */
export async function prepareRerun(
  { manifest, candidates, tasks, policyFrom, choices }: Rerun,
  { head, setUp }: { readonly head: Prepared; readonly setUp: boolean },
  tools: Tools,
): Promise<PreparedRerun | NoRerun> {
  const tree = await policyFrom.checkOutAgain();
  const reading = { overrides: choices?.overrides };
  const base = await openBaseSuite(manifest, { ...tree, ...reading }, tools);
  if (base === undefined) return noRerun("the base does not have this suite");
  try {
    const resolved = toRun(withChoices(base.resolved, choices), head);
    const globs = {
      candidates: matching(resolved.suite.candidates, candidates),
      tasks: matching(resolved.suite.tasks, tasks),
    };
    if (globs.candidates === undefined || globs.tasks === undefined) {
      await base.close();
      return noRerun("the base has nothing of what --candidate and --task select");
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

function noRerun(reason: string): NoRerun {
  return { kind: "none", reason };
}

/** The base's suite with this run's budget, and without rules. */
function toRun(resolved: Resolved, { suite: { budget } }: Prepared): Resolved {
  return { ...resolved, suite: { ...resolved.suite, budget, gate: "none" } };
}

/** Globs that select at least one candidate or task; undefined if none does. */
function matching(
  all: readonly { readonly id: string }[],
  globs: readonly string[],
): readonly string[] | undefined {
  // A single candidate or task on each side counts as the same one, whatever its name.
  if (globs.length === 0 || all.length === 1) return [];
  const kept = globs.filter((glob) => all.some(({ id }) => matchesName(id, glob)));
  return kept.length === 0 ? undefined : kept;
}

async function setUpAll(
  { suite }: Resolved,
  globs: readonly string[],
  tools: Tools,
): Promise<void> {
  const isChosen = ({ id }: { readonly id: string }): boolean =>
    globs.length === 0 || globs.some((glob) => matchesName(id, glob));
  const failure = await runSetups(suite.candidates.filter(isChosen), suite, tools);
  if (failure === undefined) return;
  if (tools.signal.aborted) throw new Refusal(problem("stopped_early", undefined), { exit: 130 });
  throw new Refusal(problem("rerun_setup_failed", failure), { exit: 4 });
}

/** Result of running the base. */
export interface Rerunned {
  readonly baseline: Baseline;
  /** Usage of all attempts, including those at an older base. */
  readonly taken: readonly Taken[];
  /** Minutes of this attempt. */
  readonly minutes: number;
}

/**
 * Runs the base's candidates by the base's suite, in a checkout and processes of their own, without answers of earlier
 * runs. The result is an ordinary run directory within this run's, which becomes the baseline. Refuses if it can't
 * complete; resuming the run continues it.
 */
export async function rerunBase(
  rerun: Rerun & {
    readonly publish: PublishContent;
    readonly directory: string;
    /** Part of the budget that is already spent. */
    readonly spent?: Spent;
    /** Why no earlier run can be used, if one was searched for. */
    readonly because?: string | undefined;
  },
  head: Prepared,
  tools: Tools,
): Promise<Rerunned> {
  const { policyFrom, publish, spent = nothingSpent, because } = rerun;
  const started = tools.now();
  const opened = await prepareRerun(rerun, { head, setUp: true }, tools);
  if (opened.kind === "none") return { baseline: opened, taken: [], minutes: 0 };
  const { prepared, sha } = opened;
  const why = because === undefined ? "" : `: no earlier run serves, ${because}`;
  tools.report({
    kind: "note",
    text: `Running the base (${policyFrom.source}) for comparison${why}.`,
  });
  try {
    const { directory, isOld, taken } = await placeBase(rerun.directory, opened, tools);
    const before = addSpent(spent, spentOnAll(taken));
    const side = { directory, inputHash: resumedBy(opened), isOld };
    const git = { sha, base_sha: null, ref: policyFrom.source };
    await runInto(side, { prepared, request: { git, publish }, spent: before }, tools);
    const stored = await tools.readRun(directory);
    const minutes = (tools.now() - started) / 60_000;
    const baseline = { kind: "run", source: directory, stored } as const;
    return { baseline, taken: [...taken, stored.run], minutes };
  } finally {
    await opened.close();
  }
}

/**
 * Identity that all attempts at the base share. Includes the commit, because a program may depend on more of it than it
 * declares.
 */
function resumedBy({ prepared, sha }: PreparedRerun): string {
  return sha === null ? prepared.inputHash : `${prepared.inputHash} ${sha}`;
}

/** Finds the directory of an earlier attempt with the same base, otherwise a new one; also the usage of other attempts. */
async function placeBase(
  runDirectory: string,
  base: PreparedRerun,
  tools: Tools,
): Promise<{ directory: string; isOld: boolean; taken: readonly Taken[] }> {
  const names = await numberedFolders(runDirectory, folderOf, tools);
  const taken: Taken[] = [];
  let known: string | undefined;
  for (const name of names) {
    const directory = join(runDirectory, name);
    if (known === undefined && (await isOf(directory, base, tools))) known = directory;
    else taken.push(await takenIn(directory, tools));
  }
  const directory = known ?? join(runDirectory, folderOf(names.length + 1));
  return { directory, isOld: known !== undefined, taken };
}

async function isOf(directory: string, base: PreparedRerun, tools: Tools): Promise<boolean> {
  const found = await tools.readInputHash(directory);
  if (found === resumedBy(base)) return true;
  // A finished run names its commit besides the hash.
  if (found !== base.prepared.inputHash) return false;
  return (await tools.readRun(directory)).run.git.sha === base.sha;
}

async function runInto(
  side: Parameters<typeof openSideStore>[0],
  work: {
    readonly prepared: Prepared;
    readonly request: { readonly git: Run["git"]; readonly publish: PublishContent };
    readonly spent: Spent;
  },
  tools: Tools,
): Promise<void> {
  const opened = await openSideStore(side, tools);
  if (opened.kind === "finished") return;
  const { store } = opened;
  try {
    const baseline = noRerun("it is the baseline");
    const executed = await execute({ ...work, store, memory: noResponseCache, baseline }, tools);
    refuseDead(executed.ledger);
    const summary = "The base's own run, which this run is compared with. It has no verdict.\n";
    const run = await finishSide(store, { ...executed, summary }, tools);
    refuseUnfinished(run, tools);
  } finally {
    await store.release();
  }
}

/** Refuses a base that failed in every case: beside it no change would look like a loss. */
function refuseDead(ledger: Ledger): void {
  for (const group of ledger.groups()) {
    const outcomes = Array.from({ length: group.size }, (_, i) => group.outcome(i));
    const isDead = outcomes.length > 0 && !outcomes.includes("scored");
    if (!isDead || !outcomes.includes("failed")) continue;
    const { task, candidate } = group;
    throw new Refusal(problem("rerun_dead", { task, candidate }), { exit: 4 });
  }
}

function refuseUnfinished({ status, stopped }: Run, { signal }: Tools): void {
  if (status === "completed") return;
  if (signal.aborted) throw new Refusal(problem("rerun_interrupted", undefined), { exit: 130 });
  const reason = stopped ?? "it was stopped";
  throw new Refusal(problem("rerun_stopped", { reason }), { exit: 4 });
}
