import type { CaseEntry, CaseList, EntryKind } from "../../model/outcomes/shown-case.ts";
import { clip, escapeLogLine } from "../escape.ts";
import { count, counted } from "../words/figures.ts";
import { quoteWord, shellWord } from "../shell-word.ts";
import { columns, type TextCell } from "./text-table.ts";

interface ListLayout {
  /** The run's name as the user typed it. */
  readonly shown: string;
  /** The command that starts this program, as the user would type it. */
  readonly program: string;
  readonly width: number;
  /** True to list all cases, however many there are. */
  readonly full: boolean;
}

const casesShown = 20;
const kinds: readonly EntryKind[] = ["broken", "beyond", "fixed", "failed", "worst", "claims"];

/** The broken, fixed and failed cases of a run for a terminal, and the command that shows one. */
export function renderCaseList({ run, entries, isCut }: CaseList, layout: ListLayout): string {
  const [first] = entries;
  const blocks = kinds.flatMap((kind) => blockOf(kind, entries, layout));
  const verdict = run.status === "cancelled" ? "cancelled, no verdict" : run.gate.verdict;
  const title = `Run ${run.id} of ${run.suite.name}: ${verdict}`;
  const parts = [
    escapeLogLine(clip(title, 200)),
    ...blocks,
    ...(first === undefined ? ["No cases to list."] : []),
    ...(isCut
      ? [
          "Of each rule run.json keeps the 1,000 cases that broke most or are furthest beyond its limit, and the 50 that were fixed most.",
        ]
      : []),
    ...(first === undefined ? [] : [`One of them: ${commandFor(first, layout)}`]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function commandFor({ caseId }: CaseEntry, { shown, program }: ListLayout): string {
  const word = `${caseId.startsWith("-") ? "-- " : ""}${quoteWord(caseId)}`;
  return escapeLogLine(`${program} show ${shellWord(shown)} ${word}`);
}

function blockOf(
  kind: EntryKind,
  all: readonly CaseEntry[],
  { full, width }: ListLayout,
): readonly string[] {
  const entries = all.filter((entry) => entry.kind === kind);
  if (entries.length === 0) return [];
  const shown = full ? entries : entries.slice(0, casesShown);
  const cases = new Set(entries.map(({ caseId }) => caseId)).size;
  const more = entries.length - shown.length;
  const tail = more === 0 ? [] : [`  and ${count(more)} more: --full lists all`];
  return [
    [`${titles[kind]}: ${counted(cases, "case")}`, columns(shown.map(rowOf), width), ...tail].join(
      "\n",
    ),
  ];
}

const titles: Readonly<Record<EntryKind, string>> = {
  broken: "broken",
  beyond: "beyond a limit",
  fixed: "fixed",
  failed: "failed",
  worst: "with the worst score",
  claims: "with unverified claims",
};

function rowOf(entry: CaseEntry): readonly TextCell[] {
  const { before, after, metric } = entry;
  const scores = [before, after].filter((each) => each !== undefined).join(" → ");
  return [
    cell(`  ${entry.caseId}${entry.row === undefined ? "" : ` (${entry.row})`}`),
    cell(entry.task),
    cell(entry.candidate),
    cell(entry.against === undefined ? "" : `against ${entry.against}`),
    cell(metric === undefined ? "" : `${metric} ${scores}`),
    cell(entry.error ?? entry.claims.join(" · ")),
  ];
}

function cell(text: string): TextCell {
  return { text: escapeLogLine(clip(text, 120)), align: "left" };
}
