import type { Run } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import { crashClauses } from "./diagnoses.ts";
import { effortWords, isDearer } from "./effort.ts";
import { count, counted, forCount } from "./figures.ts";
import { confirmLines } from "./confirmation.ts";
import { changeNoun, detectable } from "./rules.ts";
import {
  advice,
  greySentence,
  hidingSentence,
  name,
  quoted,
  ruleSentence,
  text,
  type RichText,
} from "./sentences.ts";
import { asExplained, isRelaxed } from "./relaxed.ts";
import { linesOfRule } from "./remarks.ts";
import { ownConsequence, titleWords, type Consequence, type Status } from "./titles.ts";
import { otherRules, isGrey } from "./other-rules.ts";

/** The verdict in words. */
interface VerdictWords {
  readonly tone: Status;
  /** Result and consequence: `18 of 240 cases broke, merge blocked`. */
  readonly title: string;
  /** One sentence: difference, interval, limit, cases. */
  readonly sentence: RichText;
  /** Drops that were not proven, other rules, and the gate's further reasons. */
  readonly lines: readonly RichText[];
}

const linesShown = 8;

/** The verdict of a run as sentences, the same in the summary and in the terminal. */
export function verdictWords(run: Run, follows: Consequence = ownConsequence(run)): VerdictWords {
  const tone = toneOf(run);
  const lead = leadRule(run, tone);
  // A run that stopped itself has only one message: the results of its rules so far are a consequence.
  const all =
    typeof run.stopped === "string"
      ? []
      : [
          ...otherRules(run, lead),
          ...costIncrease(run),
          ...unmeasured(run, tone),
          ...otherReasons(run, tone, lead),
        ];
  const rest = all.length - linesShown;
  return {
    tone,
    title: titleWords(run, tone, { lead, follows }),
    sentence: sentence(run, tone, lead),
    lines: rest > 0 ? [...all.slice(0, linesShown), [text(`And ${rest} more.`)]] : all,
  };
}

/** The status of a run. A run that was stopped has no verdict, whatever was computed before. */
function toneOf(run: Run): Status {
  if (run.status === "cancelled") return "cancelled";
  switch (run.gate.verdict) {
    case "error":
      return "error";
    case "fail":
      return "fail";
    case "inconclusive":
      return "inconclusive";
    case "pass":
      if (run.gate.rules.some((rule) => isAccepted(run, rule))) return "accepted";
      if (isRelaxed(run)) return "relaxed";
      return run.gate.rules.some(isGrey) ? "grey" : "pass";
    case "neutral":
      return run.suite.gate === "none" ? "ungated" : "neutral";
  }
}

/** The rule that the verdict's first sentence is about. */
function leadRule(run: Run, tone: Status): RuleResult | undefined {
  const { rules } = asExplained(run).gate;
  const blocking = rules.filter((rule) => rule.level === "block");
  switch (tone) {
    case "fail":
    case "relaxed":
      return worstOf(blocking);
    case "accepted":
      return blocking.find((rule) => isAccepted(run, rule));
    case "inconclusive":
      return blocking.find((rule) => rule.outcome === "inconclusive");
    case "grey":
      return blocking.find(isGrey) ?? run.gate.rules.find(isGrey);
    case "pass":
      return (
        blocking.find((rule) => rule.delta !== null) ??
        blocking.find((rule) => rule.outcome === "met")
      );
    case "error":
    case "neutral":
    case "ungated":
    case "cancelled":
      return undefined;
  }
}

function worstOf(blocking: readonly RuleResult[]): RuleResult | undefined {
  const missed = blocking.find((rule) => rule.outcome === "missed");
  return blocking.find((rule) => rule.code === "drop_proven") ?? missed;
}

function sentence(run: Run, tone: Status, lead: RuleResult | undefined): RichText {
  if (tone === "cancelled") return cancelledSentence(run);
  const crashes = crashClauses(run);
  // An error that crashes caused needs no other reason in its first sentence.
  if (isOfCrashes(run, tone)) return [...joined(crashes), text(".")];
  const reason = lead === undefined ? firstReason(run) : leadSentence(run, tone, lead);
  return joined([...crashes, reason]);
}

function isOfCrashes(run: Run, tone: Status): boolean {
  return tone === "error" && crashClauses(run).length > 0;
}

function joined(clauses: readonly RichText[]): RichText {
  return clauses.flatMap((clause, i) => (i === 0 ? clause : [text("; "), ...clause]));
}

