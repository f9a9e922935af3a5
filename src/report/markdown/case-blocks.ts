import { isSampleMetric } from "../../model/definition/metric.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { PublishContent } from "../../model/definition/suite.ts";
import type { Block } from "./budget.ts";
import { changedGroups, indexBroken, type ChangedGroup } from "../cases.ts";
import type { BrokenCase, MetricChange } from "../../model/outcomes/broken.ts";
import type { ComparedPlace } from "../../model/place.ts";
import { beyondTitle, casesBeyond, countBeyond, limitRules } from "../words/beyond-cases.ts";
import { findTexts } from "../words/broken-groups.ts";
import { sidesWords } from "./case-texts.ts";
import { graderWords } from "../words/grader-words.ts";
import { clip, htmlCode } from "../escape.ts";
import { counted } from "../words/figures.ts";
import { details, inlineCode, renderedOnce, inlineText, table, unbroken } from "./layout.ts";
import { ruleName } from "../words/rules.ts";
import { scoreWords } from "../words/scores.ts";
import { worseCases } from "../words/worse-cases.ts";

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
}

const longestWords = 140;

/** Every case that got worse, by id, in a fold. */
export function brokenBlock(run: Run, { content, broken }: BrokenInput): Block {
  const groups = changedGroups(run, "broke");
  const rows = rowsOf(run, groups, broken);
  const { total, others } = worseCases(run);
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
    ...foldedTable(rows, { content, summary, sides: sidesOf(groups) }),
  };
}

/** Every case that is beyond a limit that was missed, the worst first: there on a click. */
export function beyondBlock(run: Run, { content, broken }: BrokenInput): Block {
  const limits = limitRules(run);
  const cases = casesBeyond(limits);
  const metrics = new Set(limits.map((rule) => metricOf(run, rule)));
  const find = findTexts(broken);
  const rows = cases.map((one): Row => {
    const {
      task,
      candidate,
      caseId,
      changes: [change],
    } = one;
    const place = { task, candidate, metric: change?.metric ?? "" };
    return {
      caseId,
      metric: metrics.size > 1 ? inlineCode(metricOf(run, place)) : "",
      change: changeWords(scoreWords(run, place), change),
      broken: find(one, place.metric),
    };
  });
  const { words, metric } = beyondTitle(run, limits);
  const where = metric === "" ? "" : ` in ${htmlCode(clip(metric, 120))}`;
  const summary = `${words}${where}${keptNote(countBeyond(limits), rows.length)}`;
  return { name: "cases beyond a limit", rank: 5, ...foldedTable(rows, { content, summary }) };
}

/** `1 → 0`, or the score alone if the case was not compared. */
function changeWords(score: (value: number) => string, change: MetricChange | undefined): string {
  return [change?.before ?? null, change?.after ?? null]
    .flatMap((value) => (value === null ? [] : score(value)))
    .join(" → ");
}

/** The cases that got better, by id. */
export function fixedBlock(run: Run): Block {
  const groups = changedGroups(run, "fixed");
  const rows = rowsOf(run, groups, []);
  const where = placeOf(run, groups);
  const distinct = new Set(rows.map(({ caseId }) => caseId)).size;
  const total = groups.length > 1 ? distinct : countOf(groups);
  const summary = `${counted(total, "fixed case")}${where}${keptNote(total, distinct)}`;
  return {
    name: "fixed cases",
    rank: 6,
    ...foldedTable(rows, { content: "ids", summary, sides: sidesOf(groups) }),
  };
}

function foldedTable(
  rows: readonly Row[],
  {
    content,
    summary,
    sides = sidesOf([]),
  }: { readonly content: PublishContent; readonly summary: string; readonly sides?: string },
): Pick<Block, "rows" | "render"> {
  const cells = renderedOnce(rows, (row) => caseCells(row, content));
  return {
    rows: rows.length,
    render: (shown) => (shown === 0 ? "" : details(summary, caseTable(sides, cells(shown)))),
  };
}

/** Number of cases of one metric, as the gate counts; a case of several metrics is one case. */
function countOf([first]: readonly ChangedGroup[]): number {
  return first?.total ?? 0;
}

/**
 * ` in qa/exact_match` if all have the same metric; otherwise each row has its own. HTML, because it may be in a
 * `<summary>`.
 */
function placeOf(run: Run, groups: readonly ChangedGroup[]): string {
  const [group, ...others] = groups;
  if (group === undefined || others.length > 0) return "";
  return ` in ${htmlCode(clip(metricOf(run, group.rule), 120))}`;
}

/** A rule's metric, without the slice. */
function metricOf(run: Run, rule: ComparedPlace): string {
  return ruleName(run, { ...rule, slice: null });
}

function rowsOf(
  run: Run,
  groups: readonly ChangedGroup[],
  broken: readonly BrokenCase[],
): readonly Row[] {
  const find = indexBroken(broken);
  return groups.flatMap((group) => {
    const score = scoreWords(run, group.rule);
    const metric = groups.length > 1 ? inlineCode(metricOf(run, group.rule)) : "";
    return group.cases.map(({ case_id: caseId, before, after }) => ({
      caseId,
      metric,
      change: `${score(before)} → ${score(after)}`,
      broken: find(group, caseId),
    }));
  });
}

/** Names both candidates if all groups compare the same two. */
function sidesOf(groups: readonly ChangedGroup[]): string {
  const [words = "", ...others] = new Set(groups.map(({ rule }) => sidesWords(rule)));
  return words === "" || others.length > 0 ? "Before → now" : words;
}

function caseTable(sides: string, rows: readonly (readonly string[])[]): string {
  return table(["Case", sides, "Metric", "Grader says", "Slice"], "lllll", rows);
}

function caseCells(
  { caseId, metric, change, broken }: Row,
  content: PublishContent,
): readonly string[] {
  const texts = content === "ids" ? undefined : broken;
  const words = texts === undefined ? "" : graderWords(texts.after, texts.metric);
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

function keptNote(total: number, kept: number): string {
  return total > kept ? ` (the ${kept} that changed most are listed)` : "";
}
