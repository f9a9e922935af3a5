import type { styleText } from "node:util";
import type { Run } from "../../model/outcomes/run.ts";
import type { RuleOutcome, RuleResult } from "../../model/outcomes/rule-result.ts";
import { compareCandidates } from "../markdown/comparison.ts";
import { clip, escapeLogLine } from "../escape.ts";
import { count, figure, figureRange, unitOf } from "../words/figures.ts";
import { outcomeWords } from "../words/outcomes.ts";
import { ruleName, ruleWords } from "../words/rules.ts";
import { columns, naturalWidth, type TextCell } from "./text-table.ts";
import type { TerminalInput } from "./terminal.ts";

export type Style = Parameters<typeof styleText>[0];

export type Paint = (style: Style, text: string) => string;

const outcomeStyles: Readonly<Record<RuleOutcome, Style>> = {
  met: "green",
  missed: "red",
  inconclusive: "yellow",
  unmeasured: "gray",
};

/** Columns of a rule's row. */
const heads = ["rule", "baseline", "now", "difference", "interval", "limit", "outcome"] as const;

type Detail = "shown" | "brief" | "bare";

/** Columns to leave out on narrow terminals, step by step: the outcome stays as long as it fits. */
const layouts: readonly { readonly without: readonly string[]; readonly detail: Detail }[] = [
  { without: [], detail: "shown" },
  { without: ["interval"], detail: "shown" },
  { without: ["interval"], detail: "brief" },
  { without: ["interval", "baseline"], detail: "brief" },
  { without: ["interval"], detail: "bare" },
  { without: ["interval", "baseline"], detail: "bare" },
];

/** The table of rules in the given width. */
export function ruleTable({ run, width }: TerminalInput, paint: Paint): string {
  if (run.gate.rules.length === 0) return metricTable(run, width, paint);
  const tables = layouts.map(({ without, detail }) => {
    const kept = heads.filter((head) => !without.includes(head));
    const row = (rule: RuleResult): readonly TextCell[] =>
      ruleRow(run, rule, { kept, detail, paint });
    return [headRow(kept, paint)].concat(run.gate.rules.map(row));
  });
  const fitting = tables.find((rows) => naturalWidth(rows) <= width) ?? tables.at(-1) ?? [];
  return columns(fitting, width);
}

function ruleRow(
  run: Run,
  rule: RuleResult,
  options: { kept: readonly (typeof heads)[number][]; detail: Detail; paint: Paint },
): readonly TextCell[] {
  const words = ruleWords(run, rule);
  const outcome = options.detail === "bare" ? outcomeWords[rule.outcome] : words[options.detail];
  const cells: Readonly<Record<(typeof heads)[number], TextCell>> = {
    rule: cell(words.name, "left"),
    baseline: cell(words.baseline, "right"),
    now: cell(words.value, "right"),
    difference: cell(words.delta, "right"),
    interval: cell(words.interval, "left"),
    limit: cell(words.consequence, "left"),
    outcome: {
      ...cell(outcome, "left"),
      paint: (shown) => options.paint(outcomeStyles[rule.outcome], shown),
    },
  };
  return options.kept.map((head) => cells[head]);
}

/** Metrics for a run without rules. */
function metricTable(run: Run, width: number, paint: Paint): string {
  const values = run.metrics.filter((value) => value.slice === null && value.value !== null);
  if (values.length === 0) return "";
  const rows = values.map((value): readonly TextCell[] => {
    const unit = unitOf(run, value);
    return [
      cell(ruleName(run, value), "left"),
      cell(value.value === null ? "" : figure(value.value, unit), "right"),
      cell(value.ci === null ? "" : figureRange(value.ci, unit), "left"),
      cell(count(value.n), "right"),
    ];
  });
  return columns([headRow(["metric", "now", "95% interval", "cases"], paint), ...rows], width);
}

/** The candidates of a run with rules side by side; without rules the table of metrics already has them. */
export function candidateTable({ run, width }: TerminalInput, paint: Paint): string {
  if (run.gate.rules.length === 0) return "";
  const { candidates, rows } = compareCandidates(run);
  if (rows.length === 0) return "";
  const marked = (text: string, style: Style): TextCell =>
    Object.assign(cell(text, "right"), { paint: (shown: string) => paint(style, shown) });
  const body = rows.map(({ name, cells }): readonly TextCell[] =>
    [cell(name, "left")].concat(
      cells.map(({ value, best }) => (best ? marked(value, "bold") : cell(value, "right"))),
    ),
  );
  const names = candidates.map((id) => marked(id, "dim"));
  return columns([[...headRow(["metric"], paint), ...names], ...body], width);
}

function headRow(names: readonly string[], paint: Paint): readonly TextCell[] {
  return names.map((name) => ({
    text: name,
    align: rightAligned.includes(name) ? "right" : "left",
    paint: (shown) => paint("dim", shown),
  }));
}

const rightAligned: readonly string[] = ["baseline", "now", "difference", "cases"];

/** A cell of plain text, made safe for a terminal. */
export function cell(text: string, align: TextCell["align"]): TextCell {
  return { text: escapeLogLine(clip(text, 200)), align };
}
