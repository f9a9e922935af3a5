import {
  isOfJudged,
  policyLabelOf,
  type PolicyChange,
  type PolicyPart,
  type RunPolicy,
} from "../model/outcomes/policy.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { GateResult } from "../model/outcomes/rule-result.ts";
import type { Approvers } from "../model/definition/gate.ts";
import type { Block } from "./markdown/budget.ts";
import { toMarkdown, renderedOnce, inlineText, table, inlineCode } from "./markdown/layout.ts";
import { name, quoted, text, type RichText } from "./words/sentences.ts";
import { verdictMarks } from "./words/titles.ts";
import { comparedRules } from "./words/compared-rules.ts";

const partWords: Readonly<Record<PolicyPart, string>> = {
  task: "the task",
  dataset: "dataset",
  preprocess: "preprocessor",
  target_template: "target",
  choices: "choices",
  extraction: "extraction",
  grader: "grader",
  judge: "judging models",
  metrics: "metrics",
  repeats: "repeats",
  slices: "slices",
  clusters: "clusters",
  min_cases: "min_cases",
  gate: "gate",
  candidates: "candidates",
  suite: "the suite",
  workflow: "the workflow",
};

const forInformation = "information, not judged";

const effectWords: Readonly<Record<PolicyChange["effect"], string>> = {
  changed: "changed",
  added: "added to",
  equivalent: "changed, to the same effect",
  told: `changed (for ${forInformation})`,
};

/** Whose rules judged the run, the effect of the change on them, and what is judged: one sentence each. */
export function policyLines(run: Pick<Run, "policy">): readonly RichText[] {
  const judged = judgedNotes(run).map((note): RichText => [text(judgedWords)].concat(quoted(note)));
  return [...judgingLines(run), ...judged];
}

/** Whose rules judged the run, and the effect of the change on them: one sentence each, the most important first. */
export function judgingLines(run: Pick<Run, "policy">): readonly RichText[] {
  const { policy } = run;
  if (policy === undefined) return [];
  const judging = judgingChanges(policy);
  const lines = [
    opening(policy),
    ...judging.map(changeLine),
    ...(judging.length === 0 ? [] : [decisionLine(policy)]),
    ...policy.recorded.map((id) => [
      name(id),
      text(" is recorded here, not run: its answers come with the change."),
    ]),
  ];
  return lines.filter((words) => words.length > 0);
}

const judgedWords = "What is judged: ";

function judgedNotes({ policy }: Pick<Run, "policy">): readonly string[] {
  return policy?.changed.filter(isOfJudged).map(({ note }) => note ?? "") ?? [];
}

function judgingChanges({ changed }: RunPolicy): readonly PolicyChange[] {
  return changed.filter((each) => !isOfJudged(each));
}

/** The paragraph "What is judged": how the change defines candidates and prompts differently. A list if there are several notes. */
export function judgedBlock(run: Run): Block {
  const lines = judgedNotes(run).map((note) => toMarkdown(quoted(note)));
  const begin = `**${judgedWords.trim()}**`;
  return {
    name: "notes on what is judged",
    rank: 2,
    rows: lines.length,
    render: (shown) => {
      if (shown === 0) return "";
      if (lines.length === 1) return `${begin} ${lines[0] ?? ""}`;
      return `${begin}\n\n${lines
        .slice(0, shown)
        .map((line) => `- ${line}`)
        .join("\n")}`;
    },
  };
}

function opening({ source, sha, suite, changed }: RunPolicy): RichText {
  const commit = sha === null ? [] : [text(", commit "), name(sha.slice(0, 12))];
  const from = [text("Policy of "), name(source), ...commit];
  if (suite === "new")
    return [
      ...from,
      text(": it does not have this suite. A new suite is judged by its own rules."),
    ];
  if (suite === "none")
    return [
      text("The rules are the workflow's inputs. The change's files were compared with "),
      name(source),
      ...commit,
      text("."),
    ];
  if (changed.some(({ effect }) => effect === "changed"))
    return [...from, text(": this change alters how it is judged.")];
  return [...from, text(": this change does not alter how it is judged.")];
}

function changeLine({ part, task, effect, note }: PolicyChange): RichText {
  const where = task === null ? [] : [name(task), text(": ")];
  // Only a note on the workflow tells of a part that changed.
  if (effect === "told" && part !== "workflow" && note !== null)
    return [
      ...where,
      text(`${task === null ? "For" : "for"} ${forInformation}: `),
      ...quoted(note),
    ];
  const what = `${partWords[part]} ${effectWords[effect]}`;
  if (note === null) return [...where, text(`${what}.`)];
  return [...where, text(`${what}: `), ...quoted(note)];
}

/** Both verdicts and the side that decides; empty if there are not two verdicts. */
export function decisionLine(policy: RunPolicy | undefined): RichText {
  if (policy === undefined) return [];
  const { base, head, decided_by, changed } = policy;
  if (base === null) return [];
  if (head === null) return [text(`Judged by the base's policy alone: ${base.verdict}.`)];
  const both = `By the base's policy: ${base.verdict}; by its own: ${head.verdict}.`;
  return [text(`${both} ${decidedWords(decided_by, changed)}`)];
}

