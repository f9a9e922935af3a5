/** Worst first. */
export const verdictsWorstFirst = ["error", "fail", "inconclusive", "pass", "neutral"] as const;

export type Verdict = (typeof verdictsWorstFirst)[number];

/** The worst of several verdicts; neutral if there is none. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict {
  return verdictsWorstFirst.find((verdict) => verdicts.includes(verdict)) ?? "neutral";
}

/** The command line's exit codes, as its help lists them. 128 + SIGINT is 130. */
export const exitCodes = {
  pass: 0,
  neutral: 0,
  fail: 1,
  refused: 2,
  inconclusive: 3,
  error: 4,
  bug: 70,
  interrupted: 130,
} as const;
