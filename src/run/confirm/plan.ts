import { canAskAgain } from "../../model/definition/candidate-kinds.ts";
import type { PlannedWork, PlannedPart, RunPlan } from "../../model/figures/plan.ts";
import { planRules, sharesAlpha } from "../../gate/rules/plan.ts";
import type { LocatedBaseline } from "../../verdict/baseline.ts";
import type { SoughtBaseline } from "../../verdict/seek-baseline.ts";
import { comparesAnswers } from "../../suite/compared.ts";
import type { Prepared } from "../../suite/prepare.ts";

/**
 * Upper limit of what confirming proven drops adds: every case of every candidate that can be run again, on both sides,
 * with this run's cost used for the base too. null if nothing would be run again. Pure.
 */
export function planConfirmation(
  plan: RunPlan,
  { suite, tasks, candidateSpecs }: Prepared,
  baseline: LocatedBaseline | SoughtBaseline,
): PlannedWork | null {
  const { gate } = suite;
  if (gate === "none" || gate.confirm === "never" || baseline.kind === "none") return null;
  const metrics = new Map(tasks.map(({ spec }) => [spec.id, spec.metrics]));
  const proves = planRules(gate, metrics).some((rule) => sharesAlpha(rule));
  const whole = tasks.flatMap(({ grader, spec }) =>
    grader.gradeBatch || comparesAnswers(spec.grader) ? [spec.id] : [],
  );
  const isAlways = gate.confirm === "always";
  const parts = plan.parts.filter(({ task, candidate }) => {
    const spec = candidateSpecs.find(({ id }) => id === candidate);
    return spec !== undefined && !whole.includes(task) && canAskAgain(spec, isAlways);
  });
  if (!proves || parts.length === 0) return null;
  return sumTwice(parts);
}

/** The sum of the work, doubled for the two sides. */
function sumTwice(parts: readonly PlannedPart[]): PlannedWork {
  const sum = (of: (part: PlannedPart) => number | null): number =>
    2 * parts.reduce((total, part) => total + (of(part) ?? 0), 0);
  const isKnown = parts.some((part) => part.input_tokens !== null);
  const isPriced = parts.some((part) => part.usd !== null);
  return {
    samples: sum((part) => part.samples),
    requests: sum((part) => part.requests),
    grader_calls: sum((part) => part.grader_calls),
    input_tokens: isKnown ? sum((part) => part.input_tokens) : null,
    output_tokens: isKnown ? sum((part) => part.output_tokens) : null,
    usd: isPriced ? sum((part) => part.usd) : null,
  };
}
