import { createDigestTable } from "../../ledger/digest-table.ts";
import type { DigestTable } from "../../ledger/digest-table.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { ResultMetric, ResultRow } from "../../model/results.ts";
import { datasetRow } from "./sample.ts";

/** What the rows of one of the tool's groups have in common: a task. */
export interface TakenGroup {
  /** What the tool calls it; null where there is one only. */
  readonly name: string | null;
  /** Names as the tool has them; null where it has none. */
  readonly candidates: readonly (string | null)[];
  readonly rows: number;
  readonly cases: number;
  /** By the tool's number: 0, 1, 2 … in their order, as some count from 1 and some leave numbers out. */
  readonly repeats: ReadonlyMap<number, number>;
  /** The main one first; those that no row of the group has are left out. */
  readonly metrics: readonly ResultMetric[];
  /** Those that every row with a score has: a figure over the others would be one over some cases only. */
  readonly complete: ReadonlySet<string>;
  /** Names of what a row has beside its question and answer. */
  readonly fields: ReadonlySet<string>;
  /** The same whatever the order of the rows: of all its cases with their content. */
  readonly content: string;
}

interface Groups {
  readonly add: (taken: {
    readonly row: ResultRow;
    readonly caseId: string;
    readonly content: string;
  }) => void;
  /** What a file says of its metrics, after its rows. */
  readonly measure: (metrics: readonly ResultMetric[], file: string) => void;
  readonly end: () => readonly TakenGroup[];
}

interface Group {
  readonly candidates: Set<string | null>;
  readonly cases: DigestTable;
  /** By metric: how many rows have it. */
  readonly scored: Map<string, number>;
  scoredRows: number;
  readonly fields: Set<string>;
  rows: number;
  readonly repeats: Set<number>;
  content: bigint;
}

const width = 64;

/** Learns what groups there are while the rows go by. */
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
    // Where nothing has a score, what should have had one is still told.
    metrics: own.length === 0 ? metrics : own,
    complete: new Set(
      [...group.scored].flatMap(([id, rows]) => (rows === group.scoredRows ? [id] : [])),
    ),
    fields: group.fields,
    content: group.content.toString(16),
  };
}

/** Of several files: a range that holds for all of them. */
function merge(known: ResultMetric | undefined, metric: ResultMetric, file: string): ResultMetric {
  if (known === undefined) return metric;
  if (known.direction !== metric.direction)
    throw new Refusal(problem("results_direction", { metric: metric.id }, { file }));
  const { range } = known;
  const isSame = range?.[0] === metric.range?.[0] && range?.[1] === metric.range?.[1];
  return isSame ? known : { ...known, range: null };
}
