import { plural } from "../model/number-words.ts";
import { isDeepStrictEqual } from "node:util";
import { ownValue } from "../model/own-value.ts";
import type { Ledger, LedgerGroup } from "../model/figures/ledger.ts";
import type { PolicyChange, RunPolicy, ToldField } from "../model/outcomes/policy.ts";
import type { LabelApproval } from "../model/outcomes/run.ts";
import type { GateResult } from "../model/outcomes/rule-result.ts";
import { worstVerdict } from "../model/outcomes/verdict.ts";
import {
  approvedLine,
  approvedRemovalLine,
  byPolicy,
  missingSlotLine,
  toldLine,
  vanishedLine,
} from "../report/words/policy.ts";

/**
 * Effect of the changes, after both policies have judged the same outputs: whether all of the base's cases still exist
 * unchanged, and whether an edited grader gave every one of them the same scores. Pure.
 */
export function weighChanges(
  changes: readonly PolicyChange[],
  base: Ledger,
  head: Ledger,
): readonly PolicyChange[] {
  return changes.map((change) => {
    const groups = base.groups().filter(({ task }) => task === change.task);
    if (change.effect !== "changed" || groups.length === 0) return change;
    if (change.part === "dataset" || change.part === "preprocess")
      return weighCases(change, groups, head);
    return change.part === "grader" ? weighGrader(change, groups, head) : change;
  });
}

function weighCases(
  change: PolicyChange,
  groups: readonly LedgerGroup[],
  head: Ledger,
): PolicyChange {
  const lost = Math.max(...groups.map((group) => countLost(group, head)));
  if (lost > 0) {
    const note = `${lost} of the base's cases ${lost === 1 ? "is" : "are"} gone or changed`;
    return withNote(change, note);
  }
  const added = Math.max(...groups.map((group) => casesIn(head, group) - group.caseIds().length));
  if (added === 0) {
    const note = "the cases are the same in all fields that the base has";
    return { ...withNote(change, note), effect: "equivalent" };
  }
  const note = `${added} ${added === 1 ? "case was" : "cases were"} added and none changed: the base's cases decide, the new ones inform`;
  return { ...withNote(change, note), effect: "added" };
}

function casesIn(head: Ledger, { task, candidate }: LedgerGroup): number {
  return head.group(task, candidate)?.caseIds().length ?? 0;
}

/** The base's cases that the other side lacks, or has with another row. */
function countLost(group: LedgerGroup, head: Ledger): number {
  const other = head.group(group.task, group.candidate);
  if (other === undefined) return group.caseIds().length;
  const [ours, theirs] = [contentsOf(group), contentsOf(other)];
  return group.caseIds().filter((id, i) => {
    const there = other.positions().get(id);
    return there === undefined || theirs[there] !== ours[i];
  }).length;
}

/** Content hashes by case. */
function contentsOf(group: LedgerGroup): readonly string[] {
  const contents: string[] = group.caseIds().map(() => "");
  for (let i = 0; i < group.size; i += 1) contents[group.caseAt(i)] = group.content(i);
  return contents;
}

function weighGrader(
  change: PolicyChange,
  groups: readonly LedgerGroup[],
  head: Ledger,
): PolicyChange {
  const compared = groups.map((group) => compareScores(group, head));
  const total = compared.reduce((sum, each) => sum + each.samples, 0);
  const differ = compared.reduce((sum, each) => sum + each.differ, 0);
  const outputs = plural(total, "output");
  const isScored = compared.some((each) => each.scored > 0);
  if (differ > 0 && isScored && compared.every((each) => each.lost === 0)) {
    const note = `the ${total} stored ${outputs} keep their scores by it, and get others beside them`;
    return withNote(change, note);
  }
  if (differ > 0 || compared.every((each) => each.scored === 0))
    return withNote(change, `${differ} of ${total} stored ${outputs} have other scores by it`);
  const note = `both graders give each of the ${total} stored ${outputs} the same scores`;
  return { ...withNote(change, note), effect: "equivalent" };
}

/** Keeps earlier notes. */
function withNote(change: PolicyChange, note: string): PolicyChange {
  return { ...change, note: change.note === null ? note : `${change.note}; ${note}` };
}

interface ComparedScores {
  readonly samples: number;
  /** Samples whose outcome or scores differ, or that the other side lacks. */
  readonly differ: number;
  /** Those of them that have not all of the base's scores there. */
  readonly lost: number;
  readonly scored: number;
}

function compareScores(group: LedgerGroup, head: Ledger): ComparedScores {
  const other = head.group(group.task, group.candidate);
  const find = other ? finderIn(other) : () => undefined;
  let [differ, lost, scored] = [0, 0, 0];
  for (let i = 0; i < group.size; i += 1) {
    const there = find(group.caseId(i), group.repeat(i));
    const [ours, theirs] = [group.row(i), there === undefined ? undefined : other?.row(there)];
    if (group.outcome(i) === "scored") scored += 1;
    if (theirs === undefined || !sameScores(ours, theirs)) differ += 1;
    if (theirs === undefined || !keepsScores(ours, theirs)) lost += 1;
  }
  if (!isDeepStrictEqual(givenTo(group), givenTo(other))) {
    differ = Math.max(differ, 1);
    lost = Math.max(lost, 1);
  }
  return { samples: group.size, differ, lost, scored };
}

