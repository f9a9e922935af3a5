import type {
  BrokenCase,
  BrokenGroup,
  SliceCount,
  WorseCase,
} from "../../model/outcomes/broken.ts";
import type { Circumstances } from "../../model/circumstances.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { PublishContent } from "../../model/definition/suite.ts";
import type { Block } from "./budget.ts";
import { exampleTexts } from "./case-texts.ts";
import { clip, codeSpan, htmlCode, htmlText, link } from "../escape.ts";
import { details, inlineCode, renderedOnce, inlineText, table } from "./layout.ts";
import { caseAddress, groupAddress } from "./report-links.ts";
import { findTexts } from "../words/broken-groups.ts";
import { explainingGroups } from "../words/explaining-groups.ts";
import { beyondTitle, decidingLimits, worseSince } from "../words/beyond-cases.ts";
import { count, counted } from "../words/figures.ts";
import { asExplained } from "../words/relaxed.ts";
import { ruleName } from "../words/rules.ts";
import { worseCases } from "../words/worse-cases.ts";

/** Texts of the broken cases, and the part that may be shown. */
export interface BrokenTexts {
  readonly content: PublishContent;
  readonly broken: readonly BrokenCase[];
  /** Why the baseline's outputs are unknown, if there is a reason to tell: a clause. */
  readonly beforeGone?: string | undefined;
  readonly circumstances?: Circumstances | undefined;
}

/** A group with its text for readers. */
interface ShownGroup {
  readonly group: BrokenGroup;
  /** Number as the report counts it. */
  readonly number: number;
  /** Empty if all groups are of one task, candidate and metric. */
  readonly place: string;
}

/** The cases that explain the verdict, grouped by the grader's message. */
function explainedGroups(run: Run, { content, broken }: BrokenTexts): readonly ShownGroup[] {
  const texts = content === "ids" ? broken.map(withoutTexts) : broken;
  const groups = explainingGroups(asExplained(run), texts);
  const names = groups.map((group) => ruleName(run, { ...group, slice: null }));
  const isOne = new Set(names).size === 1;
  return groups.map((group, i) => ({ group, number: i + 1, place: isOne ? "" : (names[i] ?? "") }));
}

/** Slices stay, because they are names of the suite; everything else is text of the case. */
function withoutTexts(one: BrokenCase): BrokenCase {
  const { task, candidate, against, metric, caseId, slices } = one;
  const [before, after] = [{ score: one.before.score }, { score: one.after.score }];
  return { task, candidate, metric, caseId, slices, before, after, ...(against && { against }) };
}

const rowsInSight = 8;
const longestReason = 140;
const idsShown = 3;

/** Reasons why cases got worse, one row each: number of cases, the grader's message, the place. */
export function groupsBlock(run: Run, texts: BrokenTexts): Block {
  const groups = explainedGroups(run, texts).filter(({ group }) => group.kind === "broke");
  const block = tableBlock(groups, texts, { before: "", after: ungroupedWords(run) });
  return { ...block, name: "reasons of broken cases" };
}

/** The same for the cases that are beyond a limit, where only the limit was missed. */
export function beyondGroupsBlock(run: Run, texts: BrokenTexts): Block {
  const groups = explainedGroups(run, texts).filter(({ group }) => group.kind === "beyond");
  const limits = decidingLimits(asExplained(run));
  const { words, metric } = beyondTitle(run, limits);
  const place = metric === "" ? "" : ` in ${inlineCode(clip(metric, 120))}`;
  const [first, ...others] = limits;
  const since = first === undefined || others.length > 0 ? "" : worseSince(first);
  const before = `${words}${place}${since}:\n\n`;
  const block = tableBlock(groups, texts, { before, after: "" });
  return { ...block, name: "reasons of cases beyond a limit" };
}

function tableBlock(
  groups: readonly ShownGroup[],
  texts: BrokenTexts,
  around: { readonly before: string; readonly after: string },
): Omit<Block, "name"> {
  const isTold = groups.some(({ group }) => group.reason !== undefined);
  const field = onlyField(groups);
  const where = field === undefined ? "Where" : inlineText(clip(field, longestPlace));
  const heads = ["Cases", isTold ? "Why" : "Which", where];
  const rows = renderedOnce(groups, (shown) => groupRow(shown, { texts, field }));
  const tableOf = (some: readonly (readonly string[])[]): string => table(heads, "rll", some);
  return {
    rank: 2,
    rows: groups.length,
    render: (shown) => {
      if (shown === 0) return "";
      const all = rows(shown);
      const folded = all.slice(rowsInSight);
      const first = `${around.before}${tableOf(all.slice(0, rowsInSight))}${around.after}`;
      if (folded.length === 0) return first;
      return `${first}\n\n${details(counted(folded.length, "more reason"), tableOf(folded))}`;
    },
  };
}

