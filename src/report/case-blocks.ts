import { isSampleMetric } from "../model/metric.ts";
import type { Run } from "../model/run.ts";
import type { PublishContent } from "../model/suite.ts";
import type { Block } from "./budget.ts";
import { changedGroups, indexBroken, type ChangedGroup } from "./cases.ts";
import type { BrokenCase } from "../model/broken.ts";
import { graderWords } from "./words/grader-words.ts";
import { clip, fence, htmlCode } from "./escape.ts";
import { counted } from "./words/figures.ts";
import { details, inlineCode, renderedOnce, inlineText, table, unbroken } from "./layout.ts";
import { ruleName } from "./words/rules.ts";
import { scoreWords } from "./words/scores.ts";
import { worseCases } from "./words/worse-cases.ts";

/** A changed case, ready for a table. */
interface Row {
  readonly caseId: string;
  /** Empty if all rows are of one metric. */
  readonly metric: string;
  readonly change: string;
  readonly broken: BrokenCase | undefined;
}

/** Texts of broken cases to show. */
interface BrokenInput {
  readonly content: PublishContent;
  readonly broken: readonly BrokenCase[];
  /** Why the baseline's outputs are unknown, if there is a reason to tell: a clause. */
  readonly beforeGone?: string | undefined;
}

/** Limits of one text of a case in UTF-16 units; `full` allows as much as people may be willing to read. */
const longestText = { failures: 600, full: 8000 } as const;
const longestWords = 140;

/** Every case that got worse, by id, in a fold. */
export function brokenBlock(run: Run, { content, broken }: BrokenInput): Block {
  const groups = changedGroups(run, "broke");
  const rows = rowsOf(run, groups, broken);
  const { total, others } = worseCases(run);
  const cells = renderedOnce(rows, (row) => caseCells(row, content));
  const distinct = new Set(rows.map(({ caseId }) => caseId)).size;
  const all = groups.length > 1 ? Math.max(distinct, total + others.length) : countOf(groups);
  const kept = `${placeOf(run, groups)}${keptNote(all, distinct)}`;
  const isEffort = groups.every(({ rule }) => isSampleMetric(rule.metric));
  const what = isEffort
    ? `${counted(all, "case")} with a higher figure`
    : counted(all, "broken case");
  const summary = `${what}${kept}`;
  return {
    name: "broken cases",
    rank: 4,
    rows: rows.length,
    render: (shown) => (shown === 0 ? "" : details(summary, caseTable(cells(shown)))),
  };
}

/** The cases that got better, by id. */
export function fixedBlock(run: Run): Block {
  const groups = changedGroups(run, "fixed");
  const rows = rowsOf(run, groups, []);
  const cells = renderedOnce(rows, (row) => caseCells(row, "ids"));
  const where = placeOf(run, groups);
  const distinct = new Set(rows.map(({ caseId }) => caseId)).size;
  const total = groups.length > 1 ? distinct : countOf(groups);
  const summary = `${counted(total, "fixed case")}${where}${keptNote(total, distinct)}`;
  return {
    name: "fixed cases",
    rank: 6,
    rows: rows.length,
    render: (shown) => (shown === 0 ? "" : details(summary, caseTable(cells(shown)))),
  };
}

/** Number of cases of one metric, as the gate counts; a case of several metrics is one case. */
function countOf([first]: readonly ChangedGroup[]): number {
  return first?.total ?? 0;
}

/**
 * Texts of one case: prompt, target, the answers before and now, and the grader's message unless it is already shown
 * (`known`).
 */
export function exampleTexts(
  run: Run,
  item: BrokenCase,
  { content, known }: { readonly content: PublishContent; readonly known: string | undefined },
): readonly string[] {
  const words = graderWords(item.after).trim();
  const { asked, target, before } = item;
  const expected = target === before.output ? "as before" : target;
  return [
    quotation("Asked", asked),
    quotation("Expected", expected),
    `**Before → now** ${inlineText(scoresOf(run, item))}`,
    ...outputTexts(item, longestText[content === "full" ? "full" : "failures"]),
    quotation(item.after.error ? "Error" : "The grader says", words === known ? undefined : words),
  ].filter((part) => part !== "");
}

const longestQuotation = 400;

