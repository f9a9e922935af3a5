import { metricsOfBuiltin } from "../../model/definition/builtins.ts";
import { isAggregation, type Aggregation } from "../../model/definition/aggregations.ts";
import {
  isAggregate,
  isMetricOf,
  type GraderSpec,
  type SeveralGraders,
  type SingleGrader,
} from "../../model/definition/graders.ts";
import { isOpen, sampleMetrics, weightedId } from "../../model/definition/metric.ts";
import { problem } from "../../model/refusal.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import type { ManifestContext } from "../context.ts";
import {
  at,
  booleanOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  type Part,
  placeOf,
  textOf,
} from "../../base/part.ts";
import { resolveReducer } from "./reducer.ts";
import { givesOthers, mayGive, severalMetrics, weightedMetric } from "./several-metrics.ts";

/**
 * A task's metrics: declared ones, completed by a built-in grader's own declaration or by Regrade's measurements; without
 * a declaration, the grader's metrics. A declaration that names only Regrade's measurements leaves the grader's metrics
 * unchanged. If the grader is refused, the rest is still checked.
 */
export function resolveMetrics(
  task: Part,
  grader: GraderSpec | undefined,
  context: ManifestContext,
): readonly MetricSpec[] {
  const declared = itemsOf(at(task, "metrics"));
  const given = givenMetrics({ grader, declared, task }, context);
  if (declared.length === 0) return given;
  const metrics = declared.flatMap((part) => {
    const metric = resolveMetric(part, { grader, given }, context);
    return metric === undefined ? [] : [resolveReducer(part, { metric, task }, context)];
  });
  refuseRepeated(declared, context);
  const all = isOpen(metrics) ? [...given, ...metrics] : metrics;
  warnUnread(task, all, context);
  if (grader?.type === "several") warnUncounted(task, { several: grader, metrics: all }, context);
  return all;
}

/** Metrics of the task's graders; of several graders the weighted score comes first. */
function givenMetrics(
  {
    grader,
    declared,
    task,
  }: {
    readonly grader: GraderSpec | undefined;
    readonly declared: readonly Part[];
    readonly task: Part;
  },
  context: ManifestContext,
): readonly MetricSpec[] {
  if (grader === undefined) return [];
  if (grader.type !== "several") return givenBy(grader);
  const own = severalMetrics(grader, (each) => givenBy(each));
  // The direction and range declared for a part also apply to the whole.
  const known = own.map((metric) => {
    const part = declared.find((each) => textOf(at(each, "id")) === metric.id);
    return part === undefined ? metric : overrideMetric(part, metric, context);
  });
  const weighted = weightedMetric(grader, known, { list: at(task, "graders"), context: context });
  return weighted === undefined ? own : [weighted, ...own];
}

/** For `grade` only the key of its single number is known, for `grade_batch` none: all of its metrics count. */
function givenBy(grader: SingleGrader): readonly MetricSpec[] {
  if (grader.type === "recorded") return [];
  if (grader.type !== "python") return metricsOfBuiltin(grader.type, grader.options);
  if (isAggregate(grader)) return [];
  return [unknownMetric(grader.metric_id)];
}

function resolveMetric(
  part: Part,
  {
    grader,
    given,
  }: { readonly grader: GraderSpec | undefined; readonly given: readonly MetricSpec[] },
  context: ManifestContext,
): MetricSpec | undefined {
  const id = textOf(at(part, "id"));
  if (id === undefined) return undefined;
  const known = [...given, ...sampleMetrics].find((metric) => metric.id === id);
  if (known !== undefined) return overrideMetric(part, known, context);
  if (grader !== undefined && !isCode(grader, id)) {
    const name = grader.type === "several" ? "`graders`" : grader.type;
    const found = {
      id,
      grader: name,
      given: [...given.map((metric) => metric.id), ...ofCode(grader)],
    };
    context.refuse(problem("metric_not_given", found, placeOf(at(part, "id"))));
  }
  return overrideMetric(part, unknownMetric(id), context);
}

/** The form of the metrics that the code of one of several graders may return. */
function ofCode(grader: GraderSpec): readonly string[] {
  if (grader.type !== "several") return [];
  const own = grader.graders.filter((each) => givesOthers(each.grader));
  return own.map(({ name }) => `${name}.METRIC for a METRIC that its code returns`);
}

/** Code and other tools' results may have any metric; each of several graders has its own under its name. */
function isCode(grader: GraderSpec, id: string): boolean {
  return grader.type === "several" ? mayGive(grader, id) : givesOthers(grader);
}

/** The manifest's description of a metric overrides the known one. */
function overrideMetric(part: Part, known: MetricSpec, context: ManifestContext): MetricSpec {
  const scale = textOf(at(part, "scale"));
  const description = textOf(at(part, "description"));
  return {
    ...known,
    aggregation: aggregationOf(part),
    higher_is_better: booleanOf(at(part, "higher_is_better")) ?? known.higher_is_better,
    range: rangeOf(at(part, "range"), context) ?? known.range,
    scale: scale === "binary" || scale === "graded" ? scale : known.scale,
    ...(description === undefined ? {} : { description }),
  };
}

function aggregationOf(part: Part): Aggregation | "none" {
  const name = textOf(at(part, "aggregation"));
  if (name === "none") return name;
  return name !== undefined && isAggregation(name) ? name : "mean";
}

function unknownMetric(id: string): MetricSpec {
  return { id, aggregation: "mean", higher_is_better: true, range: null, scale: null };
}

function rangeOf(part: Part, context: ManifestContext): readonly [number, number] | undefined {
  const [low, high] = [numberOf(at(part, 0)), numberOf(at(part, 1))];
  if (low === undefined || high === undefined) return undefined;
  if (low >= high) context.refuse(problem("metric_range_empty", { low, high }, placeOf(part)));
  return [low, high];
}

function refuseRepeated(parts: readonly Part[], context: ManifestContext): void {
  const seen = new Set<string>();
  for (const part of parts) {
    const id = textOf(at(part, "id"));
    if (id === undefined) continue;
    if (seen.has(id)) context.refuse(problem("metric_duplicate", { id }, placeOf(at(part, "id"))));
    seen.add(id);
  }
}

/** Warns about a single number that is stored under a key that no metric reads: it would be lost without notice. */
function warnUnread(task: Part, metrics: readonly MetricSpec[], context: ManifestContext): void {
  const part = at(at(task, "grader"), "metric_id");
  const id = textOf(part);
  if (!isPresent(part) || id === undefined || metrics.some((metric) => metric.id === id)) return;
  context.warn(problem("metric_id_unread", { id }, keyPlaceOf(part)));
}

/** Warns about graders that are paid for and count in no figure: they ask models, and no metric has their scores. */
function warnUncounted(
  task: Part,
  {
    several: { graders },
    metrics,
  }: { readonly several: SeveralGraders; readonly metrics: readonly MetricSpec[] },
  context: ManifestContext,
): void {
  const isWeighted = metrics.some(({ id }) => id === weightedId);
  const sources = graders.flatMap(({ grader: each }) =>
    each.type === "aggregate" ? [each.options["source"]] : [],
  );
  for (const named of graders) {
    const { name, weight, grader } = named;
    const counts =
      metrics.some(({ id }) => isMetricOf(named, id)) ||
      (isWeighted && weight > 0) ||
      sources.includes(name);
    if (grader.models === undefined || counts) continue;
    context.warn(problem("grader_uncounted", { name }, placeOf(at(task, "metrics"))));
  }
}
