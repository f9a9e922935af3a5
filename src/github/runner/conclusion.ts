import type { NoRun } from "../../model/circumstances.ts";
import type { Problem } from "../../model/refusal.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { type Verdict, exitCodes, worstVerdict } from "../../model/outcomes/verdict.ts";

/** How a suite ended. */
export type SuiteEnd =
  | {
      readonly kind: "finished";
      readonly manifest: string;
      readonly run: Run;
      readonly directory: string;
      readonly summary: string;
      readonly warnings: readonly Problem[];
    }
  /** There is nothing to judge, and that is no mistake: the verdict is neutral. */
  | {
      readonly kind: "not_run";
      readonly manifest: string;
      readonly suite: string;
      readonly reason: Extract<NoRun, { readonly kind: "not_affected" | "no_secrets" }>;
    }
  | {
      readonly kind: "refused";
      /** Name of the suite, if known. */
      readonly suite?: string | undefined;
      readonly manifest: string;
      readonly problems: readonly Problem[];
      /** 2: the user can fix it. 4: the environment failed. 130: it was stopped before its first sample. */
      readonly exit: 2 | 4 | 130;
    };

/** The result of the whole step. */
export interface StepConclusion {
  readonly verdict: Verdict;
  /** The command line's exit code for the same result. */
  readonly exitCode: number;
  /** This process's exit code: 0 unless the step fails. */
  readonly stepCode: number;
}

/**
 * Decides the step's result, the worst first: cancelled, refused, then the verdicts. A suite that can't be judged
 * always fails the step: a misspelt manifest must not pass because `fail-on` names only other verdicts.
 */
export function concludeStep(
  ends: readonly SuiteEnd[],
  { failOn, cancelled }: { readonly failOn: readonly Verdict[]; readonly cancelled: boolean },
): StepConclusion {
  const verdict = worstVerdict(ends.map(verdictOf));
  if (cancelled) {
    const code = exitCodes.interrupted;
    return { verdict: "error", exitCode: code, stepCode: code };
  }
  const refusals = ends.flatMap((end) => (end.kind === "refused" ? [end.exit] : []));
  if (refusals.length > 0) {
    // The user's mistake takes precedence, because it can be fixed now.
    const code = refusals.includes(2) ? exitCodes.refused : exitCodes.error;
    return { verdict: "error", exitCode: code, stepCode: code };
  }
  const exitCode = exitCodes[verdict];
  // A neutral verdict has exit code 0, but fails the step if `fail-on` names it.
  return { verdict, exitCode, stepCode: failOn.includes(verdict) ? Math.max(exitCode, 1) : 0 };
}

function verdictOf(end: SuiteEnd): Verdict {
  switch (end.kind) {
    case "finished":
      return end.run.gate.verdict;
    case "not_run":
      return "neutral";
    case "refused":
      return "error";
  }
}
