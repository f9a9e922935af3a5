import { isSampleMetric } from "../../model/definition/metric.ts";
import type { MetricValue, Run } from "../../model/outcomes/run.ts";
import type { Block } from "./budget.ts";
import { figure, figureRange, unitOf } from "../words/figures.ts";
import { inlineCode, inlineText, table } from "./layout.ts";

/** The candidates of a run side by side: a row per metric, a cell per candidate. */
interface ComparisonReport {
  readonly candidates: readonly string[];
  readonly rows: readonly ComparedMetric[];
}

interface ComparedMetric {
  readonly name: string;
  readonly cells: readonly ComparedCell[];
}

interface ComparedCell {
  readonly value: string;
  /** Interval of the value; empty if unknown. */
  readonly interval: string;
  /** True if no other candidate has a better value. */
  readonly best: boolean;
}

/** Compares a run's candidates; no rows if there is only one. Regrade's own measurements follow a task's metrics. */
export function compareCandidates(run: Run): ComparisonReport {
  const candidates = run.candidates.map(({ id }) => id);
  if (candidates.length < 2) return { candidates, rows: [] };
  const values = run.metrics.filter(({ slice, value }) => slice === null && value !== null);
  const byName = Map.groupBy(values, ({ task, metric }) => `${task}/${metric}`);
  const rows = [...byName].map(([name, found]) => ({
    name,
    isOwn: found.some(({ metric }) => !isSampleMetric(metric)),
    cells: candidates.map((id) => cellOf(run, found, id)),
  }));
  return {
    candidates,
    rows: [...rows.filter((row) => row.isOwn), ...rows.filter((row) => !row.isOwn)],
  };
}

function cellOf(run: Run, found: readonly MetricValue[], candidate: string): ComparedCell {
  const own = found.find((value) => value.candidate === candidate);
  if (own === undefined || own.value === null) return { value: "–", interval: "", best: false };
  const unit = unitOf(run, own);
  const sign = own.higher_is_better ? 1 : -1;
  const scores = found.map(({ value }) => (value ?? Number.NaN) * sign);
  const isApart = scores.some((score) => score !== scores[0]);
  return {
    value: figure(own.value, unit),
    interval: own.ci === null ? "" : figureRange(own.ci, unit),
    best: isApart && own.value * sign === Math.max(...scores),
  };
}

/** Wider tables can't be read on a pull request: further candidates go into further tables. */
const columnsTogether = 6;

/** The candidates side by side, for the summary. */
export function comparisonBlock(run: Run): Block {
  const { candidates, rows } = compareCandidates(run);
  const parts: number[] = [];
  for (let from = 0; from < candidates.length; from += columnsTogether) parts.push(from);
  return {
    name: "candidates",
    rank: 2,
    rows: rows.length,
    render: (shown) => {
      if (shown === 0) return "";
      const tables = parts.map((from) => {
        const to = from + columnsTogether;
        const heads = ["Metric", ...candidates.slice(from, to).map((id) => inlineCode(id))];
        const body = rows
          .slice(0, shown)
          .map(({ name, cells }) => [inlineCode(name)].concat(cells.slice(from, to).map(cellText)));
        return table(heads, `l${"r".repeat(heads.length - 1)}`, body);
      });
      const note =
        "Bold: the best of its row. Whether it is better by more than chance, the intervals only hint at.";
      return [`**Candidates side by side**`, ...tables, note].join("\n\n");
    },
  };
}

function cellText({ value, interval, best }: ComparedCell): string {
  const shown = best ? `**${inlineText(value)}**` : inlineText(value);
  return interval === "" ? shown : `${shown}<br>${inlineText(interval)}`;
}
