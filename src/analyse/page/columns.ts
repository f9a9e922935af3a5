import { isHash, wordsOfRow } from "../../base/row-words.ts";
import type { PageCase, PageCases, PageMetric, PagePlace } from "../../model/page.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { caseSlices, type CaseTable } from "../../gate/pairing/cases.ts";
import { unmatched } from "../../gate/pairing/matching.ts";
import { unitOf } from "../../report/words/figures.ts";
import { gainIn, type Queue, type QueuedCase } from "./queue.ts";
import { measuredMean, type MetricTable, type PlaceTable } from "./tables.ts";

/** The cases of a page, as columns. They are filled while the texts are read. */
interface Columns {
  /** Called once the next case's texts are written. */
  readonly sawTexts: (one: PageCase) => void;
  readonly whole: () => PageCases;
}

/** Columns for the listed cases; no texts have been seen yet. */
export function createColumns(run: Run, tables: readonly PlaceTable[], queue: Queue): Columns {
  const sliceSets = numbered<Readonly<Record<string, string>>>((set) => JSON.stringify(set));
  const errors = numbered<string>((text) => text);
  const error: number[] = [];
  const rows: Record<string, string> = {};
  return {
    sawTexts: ({ now, row }) => {
      const i = error.length;
      if (isHash(queue.cases[i]?.caseId ?? "")) rows[i] = wordsOfRow(row);
      const failed = now.find((sample) => sample.error !== null)?.error;
      error.push(failed ? errors.place(failed.type) : -1);
    },
    whole: () => {
      const slices = queue.cases.map(({ table, position }) =>
        sliceSets.place(caseSlices(table.cell.cases, position)),
      );
      return {
        total: queue.total,
        noted: queue.noted,
        withTexts: error.length,
        places: tables.map((table) => pagePlace(run, table)),
        sliceSets: sliceSets.all(),
        errors: errors.all(),
        rows,
        slices,
        error: queue.cases.map((_, i) => error[i] ?? -1),
        ...figuresOf(queue.cases),
        changes: changesOf(queue.cases),
      };
    },
  };
}

const noMetric = { metric: "", unit: "number", isBinary: false, higherIsBetter: true } as const;

function pagePlace(run: Run, { cell, metrics }: PlaceTable): PagePlace {
  const { task, candidate } = cell;
  const [main = noMetric, ...others] = metrics.map(({ metric }): PageMetric => ({
    metric: metric.id,
    unit: unitOf(run, { task, metric: metric.id }),
    isBinary: metric.scale === "binary",
    higherIsBetter: metric.higher_is_better,
  }));
  return { task, candidate, ...main, others };
}

type Figures = Pick<
  PageCases,
  | "id"
  | "place"
  | "flags"
  | "before"
  | "now"
  | "brokeIn"
  | "group"
  | "secondsBefore"
  | "seconds"
  | "usdBefore"
  | "usd"
>;

function figuresOf(cases: readonly QueuedCase[]): Figures {
  const measured = (metric: "latency_seconds" | "usd") =>
    cases.map((one) => shortFigure(measuredMean(one.table.cell.cases, one.position, metric)));
  const measuredBefore = (metric: "latency_seconds" | "usd") =>
    cases.map((one) => {
      const other = counterpartOf(one);
      return other === undefined ? null : shortFigure(measuredMean(other.cases, other.at, metric));
    });
  return {
    id: cases.map(({ caseId }) => caseId),
    place: cases.map(({ place }) => place),
    flags: cases.map(({ flags }) => flags),
    before: cases.map(({ table, position }) => figureAt(table.metrics[0]?.before, position)),
    now: cases.map(({ table, position }) => figureAt(table.metrics[0]?.now, position)),
    brokeIn: brokeInOf(cases),
    group: cases.map(({ group }) => group),
    seconds: measured("latency_seconds"),
    secondsBefore: measuredBefore("latency_seconds"),
    usd: measured("usd"),
    usdBefore: measuredBefore("usd"),
  };
}

function brokeInOf(cases: readonly QueuedCase[]): PageCases["brokeIn"] {
  const all: Record<string, string> = {};
  for (const [i, { table, metric }] of cases.entries())
    if (metric !== undefined && metric !== table.metrics[0]) all[i] = metric.metric.id;
  return all;
}

function counterpartOf({
  table,
  position,
}: QueuedCase): { readonly cases: CaseTable; readonly at: number } | undefined {
  const { counterpart } = table.cell;
  if (counterpart.kind === "absent") return undefined;
  const at = counterpart.matching.partner[position] ?? unmatched;
  return at === unmatched ? undefined : { cases: counterpart.cases, at };
}

/** Rounds to four digits, which are enough for a drawing. */
function shortFigure(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(4));
}

function figureAt(values: Float64Array | undefined, position: number): number | null {
  const value = values?.[position] ?? Number.NaN;
  return Number.isNaN(value) ? null : value;
}

function changesOf(cases: readonly QueuedCase[]): PageCases["changes"] {
  const all: Record<string, readonly (readonly [string, number, number])[]> = {};
  for (const [i, { table, position }] of cases.entries()) {
    const changed = table.metrics.filter((metric) => gainIn(metric, position) !== 0);
    if (changed.length > 0) all[i] = changed.map((metric) => changeIn(metric, position));
  }
  return all;
}

function changeIn({ metric, before, now }: MetricTable, position: number) {
  return [metric.id, before[position] ?? 0, now[position] ?? 0] as const;
}

/** Numbers distinct values; equal values get the same number. */
function numbered<T>(keyOf: (value: T) => string): {
  readonly place: (value: T) => number;
  readonly all: () => readonly T[];
} {
  const numbers = new Map<string, number>();
  const values: T[] = [];
  return {
    place: (value) => {
      const key = keyOf(value);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, values.length);
      return values.push(value) - 1;
    },
    all: () => values,
  };
}