/** Finds the sample of a case and repeat, with an index of four bytes per sample. */
function finderIn(group: LedgerGroup): (caseId: string, repeat: number) => number | undefined {
  let width = 1;
  for (let i = 0; i < group.size; i += 1) width = Math.max(width, group.repeat(i) + 1);
  const places = new Int32Array(group.caseIds().length * width).fill(-1);
  for (let i = 0; i < group.size; i += 1) places[group.caseAt(i) * width + group.repeat(i)] = i;
  return (caseId, repeat) => {
    const at = group.positions().get(caseId);
    const found = at === undefined || repeat >= width ? undefined : places[at * width + repeat];
    return found === -1 ? undefined : found;
  };
}

/** Batch graders' numbers for the group. */
function givenTo(group: LedgerGroup | undefined): unknown {
  return group?.givenIds().map((id) => [id, group.given(id)]);
}

type Row = ReturnType<LedgerGroup["row"]>;

function sameScores(one: Row, other: Row): boolean {
  return one.outcome === other.outcome && isDeepStrictEqual({ ...one.scores }, { ...other.scores });
}

/** Whether one's scores are all there, with others perhaps. */
function keepsScores(one: Row, other: Row): boolean {
  const scores: Readonly<Record<string, unknown>> = other.scores;
  return (
    one.outcome === other.outcome &&
    Object.entries(one.scores).every(([id, score]) =>
      isDeepStrictEqual(ownValue(scores, id), score),
    )
  );
}

/** A suite by both policies, and whether the change's own was approved. */
interface ToDecide {
  readonly changed: readonly PolicyChange[];
  readonly base: GateResult;
  readonly head: GateResult;
  readonly approved?: LabelApproval | null | undefined;
}

/**
 * Decides between two verdicts. The stricter one counts, or the base's if everything that changed is only added or
 * equivalent, or the change's own if an authorized person approved the change of the policy. The rules in the result
 * are always the base's, like the run's figures; the other side's are in `policy.head`. Pure.
 */
export function decide({
  changed,
  base,
  head,
  approved,
}: ToDecide): { readonly gate: GateResult } & Pick<RunPolicy, "base" | "head" | "decided_by"> {
  const results = { base, head };
  if (base.verdict === head.verdict) return { gate: base, ...results, decided_by: "both" };
  if (approved && changed.some(({ effect }) => effect === "changed")) {
    const lines = base.reasons.map((reason) => byPolicy("base", reason));
    const reasons = [approvedLine(approved), ...head.reasons, ...lines];
    const gate = { verdict: head.verdict, reasons, rules: base.rules };
    return { gate, ...results, decided_by: "approval" };
  }
  const isHarmless = changed.every(({ effect }) => effect !== "changed");
  const stricter = worstVerdict([base.verdict, head.verdict]);
  if (isHarmless || stricter === base.verdict)
    return { gate: base, ...results, decided_by: "base" };
  const own = head.reasons.map((reason) => byPolicy("head", reason));
  const gate = { verdict: head.verdict, reasons: [...own, ...base.reasons], rules: base.rules };
  return { gate, ...results, decided_by: "head" };
}

/**
 * The verdict on a suite that the change removed: `fail` whatever its score, because nothing would judge the next change.
 * If its removal was approved it judges nothing, and its result is only reported. Pure.
 */
export function judgeVanished(
  base: GateResult,
  { approved, basePath, label }: Vanished,
): GateResult {
  const lines = base.reasons.map((reason) => byPolicy("base", reason, base.verdict));
  if (approved) {
    const reasons = [approvedRemovalLine(approved), ...lines];
    return { verdict: "neutral", reasons, rules: base.rules };
  }
  // The result is fixed whatever its samples are, so there is no error.
  return { verdict: "fail", reasons: [vanishedLine(basePath, label), ...lines], rules: base.rules };
}

interface Vanished {
  readonly approved: LabelApproval | null | undefined;
  /** Its manifest's path in the base. */
  readonly basePath: string;
  /** The label that approves a change of the policy. */
  readonly label: string;
}

/** A candidate that receives fields that only the base's target or grader used can't pass: its answers show nothing. */
export function withToldFields(result: GateResult, told: readonly ToldField[]): GateResult {
  if (told.length === 0) return result;
  const reasons = told.map(toldLine);
  const verdict = worstVerdict([result.verdict, "fail"]);
  return { ...result, verdict, reasons: [...reasons, ...result.reasons] };
}

/** A run that lacks a candidate of the base's list is no pass, because that candidate's cases are not judged at all. */
export function withMissingSlots(result: GateResult, missing: readonly string[]): GateResult {
  if (missing.length === 0) return result;
  const reasons = missing.map(missingSlotLine);
  const verdict = worstVerdict([result.verdict, "fail"]);
  const own = result.reasons;
  return {
    ...result,
    verdict,
    reasons: verdict === "fail" ? [...reasons, ...own] : [...own, ...reasons],
  };
}
