import { createDigestTable } from "../../ledger/digest-table.ts";
import type { DigestTable } from "../../ledger/digest-table.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { ResultMetric, ResultRow } from "../../model/results.ts";
import { datasetRow } from "./sample.ts";

/** Common properties of the rows in one of the tool's groups, which becomes a task. */
export interface TakenGroup {
  /** The tool's name for the group; null if there is only one. */
  readonly name: string | null;
  /** The candidates' names in the tool; null if the tool has none. */
  readonly candidates: readonly (string | null)[];
  readonly rows: number;
  readonly cases: number;
  /**
   * Repeat index (0, 1, 2 …) by the tool's number, in ascending order: some tools count from 1, some leave numbers out.
   */
  readonly repeats: ReadonlyMap<number, number>;
  /** The main metric comes first; metrics without any row in the group are left out. */
  readonly metrics: readonly ResultMetric[];
  /** Metrics that every scored row has: the value of any other would cover only some cases. */
  readonly complete: ReadonlySet<string>;
  /** Names of a row's fields besides question and answer. */
  readonly fields: ReadonlySet<string>;
  /** Hash of all its cases with their content, independent of the rows' order. */
  readonly content: string;
}

interface Groups {
  readonly add: (taken: {
    readonly row: ResultRow;
    readonly caseId: string;
    readonly content: string;
  }) => void;
  /** Adds a file's description of its metrics, after its rows. */
  readonly measure: (metrics: readonly ResultMetric[], file: string) => void;
  readonly end: () => readonly TakenGroup[];
}

interface Group {
  readonly candidates: Set<string | null>;
  readonly cases: DigestTable;
  /** Number of rows with a score, by metric. */
  readonly scored: Map<string, number>;
  scoredRows: number;
  readonly fields: Set<string>;
  rows: number;
  readonly repeats: Set<number>;
  content: bigint;
}

const width = 64;

/** Collects groups while rows are read. */
export function createGroups(digest: (text: string) => string): Groups {
  const groups = new Map<string | null, Group>();
  const metrics = new Map<string, ResultMetric>();
  return {
    add: ({ row, caseId, content }) => {
      const group = groups.get(row.task) ?? newGroup();
      groups.set(row.task, group);
      const repeat = row.repeat ?? 0;
      group.candidates.add(row.candidate);
      group.rows += 1;
      group.repeats.add(repeat);
      if (row.result.kind === "scored") group.scoredRows += 1;
      for (const id of Object.keys(row.scores))
        group.scored.set(id, (group.scored.get(id) ?? 0) + 1);
      for (const name of Object.keys(datasetRow(row))) group.fields.add(name);
      const key = digest(JSON.stringify([caseId, content]));
      if (group.cases.set(key, 1) === undefined)
        group.content = BigInt.asUintN(width, group.content + BigInt(`0x${key}`));
    },
    measure: (found, file) => {
      for (const metric of found)
        metrics.set(metric.id, merge(metrics.get(metric.id), metric, file));
    },
    end: () => [...groups].map(([name, group]) => describe(name, group, [...metrics.values()])),
  };
}

function newGroup(): Group {
  return {
    candidates: new Set(),
    cases: createDigestTable(),
    scored: new Map(),
    scoredRows: 0,
    fields: new Set(),
    rows: 0,
    repeats: new Set(),
    content: 0n,
  };
}

function describe(name: string | null, group: Group, metrics: readonly ResultMetric[]): TakenGroup {
  const own = metrics.filter(({ id }) => group.scored.has(id));
  return {
    name,
    candidates: [...group.candidates],
    rows: group.rows,
    cases: group.cases.size(),
    repeats: new Map([...group.repeats].toSorted((a, b) => a - b).map((repeat, i) => [repeat, i])),
    // If no row has a score, all declared metrics are reported.
    metrics: own.length === 0 ? metrics : own,
    complete: new Set(
      [...group.scored].flatMap(([id, rows]) => (rows === group.scoredRows ? [id] : [])),
    ),
    fields: group.fields,
    content: group.content.toString(16),
  };
}

/** Merges the descriptions of a metric in several files: its range must hold for all of them. */
function merge(known: ResultMetric | undefined, metric: ResultMetric, file: string): ResultMetric {
  if (known === undefined) return metric;
  if (known.direction !== metric.direction)
    throw new Refusal(problem("results_direction", { metric: metric.id }, { file }));
  const { range } = known;
  const isSame = range?.[0] === metric.range?.[0] && range?.[1] === metric.range?.[1];
  return isSame ? known : { ...known, range: null };
}
