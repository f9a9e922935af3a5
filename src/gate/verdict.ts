import type { Confirmation } from "../model/confirmation.ts";
import type { GateResult, RuleResult, Verdict } from "../model/run.ts";
import type { Gate } from "../model/suite.ts";
import { worstVerdict } from "../model/verdict.ts";
import type { CellCounts } from "./counts.ts";
import { confirmLines } from "./confirm-words.ts";
import type { Seen } from "./evaluate.ts";
import { verdictOf, type GateProblem } from "./health.ts";
import {
  acceptedLine,
  countLines,
  gateIsNone,
  lackingLines,
  locatedLine,
  nothingMeasured,
  nothingOfResults,
  onlyAdvice,
  outsideLines,
  problemLine,
  ruleLine,
  ungatedLine,
} from "./remarks.ts";
import type { BaselineSide } from "./sides.ts";

interface Evidence {
  readonly gate: Gate;
  readonly baseline: BaselineSide;
  readonly seen: Seen;
  readonly problems: readonly GateProblem[];
  readonly confirmation?: Confirmation | undefined;
  readonly acceptsLoss: boolean;
  /** False where flags or inputs say the rules: there is no manifest to speak of. */
  readonly hasManifest: boolean;
}

/** The verdict, and its reasons with the worst first. */
export function reachVerdict(evidence: Evidence): GateResult {
  const { gate, seen, problems } = evidence;
  const remarks = remarksOf(evidence);
  const problemLines = problems.map((one) => problemLine(one, evidence.hasManifest));
  if (gate === "none")
    return { verdict: "neutral", reasons: [gateIsNone, ...problemLines, ...remarks], rules: [] };
  const judged = evidence.acceptsLoss ? seen.results.map(accepted) : seen.results;
  const verdict = worstVerdict([...problems.map(verdictOf), ...judged.map(verdictOfRule)]);
  const reasons = [
    ...linesOf("error", evidence),
    ...linesOf("fail", evidence),
    ...linesOf("inconclusive", evidence),
    ...(evidence.confirmation ? confirmLines(evidence.confirmation.record) : []),
    ...(verdict === "neutral" ? [hint(evidence)] : []),
    ...(seen.results.length > 0 && seen.results.every(({ level }) => level !== "block")
      ? [onlyAdvice]
      : []),
    ...(evidence.acceptsLoss ? seen.results.filter(isLoss).map(acceptedLine) : []),
    ...seen.results.filter(isAdvice).filter(isNotMet).map(ruleLine),
    ...seen.results.flatMap(locatedLine),
    ...seen.results.filter(isHiding).map(ruleLine),
    ...seen.hidden.filter((one) => !isLocatedIn(one, seen.results)).map(ruleLine),
    ...seen.results.filter((one) => isSeenNotBlocking(one) && !isHiding(one)).map(ruleLine),
    ...remarks,
    ...seen.results.filter(isQuiet).map(ruleLine),
    ...(seen.results.length > 0 ? ungatedTasks(seen).map(ungatedLine) : []),
  ];
  return { verdict, reasons, rules: [...seen.results, ...seen.hidden] };
}

function remarksOf({ seen, problems }: Evidence): readonly string[] {
  return seen.allCounts.flatMap((cellCounts) => [
    ...(isSaid(cellCounts, problems) ? [] : countLines(cellCounts)),
    ...outsideLines(cellCounts),
    ...lackingLines(cellCounts, missingMetrics(cellCounts, seen)),
  ]);
}

/** Metrics of which a rule says that no sample has them. */
function missingMetrics({ task, candidate }: CellCounts, { results }: Seen): readonly string[] {
  return results
    .filter((one) => one.task === task && one.candidate === candidate)
    .filter(({ code }) => code === "metric_missing")
    .map(({ metric }) => metric);
}

/** True where a problem says already that samples could not be graded or scored. */
function isSaid(cellCounts: CellCounts, problems: readonly GateProblem[]): boolean {
  return problems.some(
    (problem) =>
      (problem.kind === "too_many_ungraded" ||
        problem.kind === "none_scored" ||
        problem.kind === "ungraded_decide") &&
      problem.task === cellCounts.task &&
      problem.candidate === cellCounts.candidate,
  );
}

/** What a rule's outcome makes of the verdict. `warn` and `info` never make it worse than a pass. */
function verdictOfRule({ level, outcome, code }: RuleResult): Verdict {
  switch (outcome) {
    case "met":
      return "pass";
    case "missed":
      if (level === "block") return "fail";
      return code === "metric_missing" || code === "slice_missing" ? "neutral" : "pass";
    case "inconclusive":
      return level === "block" ? "inconclusive" : "neutral";
    case "unmeasured":
      return "neutral";
  }
}

function linesOf(verdict: "error" | "fail" | "inconclusive", evidence: Evidence): string[] {
  return [
    ...evidence.problems
      .filter((one) => verdictOf(one) === verdict)
      .map((one) => problemLine(one, evidence.hasManifest)),
    ...evidence.seen.results
      .filter((one) => !(evidence.acceptsLoss && isLoss(one)) && verdictOfRule(one) === verdict)
      .map(ruleLine),
  ];
}

/**
 * A blocking rule that is missed because of what the baseline had: a loss can be accepted on purpose. What a rule says of the
 * value itself, a metric that is gone and cases that are missing can't.
 */
export function isLoss({ kind, level, outcome, code }: RuleResult): boolean {
  const isComparison = kind === "max_drop" || kind === "max_rise";
  const isMiss = level === "block" && outcome === "missed";
  return isComparison && isMiss && (code === "drop_proven" || code === "beyond_limit");
}

/** The rule's outcome stands; that it was accepted makes it count as met. */
function accepted(result: RuleResult): RuleResult {
  return isLoss(result) ? { ...result, outcome: "met" } : result;
}

function hint({ baseline, seen, hasManifest }: Evidence): string {
  const say = hasManifest ? nothingMeasured : nothingOfResults;
  return say(baseline.kind === "none" ? baseline.reason : undefined, seen.results.length);
}

/** True where the line of the rule over all cases tells of the slice already. */
function isLocatedIn(hidden: RuleResult, results: readonly RuleResult[]): boolean {
  const { task, candidate, metric, slice } = hidden;
  return results.some(
    (one) =>
      one.task === task &&
      one.candidate === candidate &&
      one.metric === metric &&
      one.located?.places.some(({ kind, name }) => kind === "slice" && name === slice),
  );
}

function ungatedTasks({ allCounts, results }: Seen): readonly string[] {
  const gated = new Set(results.map(({ task }) => task));
  return [...new Set(allCounts.map(({ task }) => task))].filter((task) => !gated.has(task));
}

function isAdvice({ level }: RuleResult): boolean {
  return level !== "block";
}

function isNotMet({ outcome }: RuleResult): boolean {
  return outcome === "missed" || outcome === "inconclusive";
}

function isSeenNotBlocking({ code, outcome }: RuleResult): boolean {
  if (code === "cases_short_before") return true;
  return code === "drop_not_proven" || (code === "drop_not_confirmed" && outcome === "met");
}

/** Neither said above: what is met without a doubt, and what could not be measured. */
function isQuiet(result: RuleResult): boolean {
  return !isNotMet(result) && !isSeenNotBlocking(result) && !isHiding(result);
}

/** Met over all cases, some of which broke together. */
function isHiding({ outcome, located }: RuleResult): boolean {
  return outcome === "met" && located !== undefined;
}
