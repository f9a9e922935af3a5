import type { RuleCode } from "../model/outcomes/rule-code.ts";
import type { JudgedRule } from "../model/outcomes/finding.ts";
import type { RuleFigures } from "../model/outcomes/rule-result.ts";
import { lossIn } from "./rules/compare.ts";
import type { Sliced } from "./hidden.ts";
import { pairedQuestion } from "./rules/measure.ts";

/** The cases that a rule lost, by id. */
export interface Loss {
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  readonly alpha: number;
  readonly compared: readonly string[];
  readonly broken: ReadonlySet<string>;
}

/** Codes of a loss that was seen and is not dismissed as chance. */
const lost: readonly RuleCode[] = [
  "drop_proven",
  "confirm_undecided",
  "beyond_limit",
  "drop_not_proven",
  "drop_left_open",
  "no_drop_not_shown",
];

/** True if more than one case broke since the baseline, over all cases. */
export function hasLoss({ slice, against, broke, code }: RuleFigures): boolean {
  return slice === null && against === undefined && (broke ?? 0) > 1 && lost.includes(code);
}

/** The losses of a run, once for each metric. `results` starts with those of `sliced`, in the same order. */
export function findLosses(
  sliced: readonly Sliced[],
  results: readonly JudgedRule[],
): readonly Loss[] {
  const found = new Map<string, Loss>();
  for (const [i, one] of sliced.entries()) {
    const result = results[i];
    const pairs = one.place.pairs();
    if (result === undefined || !hasLoss(result) || "kind" in pairs) continue;
    const { task, candidate, metric } = result;
    const key = JSON.stringify([task, candidate, metric]);
    if (found.has(key)) continue;
    const { rule } = one.measured;
    const loss = lossIn(pairedQuestion(one.place.metric, rule, "drop").worse);
    const { caseIds: compared, before, after } = pairs;
    const broken = compared.filter((_, at) => loss(before[at] ?? 0, after[at] ?? 0) > 0);
    const cases = { compared, broken: new Set(broken) };
    found.set(key, { task, candidate, metric, alpha: rule.alpha, ...cases });
  }
  return [...found.values()];
}
