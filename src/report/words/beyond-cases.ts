import { ownValue } from "../../model/own-value.ts";
import type { WorseCase } from "../../model/outcomes/broken.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { caseKey } from "../../model/outcomes/sample.ts";
import { count, countedOf, figure, unitOf } from "./figures.ts";
import { ruleName } from "./rules.ts";

type LimitRule = RuleResult & Required<Pick<RuleResult, "beyond">>;

/** The missed `min` and `max` rules that know their cases: those that block if any does. */
export function limitRules({ gate }: Run): readonly LimitRule[] {
  const missed = gate.rules.filter(isMissedLimit);
  const blocking = missed.filter(({ level }) => level === "block");
  return blocking.length > 0 ? blocking : missed;
}

/**
 * The rules that alone decide about their metric: if a drop or a must-pass case blocks too, the cases that broke
 * explain it.
 */
export function decidingLimits(run: Run): readonly LimitRule[] {
  const blocking = run.gate.rules.filter(blocks);
  const others = new Set(blocking.filter((rule) => !isLimit(rule)).map(metricPlace));
  return limitRules(run).filter((rule) => blocks(rule) && !others.has(metricPlace(rule)));
}

/** Place of the scores that a rule or a case is about; cases that are worse than another candidate's are apart. */
export function metricPlace(of: {
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
  readonly against?: string | undefined;
}): string {
  return JSON.stringify([of.task, of.candidate, of.metric, of.against]);
}

/** The cases beyond the limits of these rules, each once a metric, the worst first. */
export function casesBeyond(rules: readonly LimitRule[]): readonly WorseCase[] {
  const found = new Map<string, WorseCase>();
  for (const { task, candidate, metric, limit, beyond } of rules)
    for (const { case_id: caseId, value, before = null } of beyond.cases) {
      const key = `${metric} ${caseKey({ task, candidate, caseId })}`;
      const beyondBy = Math.abs(value - limit);
      if ((found.get(key)?.beyondBy ?? -1) >= beyondBy) continue;
      const changes = [{ metric, before, after: value }];
      found.set(key, { task, candidate, caseId, changes, mustPass: false, beyondBy });
    }
  return [...found.values()];
}

/** Number of the cases beyond these limits; of several limits, only those that the run names are told apart. */
export function countBeyond(rules: readonly LimitRule[]): number {
  return Math.max(0, ...rules.map(({ beyond }) => beyond.count), casesBeyond(rules).length);
}

/** `36 of 120 cases are below 90.0%`; of a 0/1 metric without repeats: `36 of 120 cases fail`. */
export function beyondWords(run: Run, rule: LimitRule): string {
  const { of } = rule.beyond;
  const some = countedOf(rule.beyond.count, of, "case");
  if (isPassOrFail(run, rule)) return `${some} ${of === 1 ? "fails" : "fail"}`;
  const side = rule.kind === "min" ? "below" : "above";
  return `${some} ${of === 1 ? "is" : "are"} ${side} ${figure(rule.limit, unitOf(run, rule))}`;
}

/** `, 18 of them worse than in the baseline`; empty where all are, none is, or it is not known. */
export function worseSince({ kind, beyond }: LimitRule): string {
  const sign = kind === "min" ? 1 : -1;
  const worse = beyond.cases.filter(
    ({ value, before }) => before !== undefined && sign * (before - value) > 0,
  ).length;
  const isKnown = beyond.cases.length === beyond.count && worse > 0 && worse < beyond.count;
  return isKnown ? `, ${count(worse)} of them worse than in the baseline` : "";
}

/** The same, with the metric: the words of a table's title. */
export function beyondTitle(
  run: Run,
  rules: readonly LimitRule[],
): {
  readonly words: string;
  /** Empty if the table is about several. */
  readonly metric: string;
} {
  const [rule, ...others] = rules;
  if (rule === undefined) return { words: "", metric: "" };
  if (others.length > 0) return { words: "Cases beyond a limit", metric: "" };
  return { words: beyondWords(run, rule), metric: ruleName(run, rule) };
}

function isPassOrFail({ metrics, suite }: Run, { task, metric, kind }: LimitRule): boolean {
  const found = metrics.find((value) => value.task === task && value.metric === metric);
  const isWorstWay = found?.higher_is_better === (kind === "min");
  return found?.scale === "binary" && isWorstWay && ownValue(suite.tasks, task)?.repeats === 1;
}

function isMissedLimit(rule: RuleResult): rule is LimitRule {
  return isLimit(rule) && rule.outcome === "missed" && rule.beyond !== undefined;
}

function isLimit({ kind }: RuleResult): boolean {
  return kind === "min" || kind === "max";
}

function blocks({ level, outcome }: RuleResult): boolean {
  return level === "block" && outcome === "missed";
}
