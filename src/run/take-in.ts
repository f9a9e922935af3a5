import { createDigestTable, shortDigest } from "../ledger/digest-table.ts";
import type { DigestTable } from "../ledger/digest-table.ts";
import { createLedger } from "../ledger/ledger.ts";
import type { Ledger } from "../model/figures/ledger.ts";
import { measuredOf } from "../model/definition/metric.ts";
import { digestSample } from "../model/outcomes/sample.ts";
import type { Sample, SampleDigest, ScoreRow } from "../model/outcomes/sample.ts";
import type { RunStore } from "../model/ports/store.ts";
import { nothingSpent } from "../model/figures/spent.ts";
import type { Baseline } from "../verdict/conclude.ts";
import { describeRun } from "../verdict/describe.ts";
import type { Executed, Execution } from "./execute.ts";
import type { PreparedTask } from "../suite/opening/open-task.ts";
import { sampleIdFor } from "./plan.ts";
import type { Prepared } from "../suite/prepare.ts";
import { createRunTotals, type RunTotals } from "../verdict/run-totals.ts";
import type { Tools } from "../tools.ts";
import type { RecordedPart, RecordedRun } from "../suite/imported/prepare.ts";
import { counted } from "../report/words/figures.ts";
import { datasetRow, sampleOf } from "../suite/imported/sample.ts";
import type { TakenResults } from "../suite/imported/take.ts";
import type { TakenRow } from "../suite/imported/scratch-rows.ts";

/** Inputs for reading results into a run. */
interface TakingIn {
  readonly request: Execution["request"];
  readonly prepared: Prepared;
  readonly recorded: RecordedRun;
  readonly store: Pick<
    RunStore,
    | "directory"
    | "runId"
    | "createdAt"
    | "recordSample"
    | "seal"
    | "finished"
    | "earlier"
    | "attempts"
  >;
  readonly baseline: Baseline;
}

interface RowCaches {
  readonly ledger: Ledger;
  readonly totals: RunTotals;
  /** Ids of the samples. */
  readonly written: DigestTable;
}

/** Records every row of the results as a sample of the run. Nothing is asked and nothing graded. */
export async function takeIn(work: TakingIn, tools: Tools): Promise<Executed> {
  const { prepared, recorded, store, baseline } = work;
  const started = tools.now();
  const rowCaches = {
    ledger: createLedger(),
    totals: createRunTotals(),
    written: createDigestTable(),
  };
  for (const { taken } of recorded.parts) tools.report({ kind: "note", text: takenWords(taken) });
  try {
    for (const part of recorded.parts) await takePart(part, { ...work, ...rowCaches }, tools);
  } finally {
    await store.seal();
  }
  const seconds = (tools.now() - started) / 1000;
  const { totals, ledger } = rowCaches;
  const request = { ...work.request, outputsFrom: work.request.scoredBy };
  const made = { request, prepared, store, totals: totals, seconds, batches: [] };
  const draft = describeRun({ ...made, stopped: undefined }, tools);
  return { draft, ledger, baseline, spent: nothingSpent };
}

async function takePart(
  part: RecordedPart,
  work: TakingIn & RowCaches,
  tools: Tools,
): Promise<void> {
  const { prepared, recorded } = work;
  const slots = new Set(prepared.candidates.map(({ id }) => id));
  const moment = new Date(tools.now()).toISOString();
  const nameSample = sampleIdFor(tools.files.hashText);
  const counts = new Map<string, number>();
  for await (const row of part.taken.rows()) {
    // A stopped run is incomplete, and its status says so.
    if (tools.signal.aborted) return;
    const candidate = recorded.slotOf(row.candidate);
    if (!slots.has(candidate)) continue;
    for (const { id: task, group } of part.tasks) {
      const own = prepared.tasks.find(({ spec }) => spec.id === task);
      if (own === undefined || group.name !== row.task) continue;
      const index = counts.get(task) ?? 0;
      counts.set(task, index + 1);
      const place = group.repeats.get(row.repeat ?? 0) ?? 0;
      const idAt = (repeat: number): string => nameSample([task, candidate, row.case_id, repeat]);
      const repeat = takeEarlier({ row, task: own, candidate, place, idAt }, work);
      const id = idAt(repeat);
      const digest = shortDigest(tools.files.hashText(id));
      // Duplicates were refused before, because a row must never silently replace another one.
      if (work.written.set(digest, index) !== undefined)
        throw new RangeError(`${row.at} would be written over another row: sample ${id}`);
      const { runId } = work.store;
      const sample = sampleOf(row, { id, runId, task, candidate, repeat, index, moment });
      await work.store.recordSample(sample);
      note({ row, sample, task: own }, work);
    }
  }
}

/** Takes over earlier attempts' samples of the row's case, and returns the row's repeat index after them. */
function takeEarlier(
  at: {
    readonly row: TakenRow;
    readonly task: PreparedTask;
    readonly candidate: string;
    readonly place: number;
    readonly idAt: (repeat: number) => string;
  },
  { store, ledger, totals }: TakingIn & RowCaches,
): number {
  const { task, candidate, row } = at;
  let repeat = at.place;
  for (; store.earlier?.has(at.idAt(repeat)); repeat += task.spec.repeats) {
    const digest = store.finished.get(at.idAt(repeat));
    if (digest === undefined) break;
    totals.addEarlier(digest);
    ledger.add(scoreRow({ row, candidate, repeat, dataset_row: datasetRow(row) }, digest, task));
  }
  return repeat;
}

function note(
  taken: { readonly row: TakenRow; readonly sample: Sample; readonly task: PreparedTask },
  { totals, ledger }: RowCaches,
): void {
  const { row, sample, task } = taken;
  const digest = digestSample(sample);
  totals.add(digest);
  const { model: candidate, repeat, dataset_row } = sample;
  ledger.add(scoreRow({ row, candidate, repeat, dataset_row }, digest, task));
}

function scoreRow(
  of: Pick<Sample, "repeat" | "dataset_row"> & {
    readonly row: TakenRow;
    readonly candidate: string;
  },
  digest: SampleDigest,
  task: PreparedTask,
): ScoreRow {
  return {
    task: task.spec.id,
    case_id: of.row.case_id,
    content: of.row.content,
    candidate: of.candidate,
    repeat: of.repeat,
    outcome: digest.outcome,
    scores: digest.outcome === "scored" ? digest.scores : {},
    cluster: task.clusterOf(of.dataset_row),
    slices: task.slicesOf(of.dataset_row),
    measured: measuredOf(digest, false),
    ...(of.row.judged_by !== undefined && { judged_by: of.row.judged_by }),
  };
}

function takenWords({ files, tool, groups }: TakenResults): string {
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const [first] = files;
  const where = files.length === 1 ? (first?.path ?? "") : counted(files.length, "file");
  return `${counted(rows, "result")} of ${tool} read from ${where}: nothing is run`;
}
