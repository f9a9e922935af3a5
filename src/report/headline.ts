import type { Circumstances } from "../model/circumstances.ts";
import type { Run, Verdict } from "../model/run.ts";
import { clip } from "./escape.ts";
import { dressed, said } from "./layout.ts";
import { name, text, type RichText } from "./words/sentences.ts";
import { verdictWords, type Status } from "./words/verdict.ts";

/** How the beginning of a report looks: one of GitHub's alerts, a mark for the eye, words that say the same. */
export interface Headline {
  readonly alert: "CAUTION" | "WARNING" | "IMPORTANT" | "NOTE" | "TIP";
  readonly mark: string;
  readonly suite: string;
  readonly title: string;
  readonly sentence: RichText;
  readonly lines: readonly RichText[];
}

type Look = Pick<Headline, "alert" | "mark">;

const looks: Readonly<Record<Status, Look>> = {
  pass: { alert: "TIP", mark: "🟢" },
  grey: { alert: "NOTE", mark: "⚪" },
  accepted: { alert: "IMPORTANT", mark: "🟣" },
  fail: { alert: "CAUTION", mark: "🔴" },
  inconclusive: { alert: "WARNING", mark: "⚪" },
  error: { alert: "WARNING", mark: "🟠" },
  neutral: { alert: "NOTE", mark: "🔵" },
  ungated: { alert: "NOTE", mark: "🔵" },
  cancelled: { alert: "WARNING", mark: "⚫" },
};
/** A pass by outputs that nobody has verified is not green. */
const unverified: Look = { alert: "IMPORTANT", mark: "🟣" };

/** The face of a run, as its circumstances change it. */
export function headlineOf(run: Run, circumstances?: Circumstances): Headline {
  const words = verdictWords(run);
  const isForeign = run.outputs_from !== undefined;
  const isGreen = words.tone === "pass" || words.tone === "grey";
  return {
    ...(isForeign && isGreen ? unverified : looks[words.tone]),
    suite: run.suite.name,
    title: isForeign ? `${words.title}, unverified` : words.title,
    sentence: words.sentence,
    lines: [
      ...(isGreen && circumstances ? resolvedLine(circumstances) : []),
      ...words.lines,
      ...(words.tone === "fail" ? acceptLine(run) : []),
    ],
  };
}

function acceptLine({ suite }: Run): readonly RichText[] {
  const label = suite.gate === "none" ? undefined : suite.gate.accept_label;
  if (label === undefined) return [];
  return [[text("If the loss is meant: the label "), name(label), text(" accepts it.")]];
}

const red: readonly Verdict[] = ["fail", "error", "inconclusive"];

/** What a verdict was, in a sentence's tail. */
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

/** The beginning as one of GitHub's alerts: a headline, and what is to be said beside it as a list. */
export function alertOf(face: Headline, options: { readonly lines: boolean }): string {
  const first = `> [!${face.alert}]\n> ${headline(face)}`;
  const lines = options.lines ? face.lines.map((line) => `> - ${dressed(line)}`) : [];
  return lines.length === 0 ? first : [first, ">", ...lines].join("\n");
}

/** The same where GitHub does not show alerts. */
export function paragraphOf(face: Headline, options: { readonly lines: boolean }): string {
  const lines = options.lines ? face.lines.map((line) => `- ${dressed(line)}`) : [];
  return [headline(face), ...(lines.length === 0 ? [] : [lines.join("\n")])].join("\n\n");
}

function headline({ mark, title, suite, sentence }: Headline): string {
  return `**${mark} ${said(title)} — ${said(clip(suite, 80))}:** ${dressed(sentence)}`;
}
