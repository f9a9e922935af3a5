import type { Confirmation } from "../model/outcomes/confirmation.ts";
import type { JudgedRule } from "../model/outcomes/finding.ts";
import type { CellCounts, GateFindings, GateProblem, Remark } from "../model/outcomes/remark.ts";
import { type Verdict, worstVerdict } from "../model/outcomes/verdict.ts";
import type { RuleFigures } from "../model/outcomes/rule-result.ts";
import type { Gate } from "../model/definition/gate.ts";
import type { CasesBy } from "./doubts.ts";
import type { Seen } from "./evaluate.ts";
import { verdictOf } from "./health.ts";
import type { BaselineSide } from "./pairing/sides.ts";

interface Evidence {
  readonly gate: Gate;
  readonly baseline: BaselineSide;
  readonly seen: Seen;
  readonly problems: readonly GateProblem[];
  readonly confirmation?: Confirmation | undefined;
  readonly acceptsLoss: boolean;
  readonly casesBy?: CasesBy | undefined;
}

/** The verdict and its reasons, the worst first. */
export function reachVerdict(evidence: Evidence): GateFindings {
  const { gate, seen, problems, confirmation, acceptsLoss } = evidence;
  const counted = countRemarks(evidence);
  if (gate === "none") {
    const remarks = [{ kind: "gate_none" as const }, ...problems.map(problemRemark), ...counted];
    return { verdict: "neutral", remarks, rules: [] };
  }
  const { results } = seen;
  const judged = acceptsLoss ? results.map(accepted) : results;
  const verdict = worstVerdict([...problems.map(verdictOf), ...judged.map(verdictOfRule)]);
  const remarks: readonly Remark[] = [
    ...worstRemarks("error", evidence),
    ...worstRemarks("fail", evidence),
    ...worstRemarks("inconclusive", evidence),
    ...(confirmation ? [{ kind: "confirmation" as const, record: confirmation.record }] : []),
    ...(verdict === "neutral" ? [nothingMeasured(evidence)] : []),
    ...(results.length > 0 && results.every(isAdvice) ? [{ kind: "only_advice" as const }] : []),
    ...(acceptsLoss ? results.filter(isLoss).map(remarkOn("accepted")) : []),
    ...results.filter(isAdvice).filter(isNotMet).map(remarkOn("rule")),
    ...results.filter(isLocated).map(remarkOn("located")),
    ...results.filter(isHiding).map(remarkOn("rule")),
    ...seen.hidden.filter((one) => !isLocatedIn(one, results)).map(remarkOn("rule")),
    ...results.filter((one) => isSeenNotBlocking(one) && !isHiding(one)).map(remarkOn("rule")),
    ...counted,
    ...results.filter(isQuiet).map(remarkOn("rule")),
    ...(results.length > 0 ? ungatedTasks(seen) : []),
  ];
  return { verdict, remarks, rules: [...results, ...seen.hidden] };
}

function remarkOn(kind: "rule" | "accepted" | "located"): (rule: JudgedRule) => Remark {
  return (rule) => ({ kind, rule });
}

function problemRemark(problem: GateProblem): Remark {
  return { kind: "problem", problem };
}

function countRemarks({ seen, problems, casesBy }: Evidence): readonly Remark[] {
  return seen.allCounts.flatMap((counts): readonly Remark[] => [
    ...(isSaid(counts, problems) ? [] : [{ kind: "not_scored" as const, counts }]),
    { kind: "otherwise", counts, edited: casesBy === "tool" ? counts.dropped.changed : 0 },
    ...(isEditedTold(casesBy, counts) ? [{ kind: "edited" as const, counts }] : []),
    { kind: "outside", counts },
    { kind: "lacking", counts, known: missingMetrics(counts, seen) },
  ]);
}

/** Beside the change's own rules, the base's judge the rows as they were; another tool's cases have words of their own. */
function isEditedTold(casesBy: CasesBy | undefined, { dropped }: CellCounts): boolean {
  return dropped.changed > 0 && casesBy !== undefined && !["change", "tool"].includes(casesBy);
}

