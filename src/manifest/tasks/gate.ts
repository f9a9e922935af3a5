import { matchesName } from "../../base/glob.ts";
import {
  batchGraders,
  isAggregate,
  isMetricOf,
  singleGraders,
} from "../../model/definition/graders.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import {
  exceedsSpan,
  isOpen,
  isSampleMetric,
  valueRange,
  withSampleMetrics,
} from "../../model/definition/metric.ts";
import { problem } from "../../model/refusal.ts";
import type { MetricSpec, Task } from "../../model/definition/suite.ts";
import type { Gate } from "../../model/definition/gate.ts";
import type { ManifestContext } from "../context.ts";
import { checkInside } from "../files.ts";
import { isUsableGlob } from "../glob.ts";
import {
  at,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  type Part,
  placeOf,
  presentKeys,
  textOf,
} from "../../base/part.ts";
import { oneKeyOf } from "../sources.ts";

const kinds = ["min", "max", "max_drop", "max_rise", "must_pass"];
/** Keys that define passing for `must_pass`. */
const limitsOfCases = ["min", "max"];

/** The possible targets of rules. A list with gaps (a broken task, an unknown candidate) is not complete. */
interface GateContext {
  readonly tasks: readonly Task[];
  readonly candidates: readonly string[];
  readonly complete: boolean;
}

/** Checks the gate's rules against the suite's metrics and candidates. */
export async function checkGate(
  gate: Part,
  judged: GateContext,
  context: ManifestContext,
): Promise<void> {
  const baseline = at(gate, "baseline");
  // The path need not exist yet: the run that makes the first baseline reads this manifest too.
  await checkInside(at(baseline, "path"), context);
  checkBaseline(baseline, context);
  checkDefaultDrop(at(gate, "max_drop"), context);
  for (const rule of itemsOf(at(gate, "rules"))) checkRule(rule, judged, context);
}

/** The default rule judges only metrics with the range [0, 1]. */
function checkDefaultDrop(part: Part, context: ManifestContext): void {
  const value = numberOf(part);
  const range = [0, 1] as const;
  if (value === undefined || !exceedsSpan(value, range)) return;
  const found = { kind: "max_drop", value, metric: "the default rule's metric", range } as const;
  context.refuse(problem("rule_beyond_span", found, placeOf(part)));
}

/**
 * `max_age_days` and `fallback` apply only to a baseline that is searched for: a given run directory is always used,
 * and a rerun is always new.
 */
function checkBaseline(baseline: Part, context: ManifestContext): void {
  if (!isPresent(baseline)) return;
  const ofSearch = presentKeys(baseline, ["max_age_days", "fallback"]);
  if (ofSearch.length === 0) oneKeyOf(baseline, ["path", "from"], context);
  else if (isPresent(at(baseline, "path"))) oneKeyOf(baseline, ["path", ...ofSearch], context);
  else if (textOf(at(baseline, "from")) === "rerun")
    for (const key of ofSearch)
      context.refuse(problem("baseline_search_idle", { key }, keyPlaceOf(at(baseline, key))));
}

/** Without rules the default rule judges, but only if the first metric is a mean with the range [0, 1]. */
export function warnUngated(
  task: Part,
  { id, metrics }: Task,
  { gate, context }: { readonly gate: Part; readonly context: ManifestContext },
): void {
  const [first] = metrics;
  // The metrics of a batch grader are not known yet.
  if (first === undefined || isOpen(metrics)) return;
  if (gate.value === "none" || itemsOf(at(gate, "rules")).length > 0) return;
  const isShare = first.range?.[0] === 0 && first.range[1] === 1;
  if (first.aggregation === "mean" && isShare) return;
  const declared = at(at(task, "metrics"), 0);
  const grader = at(task, isPresent(at(task, "graders")) ? "graders" : "grader");
  const place = placeOf(isPresent(declared) ? declared : grader);
  context.warn(problem("task_ungated", { task: id, metric: first }, place));
}

/** The gate verbatim, so that a run records the rules that judged it. Only for a manifest in which nothing was refused. */
export function readGate(value: Json | undefined): Gate {
  if (value === undefined) return {};
  if (isGate(value)) return value;
  throw new TypeError("a gate that the schema has not checked");
}

/** The schema has checked the keys and their values. */
function isGate(value: Json): value is Gate & Json {
  return value === "none" || isJsonObject(value);
}

