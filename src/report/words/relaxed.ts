import type { Run } from "../../model/run.ts";

/** The change's own rules let pass what the base's do not, and someone who may approved them. */
export function isRelaxed({ policy }: Pick<Run, "policy">): boolean {
  if (policy?.decided_by !== "approval" || policy.base === null) return false;
  return policy.base.verdict !== "pass" && policy.base.verdict !== "neutral";
}

/** What of a run there is to explain: of one that passes by relaxed rules, what the base's rules say. */
export function asExplained(run: Run): Run {
  const base = run.policy?.base;
  return isRelaxed(run) && base ? { ...run, gate: base } : run;
}
