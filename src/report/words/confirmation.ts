import {
  confirmAlpha,
  type ConfirmRound,
  type RuleConfirmation,
  type RunConfirmation,
} from "../../model/outcomes/confirmation.ts";
import { count, counted, forCount, pValue } from "./figures.ts";

/** The end of a rule's reason if its proven drop was run again. */
export function confirmReason(found: RuleConfirmation | undefined): string {
  if (found === undefined) return "";
  const { outcome, cases, n, broke, fixed, p_adjusted: p } = found;
  const again = `the ${counted(cases, "case")} that changed`;
  const fresh = `${count(broke ?? 0)} broke and ${count(fixed ?? 0)} ${forCount(fixed ?? 0, "was", "were")} fixed${p === null ? "" : `, ${pValue(p)}`}`;
  const ungraded = cases - n === 0 ? "" : `; ${count(cases - n)} of them got no fresh grade`;
  switch (outcome) {
    case "not_run":
      return "";
    case "confirmed":
      return `; confirmed: of ${again}, run again on both sides, ${fresh}${ungraded}`;
    case "not_confirmed":
      return `; not confirmed: of ${again}, run again on both sides, ${fresh}, and a drop shows below ${confirmAlpha}${ungraded}`;
    case "base_moved":
      return `; run again on both sides, ${again} could not decide: the base's program now loses most of those that broke too, which passed in the baseline. Something outside the committed files is different: installed packages, a service, or changes that were not committed when the baseline was made. Let \`setup\` install what the base needs, or make a new baseline of the base branch`;
    case "undecided":
      return `; run again on both sides, ${again} could not decide: ${count(cases - n)} of them got no fresh grade, and the drop would be confirmed if they broke again; run again`;
  }
}

/**
 * The result of running proven drops again, for small print: how many cases were run again, and the chance that an
 * unchanged run passes; or the reason why none were.
 */
export function confirmLines(record: RunConfirmation): readonly string[] {
  const run = record.rounds.filter(({ outcome }) => outcome === "run");
  const samples = run.reduce((sum, round) => sum + round.samples, 0);
  const cases = run.reduce((sum, round) => sum + round.cases, 0);
  const joint = `${Number((100 * record.joint_error).toFixed(2))} %`;
  return [
    ...record.rounds.flatMap(obstacleLine),
    ...(run.length === 0
      ? []
      : [
          `proven drops were run again before they block: ${counted(cases, "case")}, ${counted(samples, "sample")} on both sides together; a change that alters nothing is blocked in at most ${joint} of runs`,
        ]),
  ];
}

function obstacleLine({ task, candidate, outcome, reason }: ConfirmRound): readonly string[] {
  if (outcome === "run" || reason === null) return [];
  return [`${task}, ${candidate}: the proven drop was not run again: ${reason}`];
}