function checkRule(rule: Part, judged: GateContext, context: ManifestContext): void {
  const kind = kindOf(rule, context);
  refuseIdleKeys(rule, kind, context);
  const keys = ["metric", "candidate", "slice"].map((key) => at(rule, key));
  const globs = [...keys, ...itemsOf(at(rule, "must_pass"))];
  if (globs.filter((glob) => !isUsableGlob(glob, context)).length > 0) return;
  checkCandidate(at(rule, "candidate"), judged, context);
  checkAgainst(rule, judged, context);
  const metric = textOf(at(rule, "metric"));
  if (metric === undefined) return;
  const matched = targetsOf(judged).filter(({ task, spec }) =>
    matchesMetric(metric, task, spec.id),
  );
  if (matched.length === 0) return refuseUnmatched(at(rule, "metric"), judged, context);
  checkSlice(at(rule, "slice"), matched, context);
  for (const target of matched) {
    const place = placeOf(at(rule, "metric"));
    if (target.spec.aggregation === "none" && !target.isBatch) {
      context.refuse(problem("rule_metric_not_aggregated", { metric: nameOf(target) }, place));
    }
    if (kind === "must_pass") checkNamed(rule, target, context);
    else if (kind !== undefined) checkThreshold(at(rule, kind), kind, { target, context: context });
  }
}

/** Exactly one, apart from the limit of `must_pass`. */
function kindOf(rule: Part, context: ManifestContext): string | undefined {
  if (!isPresent(at(rule, "must_pass"))) return oneKeyOf(rule, kinds, context);
  const limits = presentKeys(rule, limitsOfCases);
  const others = presentKeys(rule, ["max_drop", "max_rise"]);
  if (others.length > 0) return oneKeyOf(rule, kinds, context);
  if (limits.length > 1) oneKeyOf(rule, limitsOfCases, context);
  return "must_pass";
}

/** Limit that a named case must reach: `min` or `max`, else the good end of the metric's range. */
function checkNamed(rule: Part, target: Target, context: ManifestContext): void {
  const spec = { ...target.spec, aggregation: "mean" as const };
  const [limit] = presentKeys(rule, limitsOfCases);
  if (limit !== undefined)
    checkThreshold(at(rule, limit), limit, { target: { ...target, spec }, context: context });
  else if (valueRange(spec) === null) {
    const place = keyPlaceOf(at(rule, "must_pass"));
    context.refuse(problem("rule_must_pass_limit", { metric: nameOf(target) }, place));
  }
}

