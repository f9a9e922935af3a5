import type { IncomparablePart, Unpaired } from "../../model/outcomes/finding.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import { hasMetric } from "../pairing/cases.ts";
import type { CellMetric } from "./measure.ts";
import { comparedRepeats, type PairedCell } from "../pairing/pairs.ts";
import type { PinnedMetric, Cell } from "../pairing/sides.ts";

/** The cell of a metric that the baseline has, too, or the reason why it cannot be compared. */
export function meet({ cell, metric }: CellMetric): PairedCell | Unpaired {
  const { counterpart } = cell;
  if (counterpart.kind === "absent")
    return { kind: "no_baseline", why: counterpart.why, value: null };
  const parts = incomparable(cell, metric);
  if (parts === "metric_new") return { kind: "metric_new", value: null };
  if (parts.length > 0) return { kind: "not_comparable", parts, value: null };
  return { ...cell, counterpart };
}

/** The reasons why a metric of a cell cannot be compared with the baseline's; empty if it can. */
function incomparable(
  { cases, counterpart }: Cell,
  metric: PinnedMetric,
): "metric_new" | readonly IncomparablePart[] {
  if (counterpart.kind === "absent") return [];
  const base = counterpart.spec.metrics.find((other) => other.id === metric.id);
  const measured = isSampleMetric(metric.id) && hasMetric(counterpart.cases, metric.id);
  if (base === undefined && !measured) return "metric_new";
  const turned = base !== undefined && base.higher_is_better !== metric.higher_is_better;
  const repeats = comparedRepeats(cases, counterpart);
  return [
    // Time, tokens and dollars don't depend on the grader.
    ...(measured ? [] : counterpart.changedParts),
    ...(turned ? ["direction" as const] : []),
    ...(needsMore(metric, repeats) ? ["repeats" as const] : []),
  ];
}

function needsMore({ reducer }: PinnedMetric, repeats: number): boolean {
  return reducer !== undefined && "k" in reducer && reducer.k > repeats;
}
