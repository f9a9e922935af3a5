import { appendFile } from "node:fs/promises";
import { problem, type Problem } from "../../model/refusal.ts";
import { fitSummaries } from "./fit-summaries.ts";
import type { Environment } from "../../model/ports/processes.ts";

/**
 * Limit of the summary. GitHub drops a step's whole summary if it is longer than 1 MiB; some space is left for our own
 * words.
 */
const summaryLimitBytes = 1024 * 1024 - 4096;

/**
 * Appends the summaries of all suites to the step's summary, cut to GitHub's limit. Returns problems: a summary reports
 * the verdict and never changes it.
 */
export async function writeStepSummary(
  env: Environment,
  texts: readonly string[],
): Promise<readonly Problem[]> {
  const path = env["GITHUB_STEP_SUMMARY"];
  if (path === undefined || path === "") return [];
  try {
    await appendFile(path, `${fitSummaries(texts, summaryLimitBytes).join("\n\n")}\n`);
    return [];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return [problem("summary_failed", { reason })];
  }
}
