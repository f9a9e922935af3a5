import { ownValue } from "../../model/own-value.ts";
import { problem } from "../../model/refusal.ts";
import type { MetricSpec, Reducer } from "../../model/definition/suite.ts";
import type { ManifestContext } from "../context.ts";
import { at, isPresent, numberOf, type Part, placeOf, textOf } from "../../base/part.ts";

/** A metric with the reducer that its declaration names: `mean`, `mode`, `max`, `pass@3`, `pass^3`, `at_least_2`. */
export function resolveReducer(
  part: Part,
  { metric, task }: { readonly metric: MetricSpec; readonly task: Part },
  context: ManifestContext,
): MetricSpec {
  const named = at(part, "reducer");
  const name = textOf(named) ?? "mean";
  if (name === "mean") return metric;
  if (name === "mode" || name === "max") return { ...metric, reducer: { kind: name } };
  const counting = countingOf(name);
  // The schema has reported any other text.
  if (counting === undefined) return metric;
  const repeats = numberOf(at(task, "repeats")) ?? 1;
  // With recorded results (`from`) the manifest does not know the repeats: only the files have them.
  if (counting.k > repeats && !isPresent(at(task, "from")))
    context.refuse(problem("reducer_repeats", { name, k: counting.k, repeats }, placeOf(named)));
  const pass = passOf(metric);
  if (pass !== undefined) return { ...metric, reducer: { ...counting, pass } };
  context.refuse(problem("reducer_no_pass", { name, metric }, placeOf(named)));
  return metric;
}

const countingKinds: Readonly<Record<string, "pass_at_k" | "pass_hat_k" | "at_least_k">> = {
  "pass@": "pass_at_k",
  "pass^": "pass_hat_k",
  at_least_: "at_least_k",
};

function countingOf(
  name: string,
): Pick<Extract<Reducer, { readonly k: number }>, "kind" | "k"> | undefined {
  const [, word = "", digits] = /^(pass@|pass\^|at_least_)([1-9]\d*)$/.exec(name) ?? [];
  const kind = ownValue(countingKinds, word);
  return kind && { kind, k: Number(digits) };
}

/** The score that counts as passing: 1 of a 0/1 metric, otherwise the upper end of the range. None if lower is better. */
function passOf({
  scale,
  range,
  higher_is_better: higher,
}: MetricSpec): Extract<Reducer, { readonly k: number }>["pass"] | undefined {
  if (!higher) return undefined;
  return scale === "binary" ? 1 : range?.[1];
}