function decidedWords(by: RunPolicy["decided_by"], changed: RunPolicy["changed"]): string {
  const isHarmless = changed.every(({ effect }) => effect !== "changed");
  if (by === "both") return "They agree.";
  if (by === "approval") return "The change of the rules was approved: its own decides.";
  if (isHarmless) return "The base's decides: nothing of it was changed that would loosen it.";
  return by === "base"
    ? "The stricter one decides: the base's."
    : "The stricter one decides: its own.";
}

const heading = ["Judged by", "Verdict", "Why"];

/** The policy in the summary, with both verdicts side by side. */
export function policyBlock(run: Run): Block {
  // The title says the same as the first line, and replaces it.
  const told = isAltered(run.policy) ? judgingLines(run).slice(1) : judgingLines(run);
  const lines = [...told, ...approvalLines(run)].filter((words) => words.length > 0);
  const rows = renderedOnce(lines, (words) => `- ${toMarkdown(words)}`);
  const verdicts = run.policy === undefined ? "" : verdictTable(run.policy);
  const rules = rulesSideBySide(run);
  return {
    name: "notes on the policy",
    rank: 2,
    rows: lines.length,
    render: (shown) => {
      if (shown === 0) return "";
      const list = `${title(run.policy)}\n\n${rows(shown).join("\n")}`;
      if (shown < lines.length) return list;
      // The table of rules already has both verdicts in its head, with the reason.
      return [list, rules === "" ? verdicts : rules].filter((part) => part !== "").join("\n\n");
    },
  };
}

/** True if the policy needs more words than the name of its side. */
export function policyMatters({ policy }: Run): boolean {
  if (policy === undefined) return false;
  return judgingChanges(policy).length > 0 || policy.suite === "new" || policy.recorded.length > 0;
}

function title(policy: Run["policy"]): string {
  return isAltered(policy) ? "**⚠️ This change alters how it is judged**" : "**Policy**";
}

function isAltered(policy: Run["policy"]): boolean {
  return policy?.changed.some(({ effect }) => effect === "changed") === true;
}

const green: readonly GateResult["verdict"][] = ["pass", "neutral"];

/** How to approve a change of the rules. */
function approvalLines({ policy, suite }: Run): readonly RichText[] {
  if (policy?.decided_by !== "base" || !isAltered(policy)) return [];
  // If the change's own rules fail too, a label would change nothing.
  if (policy.head !== null && !green.includes(policy.head.verdict)) return [];
  const gate = suite.gate === "none" ? {} : suite.gate;
  const label = [text("Not approved: the label "), name(policyLabelOf(suite.gate))];
  return [[...label, text(` lets the change's own rules decide, ${whoseLabel(gate.approvers)}.`)]];
}

function whoseLabel(approvers: Approvers = "others"): string {
  return approvers === "writers"
    ? "put on by someone with write access"
    : "put on by someone with write access who has neither opened this pull request nor pushed to it";
}

function verdictTable({ source, base, head, decided_by: by }: RunPolicy): string {
  if (base === null || head === null) return "";
  const row = (side: "base" | "head", result: GateResult): readonly string[] => {
    const decides = by === side || by === "both" || (by === "approval" && side === "head");
    const whose =
      side === "base" ? `the base's rules (${inlineText(source)})` : "the change's own rules";
    return [
      decides ? `${whose}<br><sub>decides</sub>` : whose,
      `${verdictMarks[result.verdict]} **${result.verdict}**`,
      result.reasons
        .slice(0, 3)
        .map((reason) => toMarkdown(quoted(reason)))
        .join("<br>"),
    ];
  };
  return table(heading, "lll", [row("base", base), row("head", head)]);
}

const rulesShown = 12;

/** The rules that differ between the base and the change, one row each; empty if none differs. */
function rulesSideBySide(run: Run): string {
  const { base, head, source = "" } = run.policy ?? {};
  const rules = comparedRules(run);
  if (!base || !head || rules.length === 0) return "";
  const rows = rules.map(({ name: rule, limited, base: old, own }) => [
    `${inlineCode(withoutTask(run, rule))}, ${limited}`,
    old === undefined ? "none" : `${old.mark} ${inlineText(old.limit)}`,
    own === undefined ? "**gone**" : `${own.mark} ${inlineText(own.limit)}`,
  ]);
  const heads = [
    "Rule",
    `${inlineText(source)}: ${verdictMarks[base.verdict]} ${base.verdict}`,
    `this change: ${verdictMarks[head.verdict]} ${head.verdict}`,
  ];
  const more = rows.length > rulesShown ? `\n\nAnd ${rows.length - rulesShown} more rules.` : "";
  return `${table(heads, "lll", rows.slice(0, rulesShown))}${more}`;
}

/** The rule's name without the task if there is only one: a phone has no room for it. */
function withoutTask({ suite }: Run, named: string): string {
  const [task, ...others] = Object.keys(suite.tasks);
  const start = `${task ?? ""}/`;
  return others.length === 0 && named.startsWith(start) ? named.slice(start.length) : named;
}
