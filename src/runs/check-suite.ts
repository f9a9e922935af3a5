import type { RunPlan } from "../model/figures/plan.ts";
import type { Problem } from "../model/refusal.ts";
import type { ShardChoice } from "../model/outcomes/shard.ts";
import { beyondProof } from "../plan/undetectable.ts";
import { planRerun } from "../run/rerun/baselines.ts";
import { planWith } from "../run/tell-plan.ts";
import { firstRowsOnly } from "../suite/selection/first-rows.ts";
import { openingTools } from "../suite/opening-tools.ts";
import { openSuite } from "../suite/policy/open.ts";
import type { Prepared } from "../suite/prepare.ts";
import { refuseSlips, refuseUnmet } from "../suite/strict.ts";
import type { Tools } from "../tools.ts";
import { checkBaseline, findBaseline } from "../verdict/baseline.ts";
import { baselineFor } from "../verdict/seek-baseline.ts";
import type { SuiteRequest, RunRequest } from "./request.ts";
import { openPart } from "./run-suite.ts";

export interface ValidateRequest extends SuiteRequest {
  readonly strict?: RunRequest["strict"];
  /**
   * True if a missing baseline that the manifest names is only a warning, because it may be made later. Otherwise it is
   * a problem, as for a run.
   */
  readonly baselineMayLack?: boolean;
}

/**
 * Checks everything that can be checked without running; returns warnings, throws problems. Reads only the first rows of
 * remote data sets.
 */
export async function validateSuite(request: ValidateRequest, outside: Tools): Promise<Prepared> {
  const tools = await openingTools(request, "first", outside);
  const opened = await openSuite({ ...request, checksOnly: true }, tools);
  const { prepared } = opened;
  for (const text of firstRowsOnly(prepared)) tools.report({ kind: "note", text });
  try {
    refuseSlips(request.strict, prepared.warnings);
    refuseUnmet(prepared.warnings);
    if (request.baselineMayLack === true) {
      const warnings = [
        ...(await checkBaseline(request, prepared, tools)),
        ...(await beyondProof(prepared)),
      ];
      return { ...prepared, warnings: [...prepared.warnings, ...warnings] };
    }
    await findBaseline(request, prepared, tools);
    return prepared;
  } finally {
    await opened.close();
  }
}

/**
 * Prepares a suite as for a run, and returns its plan and largest cost; two plans, one per policy, if the change alters
 * how it is judged. Writes only the rows of remote data sets, and asks no candidate.
 */
export async function planSuite(
  request: SuiteRequest & { readonly shard?: ShardChoice | undefined },
  outside: Tools,
): Promise<{ readonly plans: readonly RunPlan[]; readonly warnings: readonly Problem[] }> {
  const tools = await openingTools(request, "all", outside);
  const opened = await openPart(request, tools);
  try {
    const plans: RunPlan[] = [];
    for (const each of opened.own ? [opened.prepared, opened.own] : [opened.prepared]) {
      const found = await baselineFor(request, each, tools);
      plans.push(...(await planRerun({ ...request, found }, each, tools)));
      plans.push(await planWith(each, found, true));
    }
    return { plans, warnings: opened.warnings };
  } finally {
    await opened.close();
  }
}
