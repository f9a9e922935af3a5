import type { BrokenCase } from "../../model/outcomes/broken.ts";
import type { ComparedPlace } from "../../model/place.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { PublishContent } from "../../model/definition/suite.ts";
import type { Block } from "./budget.ts";
import { changedGroups, indexBroken } from "../cases.ts";
import { clip, fence, htmlCode } from "../escape.ts";
import { details, inlineText, renderedOnce } from "./layout.ts";
import { counted } from "../words/figures.ts";
import { graderWords } from "../words/grader-words.ts";
import { scoreWords } from "../words/scores.ts";

/** Texts of broken cases to show. */
interface BrokenInput {
  readonly content: PublishContent;
  readonly broken: readonly BrokenCase[];
  /** Why the baseline's outputs are unknown, if there is a reason to tell: a clause. */
  readonly beforeGone?: string | undefined;
}

/** Limits of one text of a case in UTF-16 units; `full` allows as much as people may be willing to read. */
const longestText = { failures: 600, full: 8000 } as const;

/**
 * Texts of one case: prompt, target, the answers before and now, and the grader's message unless it is already shown
 * (`known`).
 */
export function exampleTexts(
  run: Run,
  item: BrokenCase,
  { content, known }: { readonly content: PublishContent; readonly known: string | undefined },
): readonly string[] {
  const words = graderWords(item.after, item.metric).trim();
  const { asked, target, before } = item;
  const isTwice = target === before.output && (target?.length ?? 0) > longestTwice;
  return [
    quotation("Asked", asked),
    quotation("Expected", isTwice ? "the earlier answer" : target),
    isAlone(item)
      ? `**Score** ${inlineText(scoreOrNone(run, item, item.after.score))}`
      : `**${sidesWords(item)}** ${inlineText(scoresOf(run, item))}`,
    ...outputTexts(item, longestText[content === "full" ? "full" : "failures"]),
    quotation(item.after.error ? "Error" : "The grader says", words === known ? undefined : words),
  ].filter((part) => part !== "");
}

/** A text that the difference below shows anyway is repeated up to this length. */
const longestTwice = 80;

/** The heading of two scores: markdown. */
export function sidesWords({ candidate, against }: Omit<ComparedPlace, "metric">): string {
  if (against === undefined) return "Before → now";
  return [against, candidate].map((name) => inlineText(clip(name, longestName))).join(" → ");
}

const longestName = 60;

/** The side's name before an answer: the other candidate's, if two are compared. */
function sideLabel(word: string, name: string, { against }: BrokenCase): string {
  return against === undefined ? word : inlineText(clip(name, longestName));
}

const longestQuotation = 400;

/** One paragraph: the report has the full text. */
function quotation(label: string, text: string | null | undefined): string {
  if (typeof text !== "string" || text.trim() === "") return "";
  return `**${label}** ${inlineText(clip(text.trim(), longestQuotation))}`;
}

/** Nothing is known of it before. */
function isAlone({ before }: BrokenCase): boolean {
  return before.score === null && before.output === undefined;
}

function scoresOf(run: Run, item: BrokenCase): string {
  const [before, after] = [item.before.score, item.after.score];
  return `${scoreOrNone(run, item, before)} → ${scoreOrNone(run, item, after)}`;
}

function scoreOrNone(run: Run, item: BrokenCase, score: number | null): string {
  return score === null ? "–" : scoreWords(run, item)(score);
}

/** The answers before and now, and the grader's message, for each broken case; nothing if `content` is `ids`. */
export function textsBlock(run: Run, { content, broken, beforeGone }: BrokenInput): Block {
  const find = indexBroken(content === "ids" ? [] : broken);
  const told = changedGroups(run, "broke").flatMap((group) =>
    group.cases.flatMap(({ case_id: caseId }) => find(group, caseId) ?? []),
  );
  const longest = longestText[content === "full" ? "full" : "failures"];
  const texts = renderedOnce(told, (item) => caseTexts(run, item, longest));
  const why =
    beforeGone === undefined ? [] : [`Only what was answered now: ${inlineText(beforeGone)}.`];
  return {
    name: "texts of broken cases",
    rank: 11,
    rows: told.length,
    render: (shown) =>
      shown === 0
        ? ""
        : details(
            `Outputs of ${counted(shown, "broken case")}`,
            [...why, ...texts(shown)].join("\n\n"),
          ),
  };
}

function caseTexts(run: Run, item: BrokenCase, longest: number): string {
  const change = scoresOf(run, item);
  const grader = graderWords(item.after, item.metric);
  const body = [
    ...outputTexts(item, longest),
    ...(grader === "" ? [] : [`Grader:\n\n${fence(clip(grader, longest))}`]),
  ];
  const summary = `${htmlCode(clip(item.caseId, 120))} · ${htmlCode(clip(item.metric, 120))} ${change}`;
  return details(summary, body.join("\n\n"));
}

/** The answers before and now: as a difference if both are texts, otherwise one after the other. */
function outputTexts(item: BrokenCase, longest: number): readonly string[] {
  const { before, after } = item;
  if (typeof before.output === "string" && typeof after.output === "string") {
    const [old, now] = [clip(before.output, longest), clip(after.output, longest)];
    if (before.output === after.output) return [labelled("Both answers are the same", now)];
    return [fence(difference(old, now), "diff")];
  }
  // A recorded test, for example, has a result but no output.
  if (before.output === null && after.output === null) return [];
  const now = labelled(
    isAlone(item) ? "Answer" : sideLabel("Now", item.candidate, item),
    after.output === undefined ? undefined : clipped(after.output, longest),
  );
  if (isAlone(item)) return [now];
  return [
    labelled(
      sideLabel("Before", item.against ?? "", item),
      before.output === undefined ? undefined : clipped(before.output, longest),
    ),
    now,
  ];
}

function clipped(text: string | null, longest: number): string | null {
  return text === null ? null : clip(text, longest);
}

/** Common lines at the start and the end stay unchanged; those between are marked as removed and as added. */
function difference(before: string, now: string): string {
  const [old, fresh] = [before.split("\n"), now.split("\n")];
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  return [
    ...old.slice(0, head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+ ${line}`),
    ...old.slice(old.length - tail).map((line) => `  ${line}`),
  ].join("\n");
}

function labelled(label: string, text: string | null | undefined): string {
  if (text === undefined) return `${label}: not recorded.`;
  if (text === null) return `${label}: no output.`;
  return text === "" ? `${label}: empty.` : `${label}:\n\n${fence(text)}`;
}
