import type { Run } from "../domain/run.ts";
import type { PublishContent } from "../domain/suite.ts";
import type { Block } from "./budget.ts";
import {
  changedGroups,
  graderWords,
  indexBroken,
  type BrokenCase,
  type ChangedGroup,
} from "./cases.ts";
import { clip, fence, htmlCode } from "./escape.ts";
import { count, counted, figure, unitOf } from "./figures.ts";
import { details, named, renderedOnce, said, table } from "./layout.ts";
import { ruleName } from "./rule-words.ts";

/** A changed case, ready for a table. */
interface Row {
  readonly caseId: string;
  /** Empty where all rows are of one metric. */
  readonly metric: string;
  readonly change: string;
  readonly broken: BrokenCase | undefined;
}

const shownOpen = 10;
/** UTF-16 units of one text of a case; `full` shows what people can be expected to read. */
const longestText = { failures: 600, full: 8000 } as const;
const longestWords = 140;

/** The cases that got worse. Their texts only where `content` allows it. */
export function brokenBlock(
  run: Run,
  { content, broken }: { content: PublishContent; broken: readonly BrokenCase[] },
): Block {
  const groups = changedGroups(run, "broke");
  const rows = rowsOf(run, groups, broken);
  const total = groups.reduce((sum, group) => sum + group.total, 0);
  const cells = renderedOnce(rows, (row) => caseCells(row, content));
  const kept = keptNote(total, rows.length);
  // A pass is read for its verdict: what moved in it is there on a click.
  const open = run.gate.verdict === "fail";
  return {
    name: "broken cases",
    rank: 2,
    rows: rows.length,
    render: (shown) => {
      if (shown === 0) return "";
      const all = cells(shown);
      if (!open) return details(`${counted(total, "broken case")}${kept}`, caseTable(all));
      const first = `**Broken cases: ${count(total)}**${kept}\n\n${caseTable(all.slice(0, shownOpen))}`;
      const folded = all.slice(shownOpen);
      if (folded.length === 0) return first;
      return `${first}\n\n${details(`${folded.length} more broken`, caseTable(folded))}`;
    },
  };
}

/** The cases that got better, by id. */
export function fixedBlock(run: Run): Block {
  const groups = changedGroups(run, "fixed");
  const rows = rowsOf(run, groups, []);
  const total = groups.reduce((sum, group) => sum + group.total, 0);
  const cells = renderedOnce(rows, (row) => caseCells(row, "ids"));
  const [only, ...others] = groups;
  const rule = only && others.length === 0 ? ruleName(run, { ...only.rule, slice: null }) : "";
  const of = rule === "" ? "" : ` in ${htmlCode(clip(rule, 120))}`;
  const summary = `${counted(total, "fixed case")}${of}${keptNote(total, rows.length)}`;
  return {
    name: "fixed cases",
    rank: 6,
    rows: rows.length,
    render: (shown) => (shown === 0 ? "" : details(summary, caseTable(cells(shown)))),
  };
}

/** Before, now and the grader's words of each broken case; nothing where `content` is `ids`. */
export function textsBlock(
  run: Run,
  { content, broken }: { content: PublishContent; broken: readonly BrokenCase[] },
): Block {
  const rows = rowsOf(run, changedGroups(run, "broke"), broken);
  const told = content === "ids" ? [] : rows.flatMap(({ broken: known }) => known ?? []);
  const longest = longestText[content === "full" ? "full" : "failures"];
  const texts = renderedOnce(told, (item) => caseTexts(run, item, longest));
  return {
    name: "texts of broken cases",
    rank: 11,
    rows: told.length,
    render: (shown) =>
      shown === 0
        ? ""
        : details(`Outputs of ${counted(shown, "broken case")}`, texts(shown).join("\n\n")),
  };
}

function rowsOf(
  run: Run,
  groups: readonly ChangedGroup[],
  broken: readonly BrokenCase[],
): readonly Row[] {
  const find = indexBroken(broken);
  return groups.flatMap((group) => {
    const unit = unitOf(run, group.rule);
    const metric = groups.length > 1 ? named(ruleName(run, { ...group.rule, slice: null })) : "";
    return group.cases.map(({ case_id: caseId, before, after }) => ({
      caseId,
      metric,
      change: scoreChange(before, after, unit),
      broken: find(group, caseId),
    }));
  });
}

/** `1 → 0`, `$0.01 → $0.03`; a share is a score here, not a percentage of anything. */
function scoreChange(before: number, after: number, unit: ReturnType<typeof unitOf>): string {
  const scoreUnit = unit === "share" ? "number" : unit;
  return `${figure(before, scoreUnit)} → ${figure(after, scoreUnit)}`;
}

function caseTable(rows: readonly (readonly string[])[]): string {
  return table(["Case", "Metric", "Slice", "Before → now", "Grader says"], "lllll", rows);
}

function caseCells(
  { caseId, metric, change, broken }: Row,
  content: PublishContent,
): readonly string[] {
  const words = broken === undefined || content === "ids" ? "" : graderWords(broken.after);
  return [
    named(caseId),
    metric,
    broken ? sliceWords(broken) : "",
    said(change),
    said(clip(words, longestWords)),
  ];
}

function sliceWords({ slices }: BrokenCase): string {
  const words = Object.entries(slices).map(([field, value]) => `${field}=${value}`);
  return said(clip(words.join(", "), longestWords));
}

function caseTexts(run: Run, item: BrokenCase, longest: number): string {
  const change = scoreChange(item.before.score, item.after.score, unitOf(run, item));
  const words = graderWords(item.after);
  const body = [
    labelled("Before", item.before.output, longest),
    labelled("Now", item.after.output, longest),
    ...(words === "" ? [] : [labelled("Grader", words, longest)]),
  ];
  const summary = `${htmlCode(clip(item.caseId, 120))} · ${htmlCode(clip(item.metric, 120))} ${change}`;
  return details(summary, body.join("\n\n"));
}

function labelled(label: string, text: string | null | undefined, longest: number): string {
  if (text === undefined) return `${label}: not recorded.`;
  if (text === null) return `${label}: no output.`;
  return text === "" ? `${label}: empty.` : `${label}:\n\n${fence(clip(text, longest))}`;
}

function keptNote(total: number, kept: number): string {
  return total > kept ? ` (the ${kept} that changed most are listed)` : "";
}
