import type { MetricPlace } from "../model/place.ts";
import { errorLine } from "../base/error-line.ts";
import type { JsonObject } from "../model/json.ts";
import type { ChangedCase, RuleResult, Run } from "../model/run.ts";
import type { SampleError } from "../model/sample.ts";

/** A case that got worse, with the texts of both sides where they are known. */
export interface BrokenCase extends MetricPlace {
  readonly caseId: string;
  readonly slices: Readonly<Record<string, string>>;
  readonly before: {
    readonly score: number;
    readonly output?: string | null;
  };
  readonly after: {
    readonly score: number;
    readonly output?: string | null;
    readonly judge?: JsonObject | null;
    readonly error?: SampleError | null;
    readonly printed?: string | null;
  };
}

/** Cases that changed in one metric of one task and candidate. */
export interface ChangedGroup {
  readonly rule: RuleResult;
  /** As counted by the gate: it keeps the ids of the most changed ones only. */
  readonly total: number;
  readonly cases: readonly ChangedCase[];
}

/** The cases that broke, or were fixed, each once, though several rules may name it. */
export function changedGroups(run: Run, side: "broke" | "fixed"): readonly ChangedGroup[] {
  const groups = new Map<
    string,
    { rule: RuleResult; total: number; cases: Map<string, ChangedCase> }
  >();
  for (const rule of run.gate.rules) {
    if (rule.changed[side].length === 0) continue;
    const key = groupKey(rule);
    const group = groups.get(key) ?? { rule, total: 0, cases: new Map<string, ChangedCase>() };
    groups.set(key, group);
    group.total = Math.max(group.total, rule[side] ?? 0);
    for (const changed of rule.changed[side]) group.cases.set(changed.case_id, changed);
  }
  return [...groups.values()].map(({ rule, total, cases }) => ({
    rule,
    total: Math.max(total, cases.size),
    cases: [...cases.values()],
  }));
}

/** Cases that fail on both sides, in one metric of one task and candidate. */
interface FailingGroup {
  readonly rule: RuleResult;
  readonly total: number;
  readonly cases: readonly string[];
}

/** The cases that were failing before already: of rules on slices of a metric, the one that has all of them. */
export function failingGroups(run: Run): readonly FailingGroup[] {
  const groups = new Map<string, FailingGroup>();
  for (const rule of run.gate.rules) {
    const { failing } = rule.changed;
    const known = groups.get(groupKey(rule));
    if (failing === undefined || (known && known.total >= failing.count)) continue;
    groups.set(groupKey(rule), { rule, total: failing.count, cases: failing.cases });
  }
  return [...groups.values()];
}

/** Finds the texts of a changed case. */
export function indexBroken(
  broken: readonly BrokenCase[],
): (group: ChangedGroup, caseId: string) => BrokenCase | undefined {
  const byKey = new Map(
    broken.map((item) => [JSON.stringify([groupKey(item), item.caseId]), item]),
  );
  return (group, caseId) => byKey.get(JSON.stringify([groupKey(group.rule), caseId]));
}

/**
 * What the grader, or the error, says about a sample. What a grader returns beside its scores is its own affair:
 * a field that is named like an explanation, or the only text in it, speaks for it; else all of it does.
 */
export function graderWords(after: BrokenCase["after"]): string {
  if (after.error) return `${after.error.type}: ${errorLine(after.error.message).text}`;
  const judge = after.judge ?? {};
  const texts = Object.entries(judge).filter((field): field is [string, string] =>
    isText(field[1]),
  );
  const explained = explanations.flatMap((key) => texts.filter(([name]) => name === key));
  const [, words] = explained[0] ?? (texts.length === 1 ? texts[0] : undefined) ?? [];
  if (words !== undefined) return words;
  return Object.keys(judge).length > 0 ? JSON.stringify(judge) : (after.printed ?? "");
}

const explanations = [
  "explanation",
  "reason",
  "reasoning",
  "rationale",
  "feedback",
  "note",
  "comment",
  "message",
  "error",
];

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function groupKey({ task, candidate, metric }: MetricPlace): string {
  return JSON.stringify([task, candidate, metric]);
}