/** One paragraph: the report has the full text. */
function quotation(label: string, text: string | null | undefined): string {
  if (typeof text !== "string" || text.trim() === "") return "";
  return `**${label}** ${inlineText(clip(text.trim(), longestQuotation))}`;
}

function scoresOf(run: Run, item: BrokenCase): string {
  const words = scoreWords(run, item);
  const score = (each: number | null): string => (each === null ? "–" : words(each));
  return `${score(item.before.score)} → ${score(item.after.score)}`;
}

/** The answers before and now, and the grader's message, for each broken case; nothing if `content` is `ids`. */
export function textsBlock(run: Run, { content, broken, beforeGone }: BrokenInput): Block {
  const rows = rowsOf(run, changedGroups(run, "broke"), broken);
  const told = content === "ids" ? [] : rows.flatMap(({ broken: known }) => known ?? []);
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

/**
 * ` in qa/exact_match` if all have the same metric; otherwise each row has its own. HTML, because it may be in a
 * `<summary>`.
 */
function placeOf(run: Run, groups: readonly ChangedGroup[]): string {
  const [group, ...others] = groups;
  if (group === undefined || others.length > 0) return "";
  return ` in ${htmlCode(clip(ruleName(run, { ...group.rule, slice: null }), 120))}`;
}

function rowsOf(
  run: Run,
  groups: readonly ChangedGroup[],
  broken: readonly BrokenCase[],
): readonly Row[] {
  const find = indexBroken(broken);
  return groups.flatMap((group) => {
    const score = scoreWords(run, group.rule);
    const metric =
      groups.length > 1 ? inlineCode(ruleName(run, { ...group.rule, slice: null })) : "";
    return group.cases.map(({ case_id: caseId, before, after }) => ({
      caseId,
      metric,
      change: `${score(before)} → ${score(after)}`,
      broken: find(group, caseId),
    }));
  });
}

function caseTable(rows: readonly (readonly string[])[]): string {
  return table(["Case", "Before → now", "Metric", "Grader says", "Slice"], "lllll", rows);
}

function caseCells(
  { caseId, metric, change, broken }: Row,
  content: PublishContent,
): readonly string[] {
  const texts = content === "ids" ? undefined : broken;
  const words = texts === undefined ? "" : graderWords(texts.after);
  return [
    `${inlineCode(caseId)}${rowNote(texts)}`,
    unbroken(inlineText(change)),
    metric,
    inlineText(clip(words, longestWords)),
    broken ? sliceWords(broken) : "",
  ];
}

/** The fields of the row are shown for a case whose id is a hash, which says nothing to a reader. */
function rowNote(broken: BrokenCase | undefined): string {
  return broken?.row === undefined ? "" : ` ${inlineText(`(${broken.row})`)}`;
}

function sliceWords({ slices }: BrokenCase): string {
  const words = Object.entries(slices).map(([field, value]) => `${field}=${value}`);
  return inlineText(clip(words.join(", "), longestWords));
}

function caseTexts(run: Run, item: BrokenCase, longest: number): string {
  const change = scoresOf(run, item);
  const grader = graderWords(item.after);
  const body = [
    ...outputTexts(item, longest),
    ...(grader === "" ? [] : [`Grader:\n\n${fence(clip(grader, longest))}`]),
  ];
  const summary = `${htmlCode(clip(item.caseId, 120))} · ${htmlCode(clip(item.metric, 120))} ${change}`;
  return details(summary, body.join("\n\n"));
}

/** The answers before and now: as a difference if both are texts, otherwise one after the other. */
function outputTexts({ before, after }: BrokenCase, longest: number): readonly string[] {
  if (typeof before.output === "string" && typeof after.output === "string") {
    const [old, now] = [clip(before.output, longest), clip(after.output, longest)];
    if (before.output === after.output) return [labelled("Before and now the same", now)];
    return [fence(difference(old, now), "diff")];
  }
  // A recorded test, for example, has a result but no output.
  if (before.output === null && after.output === null) return [];
  return [
    labelled("Before", before.output === undefined ? undefined : clipped(before.output, longest)),
    labelled("Now", after.output === undefined ? undefined : clipped(after.output, longest)),
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

function keptNote(total: number, kept: number): string {
  return total > kept ? ` (the ${kept} that changed most are listed)` : "";
}
