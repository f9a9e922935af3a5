import type { LedgerGroup } from "../../model/figures/ledger.ts";
import type { SampleReader } from "../../model/ports/store.ts";
import { caseCluster, caseOutcome, type CaseTable, widthOf } from "../../gate/pairing/cases.ts";
import { unmatched } from "../../gate/pairing/matching.ts";
import type { Cell } from "../../gate/pairing/sides.ts";
import { batchSample } from "../batch.ts";
import { baselineSide, type Baseline } from "../../verdict/conclude.ts";
import type { PreparedTask } from "../../suite/opening/open-task.ts";
import { sampleIdFor } from "../plan.ts";
import { isOver } from "../grade-again/samples.ts";
import { readForBatch } from "../grade-again/batch.ts";
import type { RunContext } from "../context.ts";

/** The samples of both sides in the form that a batch grader receives, case by case. */
export interface Arms {
  /** Number of cases whose sides may be swapped: they differ and have a grade on both sides. */
  readonly cases: number;
  /** Cluster of each of these cases; undefined if each is its own cluster. */
  readonly clusters: readonly (string | null)[] | undefined;
  /** For each case of head: its lines on both sides, and the swap that exchanges them; undefined if none does. */
  readonly pairs: readonly ArmPair[];
  readonly lines: number;
}

interface ArmPair {
  readonly head: readonly string[];
  readonly base: readonly string[];
  readonly swap: number | undefined;
}

/** Limit of the texts that are held in memory while they are graded repeatedly. */
const mostCharacters = 128 * 1024 * 1024;

interface ToRead {
  readonly cell: Cell;
  readonly task: PreparedTask;
  readonly baseline: Extract<Baseline, { readonly kind: "run" }>;
}

/** Reads both sides of a task and candidate. undefined if an output is missing, or if they are too large for memory. */
export async function readArms(
  { cell, task, baseline }: ToRead,
  context: RunContext,
): Promise<Arms | undefined> {
  const { counterpart } = cell;
  if (counterpart.kind === "absent") return undefined;
  const side = baselineSide(baseline, {});
  const stored =
    side.kind === "run" ? side.ledger.group(cell.task, counterpart.candidate) : undefined;
  if (stored === undefined) return undefined;
  await baseline.stored.fetchTexts?.();
  const readers = {
    head: await context.store.openSamples(),
    base: await context.tools.openSamples(baseline.stored.directory),
  };
  try {
    const head = lineReader({ group: cell.cases.group, reader: readers.head, task }, context);
    const base = lineReader({ group: stored, reader: readers.base, task }, context);
    return await pairUp({ cell, head, base }, context);
  } finally {
    await readers.head.close();
    await readers.base.close();
  }
}

type ReadLines = (table: CaseTable, position: number) => Promise<readonly string[] | undefined>;

async function pairUp(
  { cell, head, base }: { readonly cell: Cell; readonly head: ReadLines; readonly base: ReadLines },
  context: RunContext,
): Promise<Arms | undefined> {
  const { cases: table, counterpart } = cell;
  if (counterpart.kind === "absent") return undefined;
  const name = namer({ task: cell.task, candidate: cell.candidate }, context);
  const pairs: ArmPair[] = [];
  const clusters: (string | null)[] = [];
  let [lines, characters] = [0, 0];
  for (const [position, id] of table.ids.entries()) {
    const other = counterpart.matching.partner[position] ?? unmatched;
    if (other === unmatched) return undefined;
    const [here, there] = [await head(table, position), await base(counterpart.cases, other)];
    if (here === undefined || there === undefined || isOver(context)) return undefined;
    const ungraded = [caseOutcome(table, position), caseOutcome(counterpart.cases, other)];
    const isFixed = ungraded.includes("ungraded") || isSame(here, there);
    const swap = isFixed ? undefined : clusters.length;
    if (!isFixed) clusters.push(caseCluster(counterpart.cases, other));
    const named = { head: name(id, here), base: name(id, there) };
    pairs.push({ ...named, swap });
    for (const line of [...named.head, ...named.base]) characters += line.length;
    lines += named.head.length + named.base.length;
    if (characters > mostCharacters) return undefined;
  }
  const known = clusters.some((cluster) => cluster !== null);
  return { cases: clusters.length, clusters: known ? clusters : undefined, pairs, lines };
}

/** Reads the lines that a batch grader receives for a case, with its repeats in order; undefined if one is missing. */
function lineReader(
  source: {
    readonly group: LedgerGroup;
    readonly reader: SampleReader;
    readonly task: PreparedTask;
  },
  context: RunContext,
): ReadLines {
  return async (table, position) => {
    const lines: string[] = [];
    const width = widthOf(table);
    for (let repeat = 0; repeat < width; repeat += 1) {
      const i = table.samples[position * width + repeat] ?? -1;
      if (i < 0) continue;
      const found = await readForBatch(i, source, context);
      if (found === "lost") return undefined;
      if (found.sample !== undefined) lines.push(JSON.stringify(batchSample(found.sample)));
    }
    return lines;
  };
}

/** A grader must not see a sample's side: ids and names are those of this run. */
function namer(
  { task, candidate }: { readonly task: string; readonly candidate: string },
  { tools }: RunContext,
): (caseId: string, lines: readonly string[]) => readonly string[] {
  const makeId = sampleIdFor(tools.files.hashText);
  return (caseId, lines) =>
    lines.map((line, repeat) => {
      const sample: object = JSON.parse(line);
      const sample_id = makeId([task, candidate, caseId, repeat]);
      return JSON.stringify({ ...sample, sample_id, model: candidate });
    });
}

/**
 * Whether two sides have equal answers, so that a swap changes nothing. The candidate's name and the id are not part of
 * an answer.
 */
function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, i) => answer(line) === answer(other[i]));
}

function answer(line: string | undefined): string {
  const sample: object = JSON.parse(line ?? "{}");
  return JSON.stringify({ ...sample, sample_id: "", model: "", response_id: "" });
}
