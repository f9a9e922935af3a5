import type { Spent } from "../../model/ports/store.ts";
import type { RunPlan } from "../../model/figures/plan.ts";
import type { PublishContent } from "../../model/definition/suite.ts";
import type { LocatedBaseline } from "../../verdict/baseline.ts";
import type { SoughtBaseline } from "../../verdict/seek-baseline.ts";
import type { RunChoices } from "../../suite/selection/choices.ts";
import type { Baseline } from "../../verdict/conclude.ts";
import { planRun } from "../../plan/estimate.ts";
import type { Prepared } from "../../suite/prepare.ts";
import type { Tools } from "../../tools.ts";
import { prepareRerun, rerunBase, type Rerunned } from "./rerun.ts";

interface Selected {
  readonly manifest: string;
  readonly candidates: readonly string[];
  readonly tasks: readonly string[];
  readonly choices?: RunChoices | undefined;
}

/** The baselines of both policies; the base is run once, if either needs it. */
export async function makeBaselines(
  work: {
    readonly request: Selected & {
      readonly publish: PublishContent;
      /** Spending of this run so far, such as that of its shards. */
      readonly spent?: Spent;
      /** This run's directory. */
      readonly directory: string;
    };
    readonly opened: { readonly prepared: Prepared };
    readonly found: LocatedBaseline | SoughtBaseline;
    readonly ownFound: LocatedBaseline | SoughtBaseline;
  },
  tools: Tools,
): Promise<{
  readonly baseline: Baseline | Promise<Baseline>;
  readonly ownBaseline: Baseline | Promise<Baseline>;
  readonly rerun: Rerunned | undefined;
}> {
  const { request, opened, found, ownFound } = work;
  const wanted = [found, ownFound].find((each) => each.kind === "rerun");
  if (wanted?.kind !== "rerun") return settled(found, ownFound, undefined);
  const { policyFrom, because } = wanted;
  const rerun = await rerunBase({ ...request, policyFrom, because }, opened.prepared, tools);
  return settled(found, ownFound, rerun);
}

function settled(
  found: LocatedBaseline | SoughtBaseline,
  ownFound: LocatedBaseline | SoughtBaseline,
  rerun: Rerunned | undefined,
): Awaited<ReturnType<typeof makeBaselines>> {
  const settle = (one: LocatedBaseline | SoughtBaseline): Baseline | Promise<Baseline> => {
    if (one.kind === "sought") return one.soon;
    if (one.kind !== "rerun") return one;
    return rerun?.baseline ?? { kind: "none", reason: "the base was not run" };
  };
  return { baseline: settle(found), ownBaseline: settle(ownFound), rerun };
}

/** The work and the upper limit of the cost of running the base; empty if it would not be run. */
export async function planRerun(
  request: Selected & { readonly found: LocatedBaseline },
  head: Prepared,
  tools: Tools,
): Promise<readonly RunPlan[]> {
  const { found } = request;
  if (found.kind !== "rerun") return [];
  const base = { ...request, policyFrom: found.policyFrom };
  const opened = await prepareRerun(base, { head, setUp: false }, tools);
  if (opened.kind === "none") return [];
  try {
    const { prepared } = opened;
    const plan = await planRun({ ...prepared, candidates: prepared.candidateSpecs, exact: true });
    return [{ ...plan, suite: `${plan.suite} (the base)` }];
  } finally {
    await opened.close();
  }
}