function leadSentence(run: Run, tone: Status, lead: RuleResult): RichText {
  switch (tone) {
    case "accepted":
      return [...ruleSentence(run, lead), ...signedWords(run)];
    case "grey":
      return [...greySentence(run, lead), ...advice(run, lead)];
    case "pass":
      return passSentence(run, lead);
    case "fail":
    case "inconclusive":
    case "relaxed":
    case "error":
    case "neutral":
    case "ungated":
    case "cancelled":
      return [...ruleSentence(run, lead), ...changed(run, lead)];
  }
}

/** The number of broken cases is in a failure's title. */
function changed(run: Run, { fixed, broke }: RuleResult): RichText {
  const { verdict } = run.gate;
  if (!fixed || (verdict !== "fail" && (verdict !== "pass" || broke))) return [];
  const others = verdict === "pass" ? ", none broke" : "";
  return [text(` ${counted(fixed, "case")} ${forCount(fixed, "was", "were")} fixed${others}.`)];
}

function passSentence(run: Run, lead: RuleResult): RichText {
  if (lead.located !== undefined) return hidingSentence(run, lead);
  const met = run.gate.rules.filter((rule) => rule.outcome === "met").length;
  const rules =
    run.gate.rules.length > 1 ? [text(` ${met} of ${run.gate.rules.length} rules pass.`)] : [];
  return [...passOpening(run, lead), ...ruleSentence(run, lead), ...changed(run, lead), ...rules];
}

/**
 * The start of a pass: that no regression was found, and the size that would have been detected. A pass proves no more
 * than that.
 */
function passOpening(run: Run, lead: RuleResult): RichText {
  if (lead.delta === null) return [];
  if (lead.code === "drop_within_limit") return [text(`A ${changeNoun(lead)} below the limit: `)];
  const detects = detectable(run, lead);
  return [text(`No regression detected${detects === undefined ? "" : `; ${detects}`}: `)];
}

function cancelledSentence(run: Run): RichText {
  const { completed, failed, total, planned = total } = run.request_counts;
  const done = `Stopped after ${completed + failed} of ${counted(planned, "sample")}${leftWords(planned - total)}; there is no verdict. Go on with `;
  return [text(done), name("--resume"), text(".")];
}

function leftWords(left: number): string {
  return left <= 0 ? "" : `, ${count(left)} are left`;
}

function firstReason(run: Run): RichText {
  const reason = run.gate.reasons[0] ?? "the gate gave no reason";
  // The first word of a reason becomes a capital, unless it is the name of a task.
  return quoted(reason.replace(/^(?:nothing|no|not|the)\b/, (word) => capital(word)));
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** No rule covers it, but readers should see it. */
function costIncrease(run: Run): readonly RichText[] {
  const words = isDearer(run) ? effortWords(run) : undefined;
  return words === undefined ? [] : [[text(`a case takes more: ${words}.`)]];
}

function unmeasured(run: Run, tone: Status): readonly RichText[] {
  const rules = run.gate.rules.filter((rule) => rule.outcome === "unmeasured");
  if (rules.length === 0 || tone === "neutral") return [];
  const isAll = rules.every(({ code, against }) => code === "no_baseline" && against === undefined);
  const absent = run.baseline === null ? "there is no baseline" : "the baseline has none of it";
  const why = isAll ? `: ${absent}` : "";
  return [
    [text(`${rules.length} of ${counted(run.gate.rules.length, "rule")} not measured${why}.`)],
  ];
}

/** The gate's reasons that belong to no rule: dropped cases, too many errors. */
function otherReasons(run: Run, tone: Status, lead: RuleResult | undefined): readonly RichText[] {
  const isUsed = lead === undefined && tone !== "cancelled" && !isOfCrashes(run, tone);
  const used = isUsed ? run.gate.reasons[0] : undefined;
  // Leaves out reasons that a rule's row or line, or the small print about the baseline, already has.
  const again = run.confirmation ? confirmLines(run.confirmation) : [];
  const told = new Set([...run.gate.rules.flatMap(linesOfRule), ...again]);
  return run.gate.reasons.filter((reason) => reason !== used && !told.has(reason)).map(quoted);
}

/** An accepted loss: it would have blocked otherwise. */
function isAccepted({ approvals }: Run, { kind, level, outcome, against }: RuleResult): boolean {
  const isComparison = (kind === "max_drop" || kind === "max_rise") && against === undefined;
  return Boolean(approvals?.loss) && isComparison && level === "block" && outcome === "missed";
}

function signedWords({ approvals }: Run): RichText {
  if (!approvals?.loss) return [];
  const { label, by, approvers } = approvals.loss;
  const rule =
    approvers === undefined ? [] : [text(" ("), name(`gate.approvers: ${approvers}`), text(")")];
  const accepted = [text(" Accepted by "), name(by), text(" with the label "), name(label)];
  return [...accepted, ...rule, text(".")];
}