/** run.json names only the cases that lost most: if more broke, the groups contain only these. */
function ungroupedWords(run: Run): string {
  const { cases, total } = worseCases(asExplained(run));
  if (cases.length >= total) return "";
  return `\n\n<sub>The reasons of ${count(cases.length)} of the ${counted(total, "case")} that broke.</sub>`;
}

/** The field that all slices of the table belong to: it goes into the heading, because a phone has no room to repeat it. */
function onlyField(groups: readonly ShownGroup[]): string | undefined {
  const fields = new Set(groups.flatMap(({ group }) => group.where.map((one) => one.field)));
  return fields.size === 1 ? [...fields][0] : undefined;
}

function groupRow(
  { group, number, place }: ShownGroup,
  { texts, field }: { readonly texts: BrokenTexts; readonly field: string | undefined },
): readonly string[] {
  const must = group.cases.filter(({ mustPass }) => mustPass);
  const reason =
    group.reason === undefined
      ? idsOf(group.cases)
      : inlineText(clip(group.reason.replaceAll(/\s+/g, " "), longestReason));
  const urgent = must.length === 0 || group.reason === undefined ? "" : ` (${idsOf(must)})`;
  const url = groupAddress(texts, number);
  return [
    `**${link(count(group.cases.length), url)}**`,
    `${place === "" ? "" : `${inlineCode(place)}: `}${reason}${urgent}`,
    whereWords(group, field),
  ];
}

function idsOf(cases: readonly WorseCase[]): string {
  const names = cases
    .slice(0, idsShown)
    .map(({ caseId, mustPass }) => `${mustPass ? "⛔ " : ""}${inlineCode(caseId)}`);
  const more = cases.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${count(more)} more` : ""}`;
}

const placesShown = 3;
const longestPlace = 60;

function whereWords({ where, cases }: BrokenGroup, field: string | undefined): string {
  const words = where.slice(0, placesShown).map((one) => placeWords(one, cases.length, field));
  return inlineText(words.join(", "));
}

function placeWords(
  { field, value, cases }: SliceCount,
  of: number,
  known: string | undefined,
): string {
  const name = clip(field === known ? value : `${field}=${value}`, longestPlace);
  return cases === of ? name : `${name} (${count(cases)})`;
}

/** Number of examples with a fold of their own; further ones share one more fold. */
const examplesInSight = 5;

/** One case of each group, with prompt, target, and the answers before and now. */
export function examplesBlock(run: Run, texts: BrokenTexts): Block {
  const find = findTexts(texts.broken);
  const known =
    texts.content === "ids"
      ? []
      : explainedGroups(run, texts).flatMap((shown) => {
          const [first] = shown.group.cases;
          const found = first && find(first, shown.group.metric);
          return first && found ? [{ shown, first, found }] : [];
        });
  const rows = renderedOnce(known, (one) => example(run, one, texts));
  return {
    name: "examples of broken cases",
    rank: 3,
    rows: known.length,
    render: (shown) => {
      if (shown === 0) return "";
      const all = rows(shown);
      const folded = all.slice(examplesInSight);
      const more = folded.length === 0 ? [] : [details("More examples", folded.join("\n\n"))];
      return [...goneLine(texts), ...all.slice(0, examplesInSight), ...more].join("\n\n");
    },
  };
}

function goneLine({ beforeGone }: BrokenTexts): readonly string[] {
  return beforeGone === undefined ? [] : [`Only what was answered now: ${inlineText(beforeGone)}.`];
}

function example(
  run: Run,
  one: { readonly shown: ShownGroup; readonly first: WorseCase; readonly found: BrokenCase },
  texts: BrokenTexts,
): string {
  const { shown, first, found } = one;
  const { group } = shown;
  const others = group.cases.slice(1);
  const size = others.length === 0 ? "" : ` and ${count(others.length)} more`;
  const must = first.mustPass ? "⛔ " : "";
  const why = group.reason ?? ruleName(run, { ...group, slice: null });
  const row = found.row === undefined ? "" : ` (${htmlText(found.row)})`;
  const summary = `${must}${htmlCode(clip(first.caseId, 120))}${row}${size} · ${htmlText(clip(why, longestReason))}`;
  const url = caseAddress(texts.circumstances, first.caseId);
  return details(
    summary,
    [
      ...exampleTexts(run, found, { content: texts.content, known: group.reason }),
      ...(others.length === 0 ? [] : [`Like it: ${idList(others)}`]),
      ...(url === undefined ? [] : [link(`Open ${codeSpan(clip(first.caseId, 80))}`, url)]),
    ].join("\n\n"),
  );
}

const likeShown = 20;

function idList(cases: readonly WorseCase[]): string {
  const names = cases.slice(0, likeShown).map(({ caseId }) => inlineCode(caseId));
  const more = cases.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${count(more)} more` : ""}`;
}
