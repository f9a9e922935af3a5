import type { NamedCases, ShortOf, Unpaired } from "../../model/outcomes/finding.ts";
import { count, counted, figure, forCount, listed } from "./figures.ts";
import type { MetricUnit } from "../../model/definition/metric.ts";

/** The reason for the outcome of a `must_pass` rule, for people. */
export function namedReason(named: NamedCases, unit: MetricUnit): string {
  const parts = [shortPart(named, unit), absentPart(named), ungradedPart(named)];
  const missed = parts.filter((part) => part !== "");
  const already = alreadyPart(named, unit);
  if (missed.length > 0) return [...missed, already, unknownPart(named)].filter(Boolean).join("; ");
  if (already !== "") return `${already}; that blocks only with \`always: true\``;
  if (named.n === 0) return "none of the must-pass cases is among those that this run selected";
  const all = named.n === 1 ? allOf(named) : `all of ${allOf(named)}`;
  if (isAll(named, unit)) return `${all} ${forCount(named.n, "passes", "pass")}`;
  return `${all} ${forCount(named.n, "is", "are")} ${asked(named, unit)}`;
}

/** Whether anything but the full score fails. */
function isAll({ upTo, limit }: NamedCases, unit: MetricUnit): boolean {
  return unit === "share" && !upTo && limit === 1;
}

function asked({ upTo, limit }: NamedCases, unit: MetricUnit): string {
  return `${upTo ? "at most" : "at least"} ${figure(limit, unit)}`;
}

function allOf({ n }: NamedCases): string {
  return counted(n, "must-pass case");
}

function shortPart(named: NamedCases, unit: MetricUnit): string {
  const { short } = named;
  if (short.length === 0) return "";
  const cases = listed(short.map((one) => shortCase(one, unit)));
  const found = isAll(named, unit)
    ? forCount(short.length, "fails", "fail")
    : `${forCount(short.length, "is not", "are not")} ${asked(named, unit)}`;
  return `${count(short.length)} of ${allOf(named)} ${found}: ${cases}`;
}

function shortCase({ case_id, value, before }: ShortOf, unit: MetricUnit): string {
  const notes = [
    scoreNote(value, unit),
    before === "absent" ? "not in the baseline" : "",
    before === "ungraded" ? "not graded in the baseline" : "",
  ].filter((note) => note !== "");
  return notes.length === 0 ? case_id : `${case_id} (${notes.join(", ")})`;
}

/** Empty for a share of 0: the word "fails" says it. */
function scoreNote(value: number | null, unit: MetricUnit): string {
  const score = value ?? 0;
  return unit === "share" && score === 0 ? "" : figure(score, unit);
}

function absentPart({ absent }: NamedCases): string {
  return absent.length === 0 ? "" : `no case of this run is called ${listed(absent)}`;
}

function ungradedPart(named: NamedCases): string {
  const { ungraded } = named;
  if (ungraded.length === 0) return "";
  return `${count(ungraded.length)} of ${allOf(named)} could not be graded: ${listed(ungraded)}; run again`;
}

/** Named cases that failed before too, and therefore don't block. */
function alreadyPart(named: NamedCases, unit: MetricUnit): string {
  const { already } = named;
  if (already.length === 0) return "";
  const cases = already.map(({ case_id, value }) => {
    const note = value === null ? "not graded" : scoreNote(value, unit);
    return note === "" ? case_id : `${case_id} (${note})`;
  });
  const fell = isAll(named, unit) ? "failed" : `fell short of ${asked(named, unit)}`;
  return `${count(already.length)} of ${allOf(named)} ${fell} in the baseline already: ${listed(cases)}`;
}

/** If the baseline is unknown, every case counts. */
function unknownPart({ short, ungraded, unknownBase }: NamedCases): string {
  if (unknownBase === undefined || short.length + ungraded.length === 0) return "";
  return `whether ${forCount(short.length + ungraded.length, "it", "they")} fell short before is not known: ${unknownWhy(unknownBase)}`;
}

function unknownWhy(unknown: Unpaired): string {
  switch (unknown.kind) {
    case "no_baseline":
      return absentWhy[unknown.why];
    case "metric_new":
      return "the baseline does not have this metric";
    case "not_comparable":
      return "the baseline's scores are not comparable with these";
  }
}

const absentWhy = {
  no_baseline: "there is no baseline",
  new_task: "the baseline does not have this task",
  new_candidate: "the baseline does not have this candidate",
  no_reference: "this run has no answers of the other candidate",
} as const;
