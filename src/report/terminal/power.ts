import type { PowerPlace, PowerReport, PowerRow, SpendOption } from "../../model/figures/power.ts";
import { clip, escapeLogLine } from "../escape.ts";
import { count, counted, distance, percentName } from "../words/figures.ts";
import { columns, type TextCell } from "./text-table.ts";

/** Output of `regrade power`: a table per metric, and the assumptions behind the figures. */
export function renderPower(report: PowerReport, width: number): string {
  const parts = [
    line(
      `${report.suite}: what proves a drop ${percentName(report.power)} of the time, ${sourceOf(report)}.`,
    ),
    ...report.places.map((place) => placeTable(report, place, width)),
    report.notes.map((note) => line(`Note: ${note}`)).join("\n"),
  ];
  return `${parts.join("\n\n")}\n`;
}

function sourceOf({ places }: PowerReport): string {
  if (!places.every(({ noise }) => noise.from === "assumption")) return "by what the run shows";
  if (!places.every(({ reduced }) => reduced))
    return "by assumption: a run with repeats, or one with a baseline, shows more";
  return "by assumption: the metric's reducer uses all repeats up; a baseline, or `regrade calibrate`, shows the noise";
}

function line(text: string): string {
  return escapeLogLine(clip(text, 800));
}

function placeTable(report: PowerReport, place: PowerPlace, width: number): string {
  const repeats = (place.rows[0]?.cases ?? []).map((one) => one.repeats);
  const heads = [
    "true drop",
    "proven now",
    ...repeats.map((one) => (one === 1 ? "cases" : `at ${one} repeats`)),
    "repeats for these cases",
  ];
  const head = heads.map((text): TextCell => ({ text, align: "right" }));
  const rows = place.rows.map((row) => rowOf(place, row));
  const table = rows.length === 0 ? [] : [columns([head, ...rows], width)];
  const spend = isUnknown(place) ? [] : spendLines(place);
  return [...opening(report, place), ...table, ...spend].join("\n");
}

function opening(report: PowerReport, place: PowerPlace): readonly string[] {
  const { task, metric, slice, candidate, cases, repeats, alpha, comparisons, noise } = place;
  const several = report.places.some((other) => other.candidate !== candidate);
  const name = `${task}/${metric}${several ? ` · ${candidate}` : ""}${slice === null ? "" : ` · ${slice}`}`;
  const shared = comparisons > 1 ? ` (${comparisons} comparisons share it)` : "";
  const size = `${counted(cases, "case")}, ${counted(repeats, "repeat")}`;
  return [
    line(`${name}: ${size}, one-sided alpha ${Number(alpha.toPrecision(3))}${shared}`),
    `  ${line(noise.words)}`,
    `  ${detectsWords(place)}`,
  ];
}

/** Ways to spend further calls, the best first. */
function spendLines({ spend, unit }: PowerPlace): readonly string[] {
  if (spend === undefined) return [];
  if (spend.length === 0) return ["  so few further calls buy nothing: not one case more"];
  return spend.map((option, i) => {
    const then = option.detects === null ? "no drop" : `≥ ${distance(option.detects, unit)}`;
    const lead = i === 0 ? "further calls tell most as" : "or as";
    return `  ${line(`${lead} ${spendName(option)}: ${then} (${counted(option.calls, "call")})`)}`;
  });
}

/** `150 cases`, `repeats: 2`, `3 earlier runs`. */
export function spendName({ kind, to }: Pick<SpendOption, "kind" | "to">): string {
  switch (kind) {
    case "cases":
      return counted(to, "case");
    case "repeats":
      return `repeats: ${to}`;
    case "earlier_runs":
      return `${counted(to, "earlier run")} taken together`;
  }
}

/** True if no noise was seen in graded scores, and not because there are too few cases to prove anything. */
function isUnknown({ detects, noise, rows }: PowerPlace): boolean {
  return detects === null && noise.variance === 0 && rows.every(({ now }) => now > 0);
}

/** The detectable drop, as in a run's verdict. */
function detectsWords(place: PowerPlace): string {
  const { detects, unit } = place;
  if (isUnknown(place)) return "which drop it could detect is not known: nothing varied";
  return detects === null
    ? "could detect no drop, however large"
    : `could detect ≥ ${distance(detects, unit)}`;
}

function rowOf(place: PowerPlace, row: PowerRow): readonly TextCell[] {
  const texts = [
    distance(row.drop, place.unit),
    `${(100 * row.now).toFixed(0)}%`,
    ...row.cases.map(({ cases }) => count(cases)),
    row.repeats === null ? "none" : count(row.repeats),
  ];
  return texts.map((text) => ({ text, align: "right" }));
}
