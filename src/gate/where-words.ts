import type { LossPlace } from "../model/compared.ts";
import type { RuleResult } from "../model/run.ts";
import { amount, change, counted, figure, pValue, type Range } from "./figures.ts";
import type { PlannedRule } from "./plan.ts";

/** Sentences of the gate about where cases broke; for people. */

/** `where it broke: 63 of 63 broken cases are kind=hard (63 of its 66 cases; p < 0.001 over 4 slices)`. */
export function locatedReason(places: readonly LossPlace[], broke: number): string {
  return `where it broke: ${places.map((place, i) => placeWords(place, broke, i)).join("; ")}`;
}

/** A rule's reason where its total, which passes, hides what broke: never "no regression" and a loss side by side. */
export function hidingReason(
  result: RuleResult,
  { alpha }: Pick<PlannedRule, "alpha">,
  { located, range }: { readonly located: string; readonly range: Range },
): string {
  const { delta, baseline, value, n, code, p_adjusted: p, limit } = result;
  const moved = `${change(delta ?? 0, range)} (${figure(baseline ?? 0, range)} → ${figure(value ?? 0, range)}) over all ${counted(n ?? 0, "case")}`;
  const isProven = p !== null && p < alpha;
  const proof = isProven
    ? ", proven"
    : code === "drop_not_proven"
      ? ", not proven of them all"
      : "";
  const below = code === "drop_within_limit" ? `, below the limit of ${amount(limit, range)}` : "";
  return `${moved}${proof}${below}${isProven ? "" : power(result, range)}; ${located}; the total hides it`;
}

/** What a loss over all cases must be to be proven; one larger than the whole range cannot happen. */
function power({ mde }: RuleResult, range: Range): string {
  const isUsable = mde !== null && (range === null || mde <= range[1] - range[0]);
  return isUsable ? `; they detect ≥ ${amount(mde, range)}` : "";
}

function placeWords(place: LossPlace, broke: number, i: number): string {
  const { kind, name, broke: here, cases, p_adjusted: p, family } = place;
  // A cluster's name may be a text of the data set, which not every report may show.
  const part = kind === "cluster" ? "in one cluster" : clip(name);
  const noun = i === 0 ? " broken cases" : "";
  const whole = here === cases ? `all of its ${cases} cases` : `${here} of its ${cases} cases`;
  const over = family > 1 ? ` over ${counted(family, kind)}` : "";
  return `${here} of ${broke}${noun} are ${part} (${whole}; ${pValue(p)}${over})`;
}

const longestName = 80;

/** A value of a data set may be a whole text. */
function clip(name: string): string {
  const characters = Array.from(name);
  return characters.length > longestName ? `${characters.slice(0, longestName).join("")}…` : name;
}
