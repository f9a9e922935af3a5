import type { CheckConclusion, CheckEnd } from "../api/check-run.ts";
import type { Checks } from "./checks.ts";

/**
 * The checks of a report. A check belongs to a commit, and a branch may have several pull requests (to other bases with
 * milder rules, for example). So a suite's check is written once, with the worst result, after the last of them has
 * been judged.
 */
interface ReportChecks extends Checks {
  /** Declares that the next pull request is the last one. */
  readonly tellLast: () => void;
  /**
   * Writes the checks that the last pull request did not include. Returns the suites whose check could not be written.
   */
  readonly close: () => Promise<readonly string[]>;
}

/** Collects the ends of the checks, and records which of them reached GitHub. */
export function gatherChecks(checks: Checks): ReportChecks {
  const kept = new Map<string, CheckEnd>();
  const lost: string[] = [];
  let isLast = false;
  const write = async (suite: string, end: CheckEnd): Promise<string | undefined> => {
    kept.delete(suite);
    const url = await checks.complete(suite, end);
    if (url === undefined) lost.push(suite);
    return url;
  };
  return {
    ...checks,
    complete: async (suite, end) => {
      const worst = worseOf(kept.get(suite), end);
      if (isLast) return write(suite, worst);
      kept.set(suite, worst);
      return undefined;
    },
    tellLast: () => {
      isLast = true;
    },
    close: async () => {
      for (const [suite, end] of kept) await write(suite, end);
      return lost;
    },
  };
}

const worstFirst: readonly CheckConclusion[] = [
  "failure",
  "cancelled",
  "skipped",
  "neutral",
  "success",
];

function worseOf(before: CheckEnd | undefined, now: CheckEnd): CheckEnd {
  if (before === undefined) return now;
  const isWorse = worstFirst.indexOf(now.conclusion) < worstFirst.indexOf(before.conclusion);
  return isWorse ? now : before;
}
