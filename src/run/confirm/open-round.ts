import { candidateKinds } from "../../model/definition/candidate-kinds.ts";
import type { Baseline } from "../../verdict/conclude.ts";
import { comparesAnswers } from "../../suite/compared.ts";
import { onlyCases } from "../../suite/selection/only-cases.ts";
import type { PreparedTask } from "../../suite/opening/open-task.ts";
import type { Prepared } from "../../suite/prepare.ts";
import type { Tools } from "../../tools.ts";
import { openBaseSide, type BaseSide } from "./base-side.ts";
import type { BaseTrees } from "./base-trees.ts";
import { cannot, type Obstacle, type PlannedRound } from "./rounds.ts";

/** A merge can't ask candidates. */
export const notInMerge = cannot(
  "head_recorded",
  "its answers are those of the shards, and a merge asks nobody",
);

/** A round with both sides ready to be asked. */
export interface Ready {
  readonly kind: "ready";
  readonly round: PlannedRound;
  readonly task: PreparedTask;
  readonly base: BaseSide;
}

/** A round that is ready, or the reason why it can't be run. */
export type OpenedRound =
  | Ready
  | { readonly kind: "not_possible"; readonly round: PlannedRound; readonly why: Obstacle };

/** Whether it can be run. */
export function isReady(opened: OpenedRound): opened is Ready {
  return opened.kind === "ready";
}

/** Opens the base of a round next to this run's own candidate; or returns the reason why the round can't be run. */
export async function openRound(
  round: PlannedRound,
  parts: {
    readonly prepared: Prepared;
    readonly baseline: Extract<Baseline, { readonly kind: "run" }>;
    readonly trees: BaseTrees;
  },
  tools: Tools,
): Promise<OpenedRound> {
  const { prepared, baseline, trees } = parts;
  const whole = prepared.tasks.find(({ spec }) => spec.id === round.task);
  const own = prepared.candidateSpecs.find(({ id }) => id === round.candidate);
  if (whole === undefined || own === undefined) throw new RangeError("a drop of what was not run");
  const not = (why: Obstacle): OpenedRound => ({ kind: "not_possible", round, why });
  if (candidateKinds[own.kind].recorded)
    return not(cannot("head_recorded", "the answers are a recording, which gives the same again"));
  if (whole.grader.gradeBatch !== undefined)
    return not(
      cannot(
        "batch_grader",
        "its grader scores all cases together, and some of them would be scored otherwise",
      ),
    );
  if (comparesAnswers(whole.spec.grader))
    return not(
      cannot(
        "batch_grader",
        "its judge compares the answers of two candidates, and one alone would be run again",
      ),
    );
  const ids = new Set(round.cases.map(({ caseId }) => caseId));
  const spec = { ...whole.spec, repeats: round.repeats };
  const task = { ...whole, spec, dataset: onlyCases(whole.dataset, ids) };
  const base = await openBaseSide({ round, task, prepared, stored: baseline.stored, trees }, tools);
  return base.kind === "open" ? { kind: "ready", round, task, base } : not(base);
}
