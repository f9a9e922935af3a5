import { plural } from "../number-words.ts";
import type { Said } from "./said.ts";

/** Problems with the gate's rules as the manifest declares them. */
export const gateTexts = {
  rule_metric_unknown: ({ metric, known }: { metric: string; known: readonly string[] }): Said => ({
    message: `the rule's metric ${JSON.stringify(metric)} matches no metric of this suite`,
    hint: `The suite declares ${known.length === 0 ? "no metric" : known.join(", ")}; every task has latency_seconds, input_tokens, output_tokens and usd.`,
  }),
  rule_slice_unknown: ({ slice, known }: { slice: string; known: readonly string[] }): Said => ({
    message: `the rule's slice ${JSON.stringify(slice)} names no field that its tasks are sliced by`,
    hint: `Write field=value, such as ${known[0] ?? "language"}=*. ${known.length === 0 ? "Its tasks declare no `slices`." : `Its tasks declare slices: ${known.join(", ")}.`}`,
  }),
  rule_slice_empty: ({ slice, task, nearest, some }: RuleSliceEmpty): Said => ({
    message: `no case of the task ${JSON.stringify(task)} is in the rule's slice ${JSON.stringify(slice)}, so the rule is always missed`,
    hint: nearest === undefined ? examples("Its slices are", some) : `Did you mean '${nearest}'?`,
  }),
  must_pass_unknown: ({ name, task, isGlob, nearest, some }: MustPassUnknown): Said => ({
    message: `\`must_pass\`: no case of the task ${JSON.stringify(task)} ${isGlob ? "matches" : "has the id"} ${JSON.stringify(name)}, so the rule is always missed`,
    hint: nearest === undefined ? examples("Its ids are", some) : `Did you mean '${nearest}'?`,
  }),
  min_cases_unreachable: ({ task, asked, cases, rows }: TooFewRows): Said => ({
    message: `\`min_cases: ${asked}\` is more than the ${cases} ${plural(cases, "case")} that a run of the task ${JSON.stringify(task)} has: each run ends with an error`,
    hint:
      cases < rows
        ? `Its data set has ${rows} rows, of which \`max_samples\` takes ${cases}.`
        : "Add cases, or ask for fewer.",
  }),
  rule_must_pass_limit: ({ metric }: { metric: string }): Said => ({
    message: `\`must_pass\` does not know what passes: ${metric} has no range`,
    hint: "Add `min` (or `max` where lower is better) to the rule, or give the metric a range.",
  }),
  rule_no_room: ({ key }: { key: string }): Said => ({
    message: `\`${key}: 0\` beside prove: no_drop can never be shown: no number of cases proves a difference of nothing`,
    hint: "Give the loss that would not matter, such as 0.02.",
  }),
  rule_candidate_unknown: ({ candidate, known }: RuleCandidate): Said => ({
    message: `the rule's candidate ${JSON.stringify(candidate)} matches no candidate of this suite`,
    hint: `The suite declares ${known.join(", ")}.`,
  }),
  judge_against_missing: ({
    against,
    names,
  }: {
    against: string;
    names: readonly string[];
  }): Said => ({
    message: `the judge compares with the candidate ${JSON.stringify(against)}, and it needs another one beside it; asked are ${names.join(", ")}`,
    hint: "`against` is the name of one candidate of this run, and at least one more is compared with it: don't leave either out by --candidate.",
  }),
  judge_against_idle: ({ keys }: { keys: readonly string[] }): Said => ({
    message: `a judge with \`against\` names the better of two answers: ${keys.join(", ")} means nothing to it`,
    hint: "Remove what it does not read, or `against`.",
  }),
  rule_against_unknown: ({ candidate, known }: RuleCandidate): Said => ({
    message: `the rule is against ${JSON.stringify(candidate)}, which is no candidate of this suite`,
    hint: `\`against\` is the name of one candidate, no glob. The suite declares ${known.join(", ")}.`,
  }),
  rule_against_itself: ({ candidate, known }: RuleCandidate): Said => ({
    message: `the rule compares ${JSON.stringify(candidate)} with itself: it covers no other candidate`,
    hint: `Name another one in \`candidate\` or \`against\`. The suite declares ${known.join(", ")}.`,
  }),
  rule_against_idle: ({ kind }: { kind: string }): Said => ({
    message: `\`against\` has no meaning beside \`${kind}\`, which compares nothing`,
    hint: "It belongs to max_drop or max_rise: the two candidates are compared case by case. Take it out.",
  }),
  rule_direction: ({ kind, metric }: { kind: "max_drop" | "max_rise"; metric: string }): Said => ({
    message: `\`${kind}\` guards nothing here: ${kind === "max_drop" ? "lower" : "higher"} is better in ${metric}`,
    hint: `Write ${kind === "max_drop" ? "max_rise" : "max_drop"}, or correct the metric's higher_is_better.`,
  }),
  rule_metric_not_aggregated: ({ metric }: { metric: string }): Said => ({
    message: `${metric} has aggregation: none, so it has no value that a rule could judge`,
    hint: "Give the metric aggregation: mean, or narrow the rule's metric.",
  }),
  rule_outside_range: ({ kind, value, metric, range }: RuleOutside): Said => ({
    message: `\`${kind}: ${value}\` lies outside the range [${range.join(", ")}] of ${metric}`,
    hint: "Choose a value inside the range, or correct the range.",
  }),
  rule_beyond_span: ({ kind, value, metric, range }: BeyondSpan): Said => ({
    message: `\`${kind}: ${value}\` never blocks: ${metric} lies between ${range.join(" and ")}, so no ${kind === "max_drop" ? "drop" : "rise"} can be as large`,
    hint:
      range[0] === 0 && range[1] === 1
        ? `Write ${value <= 100 ? value / 100 : 0.02} for ${value <= 100 ? value : 2} percentage points.`
        : "Write it in the metric's own unit, or correct the range.",
  }),
  rule_key_idle: ({ key, kind }: { key: string; kind: string }): Said => ({
    message: `\`${key}\` has no meaning beside ${kind}`,
    hint:
      key === "slice"
        ? "The rule names its cases itself. Take it out."
        : "It belongs to a proof against a baseline (max_drop or max_rise without prove: nothing). Take it out.",
  }),
  rule_without_baseline_idle: ({ kind }: { kind: string }): Said => ({
    message: `\`without_baseline\` means nothing beside \`${kind}\`: it belongs to \`min\` and \`max\``,
    hint: "Leave it out.",
  }),
  rule_always_idle: ({ kind }: { kind: string }): Said => ({
    message: `\`always\` has no meaning beside \`${kind}\``,
    hint: "It belongs to `must_pass`: whether a change answers for cases too that fell short before it. Take it out.",
  }),
  baseline_search_idle: ({ key }: { key: string }): Said => ({
    message: `\`${key}\` has no meaning beside from: rerun: that baseline is made in the same job`,
    hint: "Take it out, or write from: auto.",
  }),
  task_ungated: ({ task, metric }: TaskUngated): Said => ({
    message: `nothing gates the task ${JSON.stringify(task)}: the default rule is for a first metric that is a mean with the range [0, 1], and ${JSON.stringify(metric.id)} has ${lackOf(metric)}`,
    hint: `${metric.range === null && metric.aggregation === "mean" ? `Declare metrics: [{ id: ${metric.id}, range: [0, 1] }] if its scores lie there, or write` : "Write"} \`gate.rules\`; gate: none if nothing is to be judged.`,
  }),
} satisfies Record<string, (found: never) => Said>;

