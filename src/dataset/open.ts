import { createHash, type Hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { readField } from "../base/fields.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import type { Dataset, DatasetFormat, DatasetSpec } from "../model/definition/dataset.ts";
import type { HashText, ReadBytes } from "../model/ports/files.ts";
import { problem, Refusal, type Place, type Problem } from "../model/refusal.ts";
import type { Case, Row } from "../model/outcomes/sample.ts";
import { createCaseNamer, type Naming } from "./case-id.ts";
import { checkRows, type Checked, type Copies } from "./check.ts";
import { readCsv } from "./csv.ts";
import { readJsonl } from "./jsonl.ts";
import { asLines } from "./remote/array-lines.ts";
import { bytesKept, keepRows, type RowsInMemory } from "./keep.ts";
import type { Rows } from "./rows.ts";

/** A task's settings for its data. */
export interface DatasetTask {
  readonly dataset: DatasetSpec;
  /** The fields that only `target_template` uses. */
  readonly targetOnly: ReadonlySet<string>;
  /** Maps a line of the file to the original line, for messages, if the file was made from another one. */
  readonly lineOf?: (line: number) => number;
  /** Limit of the file's size, in bytes, up to which its rows are kept in memory. Default: `bytesKept`. */
  readonly keptUpTo?: number;
  /** Which rows may share an id; undefined: none. */
  readonly copies?: Copies | undefined;
  /** Further checks of a row, in addition to the general ones. */
  readonly checkRow?: (row: Row, place: Place) => readonly Problem[];
}

/** Reads the rows of a data set, with numbers as written; the hash of the file is known after all rows are read. */
export function readRawRows(
  spec: DatasetSpec,
  { readBytes }: DatasetTools,
): { readonly rows: Rows; readonly hash: () => string } {
  const meter = createMeter();
  const bytes = meter.through(bytesOf(spec, readBytes));
  return { rows: readRows({ dataset: spec }, bytes), hash: meter.hash };
}

export interface DatasetTools {
  readonly readBytes: ReadBytes;
  readonly hashText: HashText;
}

/** A data set that is ready to run, or all its problems. */
export type DatasetOpened =
  | { readonly dataset: Dataset }
  | { readonly problems: readonly Problem[] };

/** Reads a data set once, from beginning to end, before its first sample is run; a small one is then kept in memory. */
export async function openDataset(task: DatasetTask, tools: DatasetTools): Promise<DatasetOpened> {
  try {
    const { checked, hash, bytes, kept } = await check(task, tools);
    const problems = allProblems(checked, { bytes, file: task.dataset.file.path });
    if (problems.length > 0) return { problems };
    const naming = {
      idField: checked.idField,
      targetOnly: task.targetOnly,
      hashText: tools.hashText,
      copies: task.copies !== undefined,
    };
    const named = kept && (await nameRows(kept, naming));
    return {
      dataset: {
        hash,
        size: checked.size,
        fields: checked.fields,
        cases: () =>
          named === undefined
            ? readCases(task, { readBytes: tools.readBytes, naming, hash })
            : inTurn(named),
      },
    };
  } catch (error) {
    if (error instanceof Refusal) return { problems: error.problems };
    throw error;
  }
}

interface FirstPass {
  readonly checked: Checked;
  readonly hash: string;
  readonly bytes: number;
  /** undefined: there are too many rows to keep. */
  readonly kept: RowsInMemory | undefined;
}

type FileOfRows = Pick<DatasetTask, "dataset" | "lineOf" | "keptUpTo" | "checkRow" | "copies">;

async function check(from: FileOfRows, tools: DatasetTools): Promise<FirstPass> {
  const { dataset: spec } = from;
  const meter = createMeter();
  const bytes = meter.through(bytesOf(spec, tools.readBytes));
  const keeper = keepRows(meter.bytes, from.keptUpTo ?? bytesKept);
  // While rows are only checked, the text of a number matters only if it is a case's id.
  const needsSource = (row: Json): boolean =>
    keeper.isKeeping() || hasNumberAsId(row, spec.id_field);
  const rows = keeper.through(readRows(from, bytes, needsSource));
  const { checkRow, copies } = from;
  const task = { file: spec.file.path, idField: spec.id_field, checkRow, copies };
  const checked = await checkRows(rows, task, tools.hashText);
  return { checked, hash: meter.hash(), bytes: meter.bytes(), kept: keeper.kept() };
}

function allProblems(
  checked: Checked,
  read: { readonly bytes: number; readonly file: string },
): readonly Problem[] {
  if (read.bytes === 0) return [problem("dataset_empty", undefined, { file: read.file })];
  if (checked.size > 0 || checked.problems.length > 0) return checked.problems;
  return [problem("dataset_no_rows", undefined, { file: read.file })];
}

function bytesOf({ file, inline }: DatasetSpec, readBytes: ReadBytes): ReturnType<ReadBytes> {
  return inline === undefined ? readBytes(file.absolute) : inMemory(inline.text);
}

async function* inMemory(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** `needsSource` tells whether the text of a row's numbers matters; undefined: always. */
function readRows(
  { dataset: spec, lineOf }: FileOfRows,
  bytes: AsyncIterable<Uint8Array>,
  needsSource?: (row: Json) => boolean,
): Rows {
  const lines = spec.inline?.lines;
  const inManifest = lines && ((line: number): number => lines[line - 1] ?? line);
  return readers[spec.format](bytes, {
    file: spec.file.path,
    needsSource,
    lineOf: lineOf ?? inManifest,
  });
}

/** Readers by format. */
const readers: Readonly<Record<DatasetFormat, typeof readJsonl>> = {
  jsonl: readJsonl,
  json: (chunks, reading) => readJsonl(asLines(chunks), reading),
  csv: (bytes, { file }) => readCsv(bytes, file),
};

function hasNumberAsId(row: Json, idField: string | null | undefined): boolean {
  if (idField === null || !isJsonObject(row)) return false;
  return typeof readField(row, idField ?? "id") === "number";
}

/** Names kept rows. It yields to other work regularly, because Python starts at the same time and needs answers. */
async function nameRows(kept: RowsInMemory, naming: Naming): Promise<readonly (readonly Case[])[]> {
  const name = createCaseNamer(naming);
  const named: (readonly Case[])[] = [];
  let index = 0;
  for (const batch of kept) {
    const cases = batch.map((row, i) => name(row, index + i));
    named.push(cases);
    index += cases.length;
    await nextTurn();
  }
  return named;
}

async function* inTurn<T>(batches: readonly T[]): AsyncGenerator<T> {
  yield* batches;
}

/**
 * The second pass over rows that were too many to keep. If the file has changed since the check, the run stops, because
 * it would mix two data sets.
 */
async function* readCases(
  from: FileOfRows,
  known: { readonly readBytes: ReadBytes; readonly naming: Naming; readonly hash: string },
): AsyncGenerator<readonly Case[]> {
  const { dataset: spec } = from;
  const changed = (): Refusal =>
    new Refusal(problem("dataset_changed", undefined, { file: spec.file.path }));
  const meter = createMeter();
  const bytes = meter.through(bytesOf(spec, known.readBytes));
  const name = createCaseNamer(known.naming);
  let index = 0;
  for await (const batch of readRows(from, bytes)) {
    yield batch.map((read) => {
      if (read.kind === "bad") throw changed();
      index += 1;
      return name(read.row, index - 1);
    });
  }
  if (meter.hash() !== known.hash) throw changed();
}

/** Hashes and counts bytes as they pass. */
function createMeter(): {
  readonly through: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  readonly hash: () => string;
  readonly bytes: () => number;
} {
  const hash: Hash = createHash("sha256");
  let bytes = 0;
  return {
    through: async function* through(chunks) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    hash: () => `sha256:${hash.digest("hex")}`,
    bytes: () => bytes,
  };
}
