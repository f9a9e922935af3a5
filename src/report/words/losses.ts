import type { LossPlace } from "../../model/outcomes/compared.ts";
import type { JudgedRule } from "../../model/outcomes/finding.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import {
  count,
  counted,
  countedOf,
  difference,
  distance,
  figure,
  pValue,
  metricUnit,
} from "./figures.ts";
import { usableMde } from "./differences.ts";

/** `where it broke: 63 of 63 broken cases are kind=hard (63 of its 66 cases; p < 0.001 over 4 slices)`. */
export function locatedReason(places: readonly LossPlace[], broke: number): string {
  return `where it broke: ${places.map((place, i) => placeWords(place, broke, i)).join("; ")}`;
}

/** The same location for people, without the figures of a test: `…, more than by chance`. */
export function locatedWords(places: readonly LossPlace[], broke: number): string {
  const parts = places.map((place, i) => `${partWords(place, broke, i)})`);
  return `where it broke: ${parts.join("; ")}, more than by chance`;
}

/** A rule's reason if its passing total hides broken cases: the report never says "no regression" beside a loss. */
export function hidingReason(
  rule: JudgedRule,
  places: readonly LossPlace[],
  { alpha, range }: { readonly alpha: number; readonly range: MetricSpec["range"] },
): string {
  const { delta, baseline, value, n, code, p_adjusted: p, limit, broke } = rule;
  const unit = metricUnit(rule.metric, range);
  const moved = `${difference(delta ?? 0, unit)} (${figure(baseline ?? 0, unit)} → ${figure(value ?? 0, unit)}) over all ${counted(n ?? 0, "case")}`;
  const isProven = p !== null && p < alpha;
  const proof = isProven
    ? ", proven"
    : code === "drop_not_proven"
      ? ", not proven of them all"
      : "";
  const below = code === "drop_within_limit" ? `, below the limit of ${distance(limit, unit)}` : "";
  const mde = isProven ? undefined : usableMde(rule, range);
  const power = mde === undefined ? "" : `; they detect ≥ ${distance(mde, unit)}`;
  return `${moved}${proof}${below}${power}; ${locatedReason(places, broke ?? 0)}; the total hides it`;
}

function placeWords(place: LossPlace, broke: number, i: number): string {
  const { kind, p_adjusted: p, family } = place;
  const over = family > 1 ? ` over ${counted(family, kind)}` : "";
  return `${partWords(place, broke, i)}; ${pValue(p)}${over})`;
}

/** `63 of 63 broken cases are kind=hard (63 of its 66 cases`, with an open bracket. */
function partWords(place: LossPlace, broke: number, i: number): string {
  const { kind, name, broke: here, cases } = place;
  // A cluster's name may be a text of the data set, which some reports must not show.
  const part = kind === "cluster" ? "in one cluster" : clip(name);
  const noun = i === 0 ? " broken cases" : "";
  const whole =
    here === cases
      ? `all of its ${count(cases)} cases`
      : `${count(here)} of its ${count(cases)} cases`;
  return `${count(here)} of ${count(broke)}${noun} are ${part} (${whole}`;
}

const longestName = 80;

/** A value of a data set may be a whole text. */
function clip(name: string): string {
  const characters = Array.from(name);
  return characters.length > longestName ? `${characters.slice(0, longestName).join("")}…` : name;
}

/** A message of the grader that broken cases share. Its text is separate, because it may hold texts of a sample. */
export function lossMessageReason(
  metric: string,
  { broke: here, cases, p_adjusted: p, family }: Omit<LossPlace, "kind" | "name">,
  broke: number,
): string {
  const over = family > 1 ? ` over ${counted(family, "message")}` : "";
  return `where \`${metric}\` broke: the grader says the same of ${count(here)} of ${count(broke)} broken cases (and of ${count(cases - here)} others; ${pValue(p)}${over})`;
}

/** Reason why a sample has no score. */
export type CrashEnd = "crashed" | "timed_out" | "no_answer" | "no_score" | "not_asked";

/** `60 of 120 cases crashed`; the error message is separate, because it may hold texts of a sample. */
export function crashReason(end: CrashEnd, cases: number, of: number): string {
  return `${countedOf(cases, of, "case")} ${verbs[end]}`;
}

const verbs: Readonly<Record<CrashEnd, string>> = {
  crashed: "crashed",
  timed_out: "timed out",
  no_answer: "gave no answer",
  no_score: "got no valid score",
  not_asked: "went unasked",
};