interface RuleSliceEmpty {
  readonly slice: string;
  readonly task: string;
  readonly nearest: string | undefined;
  readonly some: readonly string[];
}

interface MustPassUnknown {
  readonly name: string;
  readonly task: string;
  readonly isGlob: boolean;
  readonly nearest: string | undefined;
  readonly some: readonly string[];
}

interface TooFewRows {
  readonly task: string;
  readonly asked: number;
  /** Number of cases of a run. */
  readonly cases: number;
  readonly rows: number;
}

function examples(begin: string, some: readonly string[]): string {
  return some.length === 0 ? "It has none." : `${begin} such as ${some.join(", ")}.`;
}

interface TaskUngated {
  readonly task: string;
  readonly metric: {
    readonly id: string;
    readonly aggregation: string;
    readonly range: readonly [number, number] | null;
  };
}

function lackOf({ aggregation, range }: TaskUngated["metric"]): string {
  if (aggregation !== "mean") return `aggregation: ${aggregation}`;
  return range === null ? "no range" : `the range [${range.join(", ")}]`;
}

interface RuleCandidate {
  readonly candidate: string;
  readonly known: readonly string[];
}

interface BeyondSpan {
  readonly kind: "max_drop" | "max_rise";
  readonly value: number;
  readonly metric: string;
  readonly range: readonly [number, number];
}

interface RuleOutside {
  readonly kind: "min" | "max";
  readonly value: number;
  readonly metric: string;
  readonly range: readonly [number, number];
}
