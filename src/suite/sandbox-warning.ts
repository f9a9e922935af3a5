import type { SandboxReport } from "../model/programs.ts";
import { problem, type Problem } from "../model/refusal.ts";

/** What is said of a run whose graders are held in part only. Older kernels' small gaps stand in the summary alone. */
export function sandboxWarnings(report: SandboxReport | undefined): readonly Problem[] {
  if (report === undefined || quiet.has(report.level)) return [];
  const { missing } = report.details;
  const reasons = Array.isArray(missing) ? missing.map(String) : [];
  return [problem("sandbox_partial", { level: report.level, missing: reasons.join("; ") })];
}

const quiet = new Set(["landlock+seccomp", "off"]);
