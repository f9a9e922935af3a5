import type { BrokenCase, BrokenGroup } from "../../model/outcomes/broken.ts";
import { errorLine } from "../../base/error-line.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { changedGroups, indexBroken } from "../cases.ts";
import type { ErrorGroup } from "../markdown/detail-blocks.ts";
import { clip, escapeLogLine } from "../escape.ts";
import { cell } from "./terminal-tables.ts";
import { columns, type TextCell } from "./text-table.ts";
import { beyondWords, limitRules } from "../words/beyond-cases.ts";
import { findTexts } from "../words/broken-groups.ts";
import { explainingGroups } from "../words/explaining-groups.ts";
import { count, counted } from "../words/figures.ts";
import { asExplained } from "../words/relaxed.ts";
import { ruleName } from "../words/rules.ts";

interface CaseLinesInput {
  readonly run: Run;
  /** Texts of the cases that broke, or are beyond a limit. */
  readonly broken?: readonly BrokenCase[];
  readonly errors?: readonly ErrorGroup[];
  readonly width: number;
}

/** Why samples have no grade; and the cases that broke or are beyond a limit: why, then which. */
export function caseLines(input: CaseLinesInput): readonly string[] {
  return [
    ...ungradedLines(input),
    ...reasonLines(input),
    ...brokenLines(input),
    ...beyondLines(input),
  ];
}

const errorsShown = 3;

/** A line for each kind of error that is nobody's fault. Those of candidates are in the verdict's own lines. */
function ungradedLines({ run, errors = [], width }: CaseLinesInput): readonly string[] {
  const groups = errors.filter(({ fault }) => fault === "infra");
  const lines = groups.slice(0, errorsShown).map(({ count: samples, type, message }, i) => {
    // A CI log may be public, and a message may quote a case.
    const said = run.suite.publish === "ids" ? "" : `: ${errorLine(message).text}`;
    const text = escapeLogLine(`${counted(samples, "sample")}: ${type}${said}`);
    return `${i === 0 ? "ungraded  " : indent}${clip(text, Math.max(width - indent.length, 60))}`;
  });
  const more = groups.length - lines.length;
  return more > 0 ? [...lines, `${indent}and ${counted(more, "more kind")} of error`] : lines;
}

const reasonsShown = 6;
const indent = " ".repeat(10);
const longestReason = 70;

/** Reasons why cases broke, or are beyond a limit, one line each: number of cases, the grader's message, the place. */
function reasonLines({ run, broken = [], width }: CaseLinesInput): readonly string[] {
  // A CI log may be public.
  if (run.suite.publish === "ids") return [];
  const groups = explainingGroups(asExplained(run), broken);
  const broke = groups.filter(({ kind }) => kind === "broke");
  // Why a case took long or cost much, nobody says.
  const beyond = groups.filter(({ kind, metric }) => kind === "beyond" && !isSampleMetric(metric));
  return [...reasonsOf(broke, "broke", width), ...reasonsOf(beyond, "are beyond the limit", width)];
}

function reasonsOf(groups: readonly BrokenGroup[], verb: string, width: number): readonly string[] {
  if (groups.every(({ reason }) => reason === undefined)) return [];
  const rows = groups.slice(0, reasonsShown).map(reasonRow);
  const more = groups.length - rows.length;
  return [
    `why       the cases that ${verb}, by reason`,
    columns(rows, width - indent.length).replaceAll(/^/gm, indent),
    ...(more > 0 ? [`${indent}and ${counted(more, "more reason")}`] : []),
  ];
}

function reasonRow(group: BrokenGroup): readonly TextCell[] {
  const where = group.where.slice(0, 2).map(({ field, value }) => `${field}=${value}`);
  return [
    cell(count(group.cases.length), "right"),
    cell(clip(group.reason ?? "no reason that they share", longestReason), "left"),
    cell(clip(where.join(", "), 40), "left"),
  ];
}

const brokenShown = 10;
const longestRow = 60;

function brokenLines({ run, broken = [] }: CaseLinesInput): readonly string[] {
  const groups = changedGroups(run, "broke");
  const rows = run.suite.publish === "ids" ? [] : broken;
  const find = indexBroken(rows);
  return groups.map((group) => {
    const { rule, total, cases } = group;
    const named = cases.map(({ case_id }) => namedCase(case_id, find(group, case_id)));
    const where =
      groups.length > 1
        ? ` in ${escapeLogLine(clip(ruleName(run, { ...rule, slice: null }), 120))}`
        : "";
    return `broken    ${counted(total, "case")}${where}: ${someCases(named, total)}`;
  });
}

/** The cases beyond each limit that was missed. */
function beyondLines({ run, broken = [] }: CaseLinesInput): readonly string[] {
  const find = findTexts(run.suite.publish === "ids" ? [] : broken);
  return limitRules(run).map((rule) => {
    const named = rule.beyond.cases.map(({ case_id: caseId }) =>
      namedCase(caseId, find({ ...rule, caseId, against: undefined }, rule.metric)),
    );
    const where = ` in ${escapeLogLine(clip(ruleName(run, rule), 120))}`;
    const label = rule.kind === "min" ? "below     " : "above     ";
    return `${label}${beyondWords(run, rule)}${where}: ${someCases(named, rule.beyond.count)}`;
  });
}

/** A case's id, and its row if the id is a hash. */
function namedCase(caseId: string, known: BrokenCase | undefined): string {
  const told = known?.row === undefined ? "" : ` (${clip(known.row, longestRow)})`;
  return escapeLogLine(`${clip(caseId, 80)}${told}`);
}

function someCases(named: readonly string[], total: number): string {
  const ids = named.slice(0, brokenShown);
  const more = total - ids.length;
  return `${ids.join(", ")}${more > 0 ? `, and ${count(more)} more` : ""}`;
}
