import type { MetricChange, WorseCase, WorseCases } from "../../model/outcomes/broken.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import { caseKey } from "../../model/outcomes/sample.ts";

/** The cases of a run that got worse, each once. Every count in a report is based on them. */
export function worseCases(run: Run): WorseCases {
  const rules = run.gate.rules.filter(isAboutCases);
  const main = mainRules(rules);
  const places = new Set(main.map(placeOf));
  const isMain = (rule: RuleResult): boolean => places.has(placeOf(rule));
  const cases = collect(rules.filter(isMain).toSorted((a, b) => rank(a) - rank(b)));
  const known = new Set(cases.map(caseKey));
  const others = collect(rules.filter((rule) => !isMain(rule)));
  const counted = main.map(({ slice, broke }) => (slice === null ? (broke ?? 0) : 0));
  return {
    cases,
    total: Math.max(cases.length, ...counted),
    of: casesLookedAt(run, main),
    others: others.filter((one) => !known.has(caseKey(one))),
  };
}

/**
 * Key of a case that got worse. A case that is worse than in the baseline and one that is worse than another
 * candidate's have different keys.
 */
export function worseKey({ against, ...one }: WorseKey): string {
  return JSON.stringify([caseKey(one), against]);
}

type WorseKey = Parameters<typeof caseKey>[0] & Pick<WorseCase, "against">;

/** Whether a rule's metric can break cases: seconds and dollars differ in every case of every run, and break nothing. */
function isAboutCases({ metric }: RuleResult): boolean {
  return !isSampleMetric(metric);
}

/** The rules that determine the number of broken cases. */
function mainRules(rules: readonly RuleResult[]): readonly RuleResult[] {
  const blocking = rules.filter(({ level }) => level === "block");
  const missed = blocking.filter(({ outcome }) => outcome === "missed");
  return [missed, blocking, rules].find((some) => some.length > 0) ?? [];
}

function placeOf({ task, candidate, metric, against }: RuleResult): string {
  return JSON.stringify([task, candidate, metric, against]);
}

/** Blocking rules come first. */
function rank({ level, outcome, kind }: RuleResult): number {
  const blocks = level === "block" && outcome === "missed";
  if (blocks) return kind === "must_pass" ? 1 : 0;
  return outcome === "missed" ? 2 : 3;
}

function collect(rules: readonly RuleResult[]): readonly WorseCase[] {
  const must = new Set(rules.filter(mustHold).flatMap(namedKeys));
  const found = new Map<string, { readonly of: WorseCase; readonly changes: MetricChange[] }>();
  for (const rule of rules) {
    const { task, candidate, against } = rule;
    for (const { caseId, ...change } of changesOf(rule)) {
      const key = worseKey({ task, candidate, caseId, against });
      const changes: MetricChange[] = [];
      const of = { task, candidate, against, caseId, changes, mustPass: must.has(key) };
      const one = found.get(key) ?? { of, changes };
      found.set(key, one);
      take(one.changes, change);
    }
  }
  return onceEach([...found.values()].map(({ of }) => of));
}

/** A case that is worse than in the baseline, and also than another candidate's, is one case. */
function onceEach(cases: readonly WorseCase[]): readonly WorseCase[] {
  const first = new Map<string, WorseCase>();
  for (const one of cases) {
    const known = first.get(caseKey(one));
    if (known === undefined || (known.against !== undefined && one.against === undefined))
      first.set(caseKey(one), one);
  }
  return cases.filter((one) => first.get(caseKey(one)) === one);
}

function mustHold({ kind, level, outcome }: RuleResult): boolean {
  return kind === "must_pass" && level === "block" && outcome === "missed";
}

function namedKeys({ task, candidate, short = [] }: RuleResult): readonly string[] {
  return short.map(({ case_id: caseId }) => worseKey({ task, candidate, caseId }));
}

type CaseChange = MetricChange & { readonly caseId: string };

function changesOf({ metric, changed, short = [] }: RuleResult): readonly CaseChange[] {
  return [
    ...changed.broke.map(({ case_id: caseId, before, after }) => {
      return { caseId, metric, before, after };
    }),
    // A named case's earlier score is in the comparison of its metric, if there is one.
    ...short.map(({ case_id: caseId, value }) => ({ caseId, metric, before: null, after: value })),
  ];
}

function take(changes: MetricChange[], next: MetricChange): void {
  const at = changes.findIndex(({ metric }) => metric === next.metric);
  const known = changes[at];
  if (known === undefined) changes.push(next);
  else if (known.before === null) changes[at] = { ...known, before: next.before };
}

/**
 * Number of cases looked at: for each task and candidate the largest number of cases that one rule compared or, without
 * one, of those with a score.
 */
function casesLookedAt(run: Run, rules: readonly RuleResult[]): number {
  const most = new Map<string, number>();
  for (const rule of rules) {
    const { task, candidate, kind, slice, n } = rule;
    const key = caseKey({ task, candidate, caseId: "" });
    const isWhole = kind !== "must_pass" && slice === null && n !== null;
    most.set(key, Math.max(most.get(key) ?? 0, isWhole ? n : scoredCases(run, rule)));
  }
  return [...most.values()].reduce((sum, n) => sum + n, 0);
}

function scoredCases({ metrics }: Run, { task, candidate, metric }: RuleResult): number {
  const found = metrics.find(
    (value) =>
      value.task === task &&
      value.candidate === candidate &&
      value.metric === metric &&
      value.slice === null,
  );
  return found?.n ?? 0;
}
