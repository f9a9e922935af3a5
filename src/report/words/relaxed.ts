import type { Run } from "../../model/run.ts";

/** True if the change's own rules pass what the base's don't, and an authorized person approved them. */
export function isRelaxed({ policy }: Run): boolean {
  if (policy?.decided_by !== "approval" || policy.base === null) return false;
  return policy.base.verdict !== "pass" && policy.base.verdict !== "neutral";
}

/** The run to explain: for a pass by relaxed rules, the base's result. */
export function asExplained(run: Run): Run {
  const base = run.policy?.base;
  return isRelaxed(run) && base ? { ...run, gate: base } : run;
}
