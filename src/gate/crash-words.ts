import { counted } from "./figures.ts";

/** How a sample came to have no score. */
export type CrashEnd = "crashed" | "timed_out" | "no_answer" | "no_score" | "not_asked";

/** `60 of 120 cases crashed`; what they said stands beside it: it may hold texts of a sample. */
export function crashReason(end: CrashEnd, cases: number, of: number): string {
  return `${cases} of ${counted(of, "case")} ${verbs[end]}`;
}

const verbs: Readonly<Record<CrashEnd, string>> = {
  crashed: "crashed",
  timed_out: "timed out",
  no_answer: "gave no answer",
  no_score: "got no valid score",
  not_asked: "went unasked",
};
