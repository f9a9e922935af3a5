import { findProvenDrops } from "../../verdict/conclude.ts";
import { judgedOf } from "../../verdict/describe.ts";
import type { Tools } from "../../tools.ts";
import { findAttempts, withTaken } from "./attempts.ts";
import { createBaseTrees } from "./base-trees.ts";
import { isReady, notInMerge, openRound, type OpenedRound } from "./open-round.ts";
import { type Obstacle, cannot, planRounds, recordRound, type PlannedRound } from "./rounds.ts";
import {
  runRounds,
  withRecord,
  type Confirmed,
  type Rounds,
  type ToConfirm,
} from "./run-rounds.ts";
import type { Budget } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import type { Report } from "../../model/ports/progress.ts";
import { counted } from "../../report/words/figures.ts";

/**
 * Before proven drops block, runs the cases that changed in them again, broken and fixed, on both sides. The base's
 * side is the baseline's candidate, asked with the same prompts; if it can't be run here, the round has the reason. The
 * number of calls is announced first, and no cache is read.
 */
export async function confirmDrops(work: ToConfirm, tools: Tools): Promise<Confirmed> {
  const { store, request } = work;
  const isRerun = request.rerun === true;
  const attempts = await findAttempts({ directory: store.directory, isRerun }, tools);
  const found = findDrops(work);
  const planned = planRounds(found.proven);
  if (planned.length === 0) return withTaken(work.executed, attempts, []);
  if (!found.hangsOnProven) {
    const why = cannot("not_needed", "the run fails whatever running it again would show");
    const rounds = planned.map((round) => recordRound(round, why));
    const made = { rounds, fresh: rounds.map(() => undefined) };
    return withRecord(withTaken(work.executed, attempts, []), found.proven, made);
  }
  return runPlanned({ ...work, drops: found.proven, attempts }, planned, tools);
}

/** The proven drops to confirm; none if the gate does not confirm. */
function findDrops({ executed, prepared, slots }: ToConfirm): ReturnType<typeof findProvenDrops> {
  const { baseline, draft, ledger } = executed;
  const { gate } = prepared.suite;
  const isWanted = gate !== "none" && gate.confirm !== "never";
  if (!isWanted || draft.status !== "completed" || baseline.kind === "none")
    return { proven: [], hangsOnProven: false };
  return findProvenDrops({ ...judgedOf(draft, ledger), slots }, baseline);
}

async function runPlanned(
  work: Rounds,
  planned: readonly PlannedRound[],
  tools: Tools,
): Promise<Confirmed> {
  const { prepared, executed, request } = work;
  const { baseline } = executed;
  if (baseline.kind === "none") throw new RangeError("a drop from no baseline");
  const { manifest, policyFrom } = request;
  const sources = { manifest, baseline: baseline.stored.run, policyFrom };
  const trees = createBaseTrees(sources, tools);
  const opened: OpenedRound[] = [];
  const nobodyToAsk = whyNobody(work);
  try {
    for (const round of planned)
      opened.push(
        nobodyToAsk !== undefined
          ? { kind: "not_possible", round, why: nobodyToAsk }
          : await openRound(round, { prepared, baseline, trees }, tools),
      );
    tellConfirmation(opened.filter(isReady), prepared.suite.budget, tools.report);
    const rounds = { ...work, baselineRun: baseline.stored.run };
    const ask = (): Promise<Confirmed> => runRounds(rounds, opened, tools);
    // The base's files are checked out by now: git opens its objects, among them those of watched files.
    return await (work.whileAsked === undefined ? ask() : work.whileAsked(ask));
  } finally {
    for (const each of opened) if (isReady(each)) await each.base.candidate.close();
    await trees.close();
  }
}

function whyNobody({ isMerged, prepared }: ToConfirm): Obstacle | undefined {
  if (prepared.recorded !== undefined) return recordedElsewhere;
  return isMerged === true ? notInMerge : undefined;
}

const recordedElsewhere = cannot(
  "head_recorded",
  "its results were recorded by another tool, and nobody can be asked again here",
);

/** Announces the confirmation before its first round. */
function tellConfirmation(
  rounds: readonly {
    readonly round: PlannedRound;
    readonly base: { readonly spec: CandidateSpec };
  }[],
  budget: Budget,
  report: Report,
): void {
  if (rounds.length === 0) return;
  const cases = rounds.reduce((sum, { round }) => sum + round.cases.length, 0);
  const samples = rounds.reduce(
    (sum, { round }) => sum + 2 * round.cases.length * round.repeats,
    0,
  );
  const limits = budget.usd ?? budget.tokens ?? budget.minutes;
  const within = limits === undefined ? "" : ", within what is left of the budget";
  const text = `A drop was proven. Before it blocks, ${counted(cases, "case")} that changed, broken and fixed, are run again on both sides: ${counted(samples, "sample")}${within}.`;
  report({ kind: "note", text });
}
