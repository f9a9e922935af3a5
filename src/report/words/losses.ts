import type { LossPlace } from "../../model/compared.ts";
import { count, counted, pValue } from "../figures.ts";

/** A message of the grader that broken cases share. Its text stands beside it: it may hold texts of a sample. */
export function lossMessageReason(
  metric: string,
  { broke: here, cases, p_adjusted: p, family }: Omit<LossPlace, "kind" | "name">,
  broke: number,
): string {
  const over = family > 1 ? ` over ${counted(family, "message")}` : "";
  return `where \`${metric}\` broke: the grader says the same of ${count(here)} of ${count(broke)} broken cases (and of ${count(cases - here)} others; ${pValue(p)}${over})`;
}

/** How a sample came to have no score. */
export type CrashEnd = "crashed" | "timed_out" | "no_answer" | "no_score" | "not_asked";

/** `60 of 120 cases crashed`; what they said stands beside it: it may hold texts of a sample. */
export function crashReason(end: CrashEnd, cases: number, of: number): string {
  return `${count(cases)} of ${counted(of, "case")} ${verbs[end]}`;
}

const verbs: Readonly<Record<CrashEnd, string>> = {
  crashed: "crashed",
  timed_out: "timed out",
  no_answer: "gave no answer",
  no_score: "got no valid score",
  not_asked: "went unasked",
};