/** Metrics that a rule already reports as missing from all samples. */
function missingMetrics({ task, candidate }: CellCounts, { results }: Seen): readonly string[] {
  return results
    .filter((one) => one.task === task && one.candidate === candidate)
    .filter(({ code }) => code === "metric_missing")
    .map(({ metric }) => metric);
}

/** True if a problem already reports that samples could not be graded or scored. */
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

/** The verdict that follows from a rule's outcome. `warn` and `info` never make it worse than a pass. */
function verdictOfRule({ level, outcome, code }: JudgedRule): Verdict {
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

function worstRemarks(
  verdict: "error" | "fail" | "inconclusive",
  { problems, seen, acceptsLoss }: Evidence,
): readonly Remark[] {
  return [
    ...problems.filter((one) => verdictOf(one) === verdict).map(problemRemark),
    ...seen.results
      .filter((one) => !(acceptsLoss && isLoss(one)) && verdictOfRule(one) === verdict)
      .map(remarkOn("rule")),
  ];
}

/**
 * True for a blocking rule that saw a loss against the baseline and does not let it pass. Such a loss can be accepted
 * on purpose, and becomes the next baseline. Rules on the value itself or against another candidate, a missing metric
 * and missing cases can't be accepted.
 */
export function isLoss({ kind, level, outcome, code, against }: RuleFigures): boolean {
  const isComparison = (kind === "max_drop" || kind === "max_rise") && against === undefined;
  if (!isComparison || level !== "block") return false;
  if (code === "drop_left_open") return true;
  return outcome === "missed" && (code === "drop_proven" || code === "beyond_limit");
}

/** A rule with an accepted loss counts as met; otherwise the result is unchanged. */
function accepted(result: JudgedRule): JudgedRule {
  return isLoss(result) ? { ...result, outcome: "met" } : result;
}

function nothingMeasured({ baseline, seen }: Evidence): Remark {
  const noBaseline = baseline.kind === "none" ? baseline.reason : undefined;
  const tooFew = seen.results.some(({ code }) => code === "too_few_to_prove");
  return { kind: "nothing_measured", noBaseline, tooFew, rules: seen.results.length };
}

/** True if the line of the rule over all cases already reports the slice. */
function isLocatedIn(hidden: JudgedRule, results: readonly JudgedRule[]): boolean {
  const { task, candidate, metric, slice, against } = hidden;
  return results.some(
    (one) =>
      one.task === task &&
      one.candidate === candidate &&
      one.metric === metric &&
      one.against === against &&
      one.places?.some(({ kind, name }) => kind === "slice" && name === slice),
  );
}

function ungatedTasks({ allCounts, results }: Seen): readonly Remark[] {
  const gated = new Set(results.map(({ task }) => task));
  const tasks = new Set(allCounts.map(({ task }) => task));
  return [...tasks.difference(gated)].map((task) => ({ kind: "ungated", task }));
}

function isAdvice({ level }: JudgedRule): boolean {
  return level !== "block";
}

function isNotMet({ outcome }: JudgedRule): boolean {
  return outcome === "missed" || outcome === "inconclusive";
}

function isSeenNotBlocking({ code, outcome }: JudgedRule): boolean {
  if (code === "cases_short_before") return true;
  return code === "drop_not_proven" || (code === "drop_not_confirmed" && outcome === "met");
}

/** True for a rule of neither kind above: clearly met, or not measured. */
function isQuiet(result: JudgedRule): boolean {
  return !isNotMet(result) && !isSeenNotBlocking(result) && !isHiding(result);
}

/** True if the locations of broken cases are reported separately; a rule that is met has them in its own line. */
function isLocated({ outcome, places }: JudgedRule): boolean {
  return outcome !== "met" && places !== undefined;
}

/** True for a rule that is met over all cases although some of them broke together. */
function isHiding({ outcome, places }: JudgedRule): boolean {
  return outcome === "met" && places !== undefined;
}
