import type { ToldField } from "../../model/outcomes/policy.ts";
import type { LabelApproval } from "../../model/outcomes/run.ts";
import { type Verdict, verdictsWorstFirst } from "../../model/outcomes/verdict.ts";

/** A reason by one of two policies. `verdict`: this policy's verdict, if no other text tells it. */
export function byPolicy(whose: "base" | "head", reason: string, verdict?: Verdict): string {
  const by = whose === "base" ? "the base's policy" : "the change's own policy";
  return `By ${by}${verdict === undefined ? "" : ` (${verdict})`}: ${reason}`;
}

/** The forms that a reason has under either policy. */
export function linesByPolicy(reason: string): readonly string[] {
  return [
    byPolicy("base", reason),
    byPolicy("head", reason),
    ...verdictsWorstFirst.map((verdict) => byPolicy("base", reason, verdict)),
  ];
}

/** Why a change's own policy decides. */
export function approvedLine(approval: LabelApproval): string {
  return `The change of how it is judged was approved by ${signed(approval)}: its own policy decides.`;
}

/** Who approved, by which label, and under which rule it counts. */
function signed({ by, label, approvers }: LabelApproval): string {
  const rule = approvers === undefined ? "" : `, \`gate.approvers: ${approvers}\``;
  return `${by} (label \`${label}\`${rule})`;
}

/** Why nothing is judged by a suite that the change deletes. */
export function approvedRemovalLine(approval: LabelApproval): string {
  return `That this suite is deleted was approved by ${signed(approval)}: nothing is judged by it.`;
}

/** Advice if the change removed the base's suite; `label` approves the removal. */
export function vanishedLine(basePath: string, label: string): string {
  return `This change has no suite in the place of the base's ${basePath}. Put it back, or let its removal be approved: the label \`${label}\`, put on the pull request by someone who may.`;
}

/** Why a candidate that may know the answers does not pass. */
export function toldLine({ task, field, reader }: ToldField): string {
  if (reader === "package")
    return `What judges \`${task}\` imports \`${field}\`, which this change alters: a job that installs this repository's package has the change judge itself. Put the module beside what imports it, or let this change of the rules be approved.`;
  if (reader === "copy")
    return `The change tells the candidate of \`${task}\` \`${field}\`, whose values are the targets: the candidate is told the answer. Where it is none, let this change of the rules be approved.`;
  if (reader === "file")
    return `\`${field}\`, which this change brings, has the answers of cases of \`${task}\` beside what they ask, in their order, or by listing those with one answer: the candidate may look them up. Take them out, or let this change of the rules be approved.`;
  if (reader === "lookup")
    return `\`${field}\`, as this change has it, names the data set of \`${task}\`, or another file that has its answers: the candidate may look them up. Take that out, give the candidate a \`fence\`, or let this change of the rules be approved.`;
  if (reader === "opened")
    return `A process opened \`${field}\`, which has the answers of \`${task}\`, while the candidates ran, or ended the watch on it: they may look the answers up. Have them open no data set and no other run, give the candidate a \`fence\`, or let this change of the rules be approved.`;
  if (reader === "edited")
    return `\`${field}\`, which judges \`${task}\`, was edited, added or removed while the candidates ran: they may have judged themselves. Have them write nowhere else than in their own folder, give the candidate a \`fence\`, or let this change of the rules be approved.`;
  if (reader === "recording")
    return `The base asks the candidate \`${field}\` of \`${task}\`, and this change brings recorded answers in its place: what it would answer is not known. Have it asked, or let this change of the rules be approved.`;
  return reader === undefined
    ? `The change's prompt of \`${task}\` uses \`${field}\`, which only the base's target uses: the candidate is told the answer.`
    : `The change tells the candidate of \`${task}\` \`${field}\`, which on the base only its grader reads: it may be the answer. Where it is none, let this change of the rules be approved.`;
}

/** Why a run without a candidate of the base does not pass. */
export function missingSlotLine(id: string): string {
  return `The candidate \`${id}\` is in the base's list and not in this change: what it scores is not known.`;
}
