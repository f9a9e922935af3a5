import type { Run } from "../../model/outcomes/run.ts";

/** True if an authorized person approved the change's own rules, and they pass what the base's fail. */
export function isRelaxed({ policy }: Run): boolean {
  if (policy?.decided_by !== "approval" || policy.base === null) return false;
  return policy.base.verdict !== "pass" && policy.base.verdict !== "neutral";
}

/** The run to explain: for a pass by relaxed rules, the result by the base's. */
export function asExplained(run: Run): Run {
  const base = run.policy?.base;
  return isRelaxed(run) && base ? { ...run, gate: base } : run;
}
