import { figure, counted, count } from "../src/report/words/figures.ts";
import {
  caseFlags,
  type CaseFlag,
  type PageCases,
  type PageMetric,
  type PagePlace,
} from "../src/model/page.ts";
import { listedMetric, scoresIn } from "./scores.ts";

export { count, counted };

/** Status of a case, one word each: the first that applies is shown. */
export const statusWords: Readonly<Record<CaseFlag, string>> = {
  broke: "broke",
  beyond: "beyond the limit",
  error: "error",
  ungraded: "ungraded",
  worse: "worse in another metric",
  failing: "failing",
  fresh: "new",
  fixed: "fixed",
  mustPass: "must pass",
};

/** Names of the filters, in their order. */
export const filterWords: readonly (readonly [CaseFlag, string])[] = [
  ["broke", "Broke"],
  ["mustPass", "Must pass"],
  ["beyond", "Beyond the limit"],
  ["error", "Errors"],
  ["ungraded", "Ungraded"],
  ["worse", "Worse elsewhere"],
  ["failing", "Already failing"],
  ["fixed", "Fixed"],
  ["fresh", "New"],
];

const inOrder: readonly CaseFlag[] = [
  "broke",
  "error",
  "ungraded",
  "beyond",
  "worse",
  "failing",
  "fresh",
  "fixed",
];

/** Status of a case; undefined: nothing to show. */
export function statusOf(flags: number): CaseFlag | undefined {
  return inOrder.find((flag) => (flags & caseFlags[flag]) !== 0);
}

/** A score next to others: a share is shown as a score, not as a percentage. */
export function scoreWords(
  { unit }: Pick<PageMetric, "unit">,
  score: number | null | undefined,
): string {
  if (score === null || score === undefined) return "–";
  return figure(score, unit === "share" ? "number" : unit);
}

/** `1 → 0`, or only the score if nothing was compared. */
export function changeWords(cases: PageCases, i: number): string {
  const metric = listedMetric(cases, i);
  if (metric === undefined) return "";
  const { was, is } = scoresIn(cases, i, metric.metric);
  if (was === null) return scoreWords(metric, is);
  return `${scoreWords(metric, was)} → ${scoreWords(metric, is)}`;
}

/** Words that distinguish a task and candidate from the run's others: empty if it is the only one. */
export function placeWords(
  { places }: PageCases,
  { task, candidate }: PagePlace,
): readonly string[] {
  const isSeveral = (of: (place: PagePlace) => string): boolean => new Set(places.map(of)).size > 1;
  return [
    ...(isSeveral((place) => place.task) ? [task] : []),
    ...(isSeveral((place) => place.candidate) ? [candidate] : []),
  ];
}

/** A metric of a task, with the candidate if there are several. */
export function placeName(
  { places }: PageCases,
  { task, candidate }: PagePlace,
  metric: string,
): string {
  return places.length > 1 ? `${task}/${metric} · ${candidate}` : `${task}/${metric}`;
}

/** A key for a case, used in addresses and marks: its run, task, candidate and id. */
export function keyOfCase(cases: PageCases, run: number, i: number): string {
  return `${run}/${cases.place[i] ?? 0}/${cases.id[i] ?? ""}`;
}