/** A slice is named by its field and a value: a field that no task is sliced by has none. */
function checkSlice(part: Part, targets: readonly Target[], context: ManifestContext): void {
  const slice = textOf(part);
  if (slice === undefined) return;
  const known = [...new Set(targets.flatMap(({ slices }) => slices))];
  const field = slice.includes("=") ? slice.slice(0, slice.indexOf("=")) : slice;
  const isKnown = known.some((name) => matchesName(name, field));
  const isWhole = slice.includes("=") || /[*?[{(]/.test(slice);
  if (isKnown && isWhole) return;
  context.refuse(problem("rule_slice_unknown", { slice, known }, placeOf(part)));
}

/** `prove` and `alpha` are about proofs; `min`, `max` and the bare difference prove nothing. */
function refuseIdleKeys(rule: Part, kind: string | undefined, context: ManifestContext): void {
  refuseIdleFlags(rule, kind, context);
  if (kind === "min" || kind === "max" || kind === "must_pass") {
    const against = at(rule, "against");
    if (isPresent(against))
      context.refuse(problem("rule_against_idle", { kind }, keyPlaceOf(against)));
    const idle = kind === "must_pass" ? ["prove", "alpha", "slice"] : ["prove", "alpha"];
    for (const key of presentKeys(rule, idle)) {
      context.refuse(
        problem("rule_key_idle", { key, kind: `\`${kind}\`` }, keyPlaceOf(at(rule, key))),
      );
    }
  } else if (textOf(at(rule, "prove")) === "nothing" && isPresent(at(rule, "alpha"))) {
    const found = { key: "alpha", kind: "prove: nothing" };
    context.refuse(problem("rule_key_idle", found, keyPlaceOf(at(rule, "alpha"))));
  }
  refuseNoRoom(rule, context);
}

function refuseIdleFlags(rule: Part, kind: string | undefined, context: ManifestContext): void {
  const [always, alone] = [at(rule, "always"), at(rule, "without_baseline")];
  if (kind !== undefined && kind !== "must_pass" && isPresent(always))
    context.refuse(problem("rule_always_idle", { kind }, keyPlaceOf(always)));
  if (kind !== undefined && kind !== "min" && kind !== "max" && isPresent(alone))
    context.refuse(problem("rule_without_baseline_idle", { kind }, keyPlaceOf(alone)));
}

/** No data can show a loss to be smaller than nothing. */
function refuseNoRoom(rule: Part, context: ManifestContext): void {
  if (textOf(at(rule, "prove")) !== "no_drop") return;
  for (const key of presentKeys(rule, ["max_drop", "max_rise"]))
    if (numberOf(at(rule, key)) === 0)
      context.refuse(problem("rule_no_room", { key }, placeOf(at(rule, key))));
}

/** The reference is one candidate by its name, and there must be another candidate to compare. */
function checkAgainst(rule: Part, judged: GateContext, context: ManifestContext): void {
  const part = at(rule, "against");
  const candidate = textOf(part);
  if (candidate === undefined || !knowsCandidates(judged)) return;
  const found = { candidate, known: judged.candidates };
  if (!judged.candidates.includes(candidate))
    return context.refuse(problem("rule_against_unknown", found, placeOf(part)));
  const covered = textOf(at(rule, "candidate")) ?? "*";
  const isAlone = !judged.candidates.some((id) => id !== candidate && matchesName(id, covered));
  if (isAlone) context.refuse(problem("rule_against_itself", found, placeOf(part)));
}

function checkCandidate(part: Part, judged: GateContext, context: ManifestContext): void {
  const candidate = textOf(part);
  if (candidate === undefined || !knowsCandidates(judged)) return;
  if (judged.candidates.some((id) => matchesName(id, candidate))) return;
  const found = { candidate, known: judged.candidates };
  context.refuse(problem("rule_candidate_unknown", found, placeOf(part)));
}

/** A suite may leave the candidates to each run. */
function knowsCandidates({ complete, candidates }: GateContext): boolean {
  return complete && candidates.length > 0;
}

interface Target {
  readonly task: string;
  readonly spec: MetricSpec;
  readonly slices: readonly string[];
  /** Whether `grade_batch` may return this metric. */
  readonly isBatch: boolean;
}

function targetsOf({ tasks }: GateContext): readonly Target[] {
  return tasks.flatMap(({ id, grader, metrics, slices }) => {
    const isBatch = singleGraders(grader).some(isAggregate);
    return withSampleMetrics(metrics).map((spec) => ({ task: id, spec, slices, isBatch }));
  });
}

function nameOf({ task, spec }: Target): string {
  return `${task}/${spec.id}`;
}

function refuseUnmatched(part: Part, judged: GateContext, context: ManifestContext): void {
  const metric = textOf(part) ?? "";
  if (!judged.complete || matchesOpenTask(metric, judged)) return;
  const known = judged.tasks.flatMap(({ id, metrics }) =>
    metrics.map((spec) => `${id}/${spec.id}`),
  );
  context.refuse(problem("rule_metric_unknown", { metric, known }, placeOf(part)));
}

/** A task without declared metrics takes whatever grade_batch returns. */
function matchesOpenTask(pattern: string, { tasks }: GateContext): boolean {
  const metric = pattern.slice(pattern.indexOf("/") + 1);
  return tasks.some(({ id, grader, metrics }) => {
    if (!matchesTask(pattern, id)) return false;
    if (isOpen(metrics)) return true;
    const open = batchGraders(grader).filter(
      (named) => !metrics.some((spec) => isMetricOf(named, spec.id)),
    );
    // A glob may match metrics that are not known yet.
    return open.some((named) => isMetricOf(named, metric) || /[^\w.-]/.test(metric));
  });
}

function checkThreshold(
  part: Part,
  kind: string,
  { target, context }: { readonly target: Target; readonly context: ManifestContext },
): void {
  const metric = nameOf(target);
  const range = valueRange(target.spec);
  const { higher_is_better: higher } = target.spec;
  if ((kind === "max_drop" && !higher) || (kind === "max_rise" && higher)) {
    context.refuse(problem("rule_direction", { kind, metric }, keyPlaceOf(part)));
  }
  const value = numberOf(part);
  if (range === null || value === undefined) return;
  if (kind === "max_drop" || kind === "max_rise") {
    if (exceedsSpan(value, range))
      context.refuse(problem("rule_beyond_span", { kind, value, metric, range }, placeOf(part)));
    return;
  }
  if ((kind !== "min" && kind !== "max") || (value >= range[0] && value <= range[1])) return;
  context.refuse(problem("rule_outside_range", { kind, value, metric, range }, placeOf(part)));
}

/** `task/metric`, or a metric of every task. A bare `*` means a task's own metrics, not Regrade's measurements. */
function matchesMetric(pattern: string, task: string, metric: string): boolean {
  const metricPattern = pattern.slice(pattern.indexOf("/") + 1);
  if (isSampleMetric(metric) && /^\*+$/.test(metricPattern)) return false;
  return matchesTask(pattern, task) && matchesName(metric, metricPattern);
}

function matchesTask(pattern: string, task: string): boolean {
  const slash = pattern.indexOf("/");
  return matchesName(task, slash < 0 ? "*" : pattern.slice(0, slash));
}
