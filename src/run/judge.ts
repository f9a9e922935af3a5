import {
  isOfJudged,
  policyLabelOf,
  type RunPolicy,
  type ToldField,
} from "../model/outcomes/policy.ts";
import type { RunApprovals } from "../model/outcomes/run.ts";
import { isLoss } from "../gate/verdict.ts";
import { conclude } from "../verdict/conclude.ts";
import type { Conclusion, JudgedRun } from "../verdict/conclude.ts";
import { judgedOf } from "../verdict/describe.ts";
import type { Draft } from "../verdict/describe.ts";
import type { Executed } from "./execute.ts";
import type { Tools } from "../tools.ts";
import { decide, judgeVanished, weighChanges } from "../verdict/decide.ts";
import type { OpenPolicy } from "../suite/policy/open.ts";
import { isOpening } from "./watched.ts";
import { addSeconds, addRunUsage } from "../verdict/usage.ts";

/** Two runs over the same answers, to be judged. */
export interface ToJudge {
  readonly policy: OpenPolicy | undefined;
  readonly first: ExecutedRun;
  /** The run by the change's own policy; undefined if the policies don't differ or the first run was stopped. */
  readonly second: ExecutedRun | undefined;
  /** Approvals by labels; undefined if they were not looked up. */
  readonly approvals?: RunApprovals | undefined;
}

/** Samples of a run, and the baseline that they are compared with. */
type ExecutedRun = Pick<Executed, "draft" | "ledger" | "baseline" | "confirmation">;

/** A run with its verdict. */
export type Judgement = Draft &
  Conclusion & { readonly policy?: RunPolicy; readonly approvals?: RunApprovals };

/**
 * The verdict of a run by the base's policy, and by the change's own if that differs. The second verdict is a separate
 * run.
 */
export function judgeByPolicies(
  toJudge: ToJudge,
  tools: Tools,
): { readonly run: Judgement; readonly own: (Draft & Conclusion) | undefined } {
  const { policy, first, second, approvals } = toJudge;
  const acceptsLoss = Boolean(approvals?.loss);
  const acceptsMove = Boolean(approvals?.policy);
  const own = second && {
    ...second.draft,
    ...conclude({ ...judgedRun(second), acceptsLoss, acceptsMove }, second.baseline, tools.now()),
  };
  const draft = own === undefined ? first.draft : withOwn(first.draft, own);
  const { slots } = policy ?? {};
  const told = toldTo(toJudge);
  const judged = { ...judgedRun({ ...first, draft }), slots, told, acceptsLoss };
  const run = {
    ...draft,
    ...conclude(judged, first.baseline, tools.now()),
    ...(approvals && (approvals.policy || approvals.loss) && { approvals }),
  };
  if (policy === undefined) return { run, own };
  if (own === undefined || second === undefined)
    return { run: judgedAlone(run, policy, approvals), own };
  const changed = weighChanges(policy.changed, first.ledger, second.ledger);
  const approved = approvals?.policy;
  const { gate, ...settled } = decide({ changed, base: run.gate, head: own.gate, approved });
  return { run: { ...run, gate, policy: { ...policy, changed, ...settled } }, own };
}

/** The fields that keep the run from passing. Without a second run, an approval accepts that data sets were opened. */
function toldTo({ policy, second, approvals }: ToJudge): readonly ToldField[] {
  const told = policy?.told ?? [];
  const isAccepted = Boolean(approvals?.policy) && second === undefined;
  return isAccepted ? told.filter((each) => !isOpening(each)) : told;
}

function judgedRun({ draft, ledger, confirmation }: Omit<ExecutedRun, "baseline">): JudgedRun {
  return { ...judgedOf(draft, ledger), confirmation };
}

/** The verdict if there is only one policy: nothing differs, the suite is new or deleted, or the run was stopped. */
function judgedAlone(
  run: Draft & Conclusion,
  policy: OpenPolicy,
  approvals: RunApprovals | undefined,
): Judgement {
  const isOne = policy.changed.every(isOfJudged) || policy.suite === "none";
  const base = isOne ? null : run.gate;
  const by = policy.suite === "new" ? "head" : base === null ? "both" : "base";
  const alone = { ...policy, base, head: null, decided_by: by } as const;
  const approved = approvals?.policy;
  if (policy.suite !== "deleted") {
    const isApproved = approved !== undefined && policy.told?.some(isOpening) === true;
    return { ...run, policy: isApproved ? { ...alone, decided_by: "approval" } : alone };
  }
  const label = policyLabelOf(run.suite.gate);
  const gate = judgeVanished(run.gate, { approved, basePath: policy.base_path ?? "", label });
  return { ...run, gate, policy: { ...alone, decided_by: approved ? "approval" : "base" } };
}

/** Approvals that would change the verdict: only for these are labels looked up. Pure. */
export function approvalsWanted({ gate, policy }: Judgement): {
  readonly policy: boolean;
  readonly loss: boolean;
} {
  const isBad = gate.verdict !== "pass" && gate.verdict !== "neutral";
  const isDeleted = policy?.suite === "deleted";
  const differs = policy?.decided_by === "base" || policy?.decided_by === "head";
  const changes = policy?.changed.some(({ effect }) => effect === "changed") === true;
  const isOther = differs && policy.head !== null && changes;
  const isOpened = policy?.told?.some(isOpening) === true;
  return {
    policy: isBad && (isDeleted || isOther || isOpened),
    loss: isBad && gate.rules.some(isLoss),
  };
}

/**
 * Adds the usage of the second run to the first: they count as one run. If the second was stopped, the whole run was
 * stopped.
 */
function withOwn(draft: Draft, own: Draft): Draft {
  const { status, stopped = null, timing } = own;
  return addSeconds(addRunUsage({ ...draft, status, stopped }, own), timing.seconds);
}
