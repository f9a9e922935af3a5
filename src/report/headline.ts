import type { Circumstances } from "../model/circumstances.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { Verdict } from "../model/outcomes/verdict.ts";
import type { RuleResult } from "../model/outcomes/rule-result.ts";
import { clip } from "./escape.ts";
import { firstRun } from "./first-run.ts";
import { toMarkdown, inlineText } from "./markdown/layout.ts";
import { isRelative } from "./words/rules.ts";
import { name, text, type RichText } from "./words/sentences.ts";
import { statusMarks, type Consequence, type Status } from "./words/titles.ts";
import { verdictWords } from "./words/verdict.ts";

/** Start of a report: a mark, and words with the same meaning. */
export interface Headline {
  readonly mark: string;
  readonly suite: string;
  /** Result and consequence. */
  readonly title: string;
  /** True if there is nothing to do: the whole report then fits in one line. */
  readonly isQuiet: boolean;
  readonly sentence: RichText;
  readonly lines: readonly RichText[];
}

const quiet: readonly Status[] = ["pass", "grey"];

/** The headline of a run in its circumstances. */
export function headlineOf(run: Run, circumstances?: Circumstances): Headline {
  const words = verdictWords(run, consequenceIn(circumstances));
  const isForeign = run.outputs_from !== undefined;
  const isGreen = quiet.includes(words.tone);
  const first = firstRun(run, circumstances);
  return {
    // A pass with unverified outputs is not green.
    mark: isForeign && isGreen ? statusMarks.accepted : statusMarks[words.tone],
    suite: run.suite.name,
    title: isForeign ? `${words.title}, unverified` : words.title,
    isQuiet: isGreen && !isForeign,
    sentence: words.tone === "neutral" && first ? first.sentence : words.sentence,
    lines: [
      ...(first?.lines ?? []),
      ...(isGreen && circumstances ? resolvedLine(circumstances) : []),
      ...words.lines,
    ],
  };
}

/** The consequence of a blocking verdict; undefined if only the run tells. */
export function consequenceIn(circumstances: Circumstances | undefined): Consequence | undefined {
  if (circumstances === undefined) return undefined;
  if (circumstances.judgedAgainst === undefined) return "the gate fails";
  return circumstances.isReportedOnly === true ? "reported only" : "merge blocked";
}

/** How an intended loss can be accepted, if a label can do that: a label can't for cases that must pass. */
export function acceptLine(
  run: Run,
  circumstances: Circumstances | undefined,
): RichText | undefined {
  const { gate, suite, approvals } = run;
  const label = suite.gate === "none" ? undefined : suite.gate.accept_label;
  const blocking = gate.rules.filter(
    ({ level, outcome }) => level === "block" && outcome === "missed",
  );
  const losses = blocking.filter((rule) => isRelative(rule) && rule.against === undefined);
  if (label === undefined || approvals?.loss || losses.length === 0) return undefined;
  if (gate.verdict !== "fail" || circumstances?.judgedAgainst === undefined) return undefined;
  const others = blocking.filter((rule) => !losses.includes(rule));
  return [
    { kind: "strong", text: "Meant?" },
    ...beforeLabel(others),
    name(label),
    text(", put on by someone with write access, accepts the loss."),
  ];
}

/** Losses that no label accepts must be fixed first. */
function beforeLabel(others: readonly RuleResult[]): RichText {
  if (others.length === 0) return [text(" The label ")];
  const [named] = others.flatMap(({ short = [] }) => short);
  if (named === undefined) return [text(" First what no label can accept, then the label ")];
  return [
    text(" First "),
    name(named.case_id),
    text(": a must-pass case can't be waived. Then the label "),
  ];
}

const red: readonly Verdict[] = ["fail", "error", "inconclusive"];

/** The previous verdict, as the end of a sentence. */
export const formerWords: Readonly<Record<Verdict, string>> = {
  fail: "it had failed",
  error: "there was no verdict",
  inconclusive: "it was inconclusive",
  pass: "it had passed",
  neutral: "nothing was gated",
};

function resolvedLine({ previous, sha }: Circumstances): readonly RichText[] {
  if (previous === undefined || !red.includes(previous.verdict)) return [];
  const where = previous.sha === sha ? "in an earlier run of this commit" : undefined;
  const at = where === undefined ? [text(" at "), shortSha(previous.sha)] : [text(` ${where}`)];
  return [[text(`Resolved: ${formerWords[previous.verdict]}`), ...at, text(".")]];
}

/** A commit's first seven digits, as GitHub shows them. */
function shortSha(sha: string): RichText[number] {
  return name(sha.slice(0, 7));
}

/** Start of a report: a headline, the sentence below it, and further lines as a list. */
export function opening(headline: Headline, options: { readonly lines: boolean }): string {
  const lines = options.lines ? headline.lines.map((line) => `- ${toMarkdown(line)}`) : [];
  return [...firstParagraphs(headline), ...(lines.length === 0 ? [] : [lines.join("\n")])].join(
    "\n\n",
  );
}

/** The headline in so few words that it always fits. */
export function shortest({ mark, suite, title }: Headline): string {
  return `${mark} ${inlineText(clip(suite, 80))}: ${inlineText(title)}.`;
}

function firstParagraphs(headline: Headline): readonly string[] {
  const { mark, title, suite, sentence } = headline;
  const first = `${inlineText(clip(suite, 80))}: ${inlineText(title)}`;
  if (headline.isQuiet) return [`${mark} **${first}.** ${toMarkdown(sentence)}`];
  return [`### ${mark} ${first}`, toMarkdown(sentence)];
}
