import type { MetricPlace } from "../../model/place.ts";
import type {
  Calibration,
  FlickeringCase,
  MetricNoise,
  RuleCalibration,
  Proportion,
} from "../../model/figures/calibration.ts";
import { clip, escapeLogLine } from "../escape.ts";
import { count, counted, distance, figure } from "../words/figures.ts";
import { columns, type TextCell } from "./text-table.ts";

/** Output of `regrade calibrate`: false alarms, detectable drops, noise, flickering cases, advice. */
export function renderCalibration(calibration: Calibration, width: number): string {
  const parts = [
    opening(calibration),
    alarmTable(calibration, width),
    reachTable(calibration, width),
    noiseTable(calibration, width),
    flickeringLines(calibration),
    advice(calibration),
    calibration.notes.map((note) => line(`Note: ${note}`)).join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function line(text: string): string {
  return escapeLogLine(clip(text, 800));
}

function opening({ suite, runs, alarms, dealt, verdicts }: Calibration): string {
  const others = (["error", "inconclusive", "neutral"] as const)
    .filter((verdict) => verdicts[verdict] > 0)
    .map((verdict) => `, ${verdicts[verdict]} ${verdict}`)
    .join("");
  return [
    line(
      `${suite}: ${counted(runs.length, "run")} against each other, ${counted(alarms.of, "ordered pair")}. Nothing had changed.`,
    ),
    `The gate failed ${shareWords(alarms)}${others}.`,
    ...(dealt === null
      ? []
      : [`With the answers of each case dealt anew to two runs, it failed ${shareWords(dealt)}.`]),
  ].join("\n");
}

/** `0 of 20 (0.0%, 95% interval 0.0% to 16.8%)`. */
function shareWords({ count: found, of, rate, ci }: Proportion): string {
  return `${count(found)} of ${count(of)} (${percent(rate)}, 95% interval ${percent(ci[0])} to ${percent(ci[1])})`;
}

function percent(value: number): string {
  return figure(value, "share");
}

function alarmTable({ rules, dealt }: Calibration, width: number): string {
  if (rules.length === 0) return "";
  const heads = ["false alarms", "pairs", "95%", "dealt anew", "any drop", "bare limit"];
  const rows = rules.map((rule): readonly TextCell[] => [
    cell(`${ruleName(rules, rule)} ${ruleLimit(rule)}`, "left"),
    cell(shortShare(rule.alarms, isOfRuns(rule) ? " runs" : ""), "right"),
    cell(`${percent(rule.alarms.ci[0])} to ${percent(rule.alarms.ci[1])}`, "left"),
    ...(dealt === null ? [] : [cell(rule.dealt ? percent(rule.dealt.rate) : "–", "right")]),
    cell(rule.naive ? percent(rule.naive.any_drop.rate) : "–", "right"),
    cell(rule.naive ? percent(rule.naive.bare_limit.rate) : "–", "right"),
  ]);
  const kept = heads.filter((head) => dealt !== null || head !== "dealt anew");
  const legend =
    "any drop, bare limit: what a rule without a test would have blocked of the same pairs.";
  const besides = rules.some(({ against }) => against !== undefined)
    ? "\nagainst: in how many runs the rule was missed; where the two candidates differ, that is no false alarm."
    : "";
  return `${columns([headRow(kept), ...rows], width)}\n${legend}${besides}`;
}

/** Whether the rule looks at one run only, so that it gives the same result against every other run. */
function isOfRuns({ prove, against }: RuleCalibration): boolean {
  return prove === null || against !== undefined;
}

function shortShare({ count: found, of }: Proportion, noun: string): string {
  return `${count(found)} of ${count(of)}${noun}`;
}

function reachTable({ rules }: Calibration, width: number): string {
  const compared = rules.filter(({ cases }) => cases !== null);
  if (compared.length === 0) return "";
  const rows = compared.map((rule): readonly TextCell[] => [
    cell(`${ruleName(rules, rule)} ${ruleLimit(rule)}`, "left"),
    cell(count(rule.cases ?? 0), "right"),
    cell(rule.disagree === null ? "–" : percent(rule.disagree), "right"),
    cell(rule.detects === null ? "none" : distance(rule.detects, rule.unit), "right"),
  ]);
  const heads = ["smallest drop blocked 4 times in 5", "cases", "disagree", "drop"];
  return columns([headRow(heads), ...rows], width);
}

function noiseTable({ noise }: Calibration, width: number): string {
  if (noise.length === 0) return "";
  const rows = noise.map((one): readonly TextCell[] => [
    cell(nameOf(noise, one), "left"),
    cell(rangeOf(one), "right"),
    cell(sdOf(one.between, one), "right"),
    cell(sdOf(one.within, one), "right"),
    cell(one.run_sd === null ? "–" : distance(one.run_sd, one.unit), "right"),
    cell(one.expected_sd === null ? "–" : distance(one.expected_sd, one.unit), "right"),
    cell(`${count(one.flickering.count)} of ${count(one.cases)}`, "right"),
  ]);
  const heads = [
    "noise",
    "runs",
    "between cases",
    "within a case",
    "of a run",
    "expected",
    "flicker",
  ];
  const legend =
    "Standard deviations. Within a case: between its repeats and runs. Of a run: of its mean, found and as the cases' noise explains it.";
  return `${columns([headRow(heads), ...rows], width)}\n${legend}`;
}

function rangeOf({ values, unit }: MetricNoise): string {
  const [low, high] = [Math.min(...values), Math.max(...values)].map((one) => figure(one, unit));
  return low === high ? `${low}` : `${low} to ${high}`;
}

function sdOf(variance: number | null, { unit }: MetricNoise): string {
  return variance === null ? "–" : distance(Math.sqrt(variance), unit);
}

const casesShown = 10;

function flickeringLines({ noise }: Calibration): string {
  return noise
    .filter((one) => one.flickering.count > 0)
    .map((one) => {
      const shown = one.flickering.cases.slice(0, casesShown);
      const rest = one.flickering.count - shown.length;
      const names = shown.map((each) => caseWords(each)).join(", ");
      const more = rest > 0 ? `, and ${count(rest)} more` : "";
      return line(`Flickering in ${nameOf(noise, one)}: ${names}${more}.`);
    })
    .join("\n");
}

/** `t7 (1 1 0 1 1)`. */
function caseWords({ case_id, scores }: FlickeringCase): string {
  const shown = scores.slice(0, casesShown).map((score) => String(Number(score.toPrecision(3))));
  return `${clip(case_id, 60)} (${shown.join(" ")}${scores.length > casesShown ? " …" : ""})`;
}

function advice({ rules }: Calibration): string {
  const told = rules.filter((rule) => rule.advice.length > 0);
  if (rules.length === 0) return "The gate has no rule for what this suite measures.";
  if (told.length === 0) return "Nothing to change.";
  return told
    .map((rule) =>
      [
        line(`What to change: ${ruleName(rules, rule)} ${ruleLimit(rule)}`),
        ...rule.advice.map((each) => `  ${line(each)}`),
      ].join("\n"),
    )
    .join("\n\n");
}

function ruleName(all: readonly RuleCalibration[], rule: RuleCalibration): string {
  const against = rule.against === undefined ? "" : ` · against ${rule.against}`;
  return `${nameOf(all, rule)}${rule.slice === null ? "" : ` · ${rule.slice}`}${against}`;
}

function nameOf(all: readonly MetricPlace[], { task, candidate, metric }: MetricPlace): string {
  const several = all.some((other) => other.candidate !== candidate);
  const place = all.some((other) => other.task !== task) ? `${task}/` : "";
  return `${place}${metric}${several ? ` · ${candidate}` : ""}`;
}

/** `max_drop 2.0 points`, and the settings that distinguish the rule. */
function ruleLimit({ kind, limit, unit, prove, level }: RuleCalibration): string {
  const size =
    kind === "max_drop" || kind === "max_rise" ? distance(limit, unit) : figure(limit, unit);
  const how = prove === null || prove === "drop" ? "" : `, prove: ${prove}`;
  return `${kind} ${size}${how}${level === "block" ? "" : `, ${level}`}`;
}

function headRow(names: readonly string[]): readonly TextCell[] {
  return names.map((text, i) => ({ text, align: i === 0 || text === "95%" ? "left" : "right" }));
}

function cell(text: string, align: TextCell["align"]): TextCell {
  return { text: escapeLogLine(clip(text, 200)), align };
}
