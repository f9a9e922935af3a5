import { shortDigest } from "../../ledger/digest-table.ts";
import { canonicalJson } from "../../model/json.ts";
import { longestLineBytes } from "../../base/lines.ts";
import type { FoundFile, HashText, Scratch } from "../../model/ports/files.ts";
import { problem, Refusal, type Place } from "../../model/refusal.ts";
import type { ResultFormat, ResultMetric, ResultRow, ResultsFrom } from "../../model/results.ts";
import { readCsv } from "../../dataset/csv.ts";
import { readJsonl } from "../../dataset/jsonl.ts";
import { openResultFile } from "../../results/open.ts";
import type { ResultShape, ResultSource } from "../../results/source.ts";
import type { FileTools } from "../../tools.ts";
import { createGroups, type TakenGroup } from "./groups.ts";
import { firstPlaces, readTaken, type TakenRow } from "./scratch-rows.ts";
import { createContents } from "./contents.ts";
import { refuseRepeat, createNaming, sayTwice } from "./naming.ts";

/** Results that were read completely, checked and stored: they contain no more errors. */
export interface TakenResults {
  readonly format: ResultFormat;
  /** The tool and its version, if the first file tells. */
  readonly tool: string;
  readonly files: readonly FoundFile[];
  /** SHA-256 over the stored rows. */
  readonly hash: string;
  readonly groups: readonly TakenGroup[];
  /** Files that judged the rows, as the tool names them; some of them, if there are very many. */
  readonly judges: readonly string[];
  /** The rows in the order in which they were read. */
  readonly rows: () => AsyncIterable<TakenRow>;
  readonly remove: () => Promise<void>;
}

/** The results to read, and where the suite requests them. */
interface ToTake {
  readonly from: ResultsFrom;
  /** Ids of the metrics to read; empty: the tool's own. */
  readonly metrics: readonly string[];
  readonly directory: string;
  /** No file may lie outside of it; undefined: any readable file. */
  readonly root: string | undefined;
  readonly place: Place | undefined;
  /** Stops the reading; then there is no result. */
  readonly signal: AbortSignal;
}

type Files = Pick<
  FileTools,
  "readBytes" | "openFile" | "openScratch" | "hashText" | "findResultFiles" | "findBeside"
>;

/**
 * Reads all result files into one private file, one row per line, with bounded memory, and collects facts about them.
 * Throws a Refusal with all problems before anything of a run exists.
 */
export async function takeResults(toTake: ToTake, files: Files): Promise<TakenResults> {
  const found = await files.findResultFiles(toTake.from.paths, toTake);
  const scratch = await files.openScratch();
  try {
    const taking = createTaking(scratch, files.hashText);
    const judges = new Set<string>();
    for (const file of found) await takeFile(file, { toTake, files, taking, judges });
    await scratch.finish();
    const rows = (): AsyncIterable<TakenRow> =>
      taking.completed(readTaken(files.readBytes(scratch.absolute)));
    await taking.refuse(found, rows);
    return {
      ...taking.end(found),
      judges: [...judges],
      files: found,
      rows,
      remove: scratch.remove,
    };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

async function takeFile(
  file: FoundFile,
  {
    toTake,
    files,
    taking,
    judges,
  }: {
    readonly toTake: ToTake;
    readonly files: Files;
    readonly taking: Taking;
    readonly judges: Set<string>;
  },
): Promise<void> {
  const { from, metrics } = toTake;
  const shape: ResultShape = { metrics, fields: from.columns };
  const source = sourceOf(file, files);
  const readers = { jsonl: readLines, csv: readCsv };
  const { format, opened } = await openResultFile({ source, format: from.format, shape }, readers);
  taking.begin(file, { format, tool: opened.tool });
  let rows = 0;
  for await (const row of opened.rows) {
    rows += 1;
    if (toTake.signal.aborted)
      throw new Refusal(problem("stopped_early", undefined), { exit: 130 });
    for (const judge of row.judges ?? []) if (judges.size < mostJudges) judges.add(judge);
    await taking.add(row);
  }
  if (rows === 0) throw new Refusal(problem("results_none", undefined, { file: file.path }));
  taking.measure(opened.metrics(), file);
}

/** Numbers are read by value: `51.0` and `51` are the same input. */
function readLines(bytes: AsyncIterable<Uint8Array>, file: string): ReturnType<typeof readJsonl> {
  return readJsonl(bytes, { file, needsSource: () => false });
}

function sourceOf(file: FoundFile, files: Files): ResultSource {
  return {
    path: file.path,
    size: file.size,
    bytes: () => files.readBytes(file.absolute),
    open: () => files.openFile(file.absolute),
    beside: async (name) => {
      const found = await files.findBeside(file, name);
      return found && sourceOf(found, files);
    },
  };
}

interface Kind {
  readonly format: ResultFormat;
  readonly tool: string;
}

interface Taking {
  readonly begin: (file: FoundFile, kind: Kind) => void;
  readonly add: (row: ResultRow) => Promise<void>;
  readonly measure: (metrics: readonly ResultMetric[], file: FoundFile) => void;
  /** The stored rows, with the content of their case where a row lacks its question and another repeat has it. */
  readonly completed: (rows: AsyncIterable<TakenRow>) => AsyncIterable<TakenRow>;
  /** Throws a Refusal if cases occur twice; finds the first of each pair among the stored rows. */
  readonly refuse: (
    files: readonly FoundFile[],
    rows: () => AsyncIterable<TakenRow>,
  ) => Promise<void>;
  readonly end: (
    files: readonly FoundFile[],
  ) => Pick<TakenResults, "format" | "tool" | "hash" | "groups">;
}

function createTaking(scratch: Scratch, hashText: HashText): Taking {
  const digest = (text: string): string => shortDigest(hashText(text));
  const naming = createNaming(digest);
  const groups = createGroups(digest);
  const contents = createContents(digest);
  const kinds: Kind[] = [];
  const begun: FoundFile[] = [];
  let hash = "";
  return {
    begin: (file, kind) => {
      const [first] = kinds;
      const { format } = kind;
      if (first !== undefined && first.format !== format) {
        const said = { format, first: begun[0]?.path ?? "", other: first.format };
        throw new Refusal(problem("results_mixed", said, { file: file.path }));
      }
      kinds.push(kind);
      begun.push(file);
      naming.begin();
    },
    add: async (row) => {
      const file = begun.at(-1)?.path ?? "";
      refuseRepeat(row, file);
      const caseId = naming.name(row, file);
      if (caseId === undefined) return;
      const content = contents.of(row, caseId);
      groups.add({ row, caseId, content });
      const line = JSON.stringify({ ...withDigest(row, digest), case_id: caseId, content });
      if (isTooLong(line)) throw tooLarge(row, caseId, file);
      hash = hashText(hash + line);
      await scratch.append(line);
    },
    measure: (metrics, file) => groups.measure(metrics, file.path),
    completed: contents.completed,
    refuse: async (files, rows) => {
      const { twice, overlapping } = naming.found();
      if (twice.length === 0) return;
      const wanted = new Set(twice.map(({ first }) => first));
      const places = await firstPlaces(rows(), wanted);
      throw new Refusal(sayTwice(twice, { files, places, overlapping, fileOf: naming.fileOf }));
    },
    end: (files) => {
      const [kind] = kinds;
      if (kind === undefined) throw new RangeError(`no file of ${files.length} was read`);
      return { ...kind, hash, groups: groups.end() };
    },
  };
}

const mostJudges = 1000;

/** The row with a digest of how it was judged, which alone is compared. */
function withDigest(
  { judgedBy, judges: _judges, ...row }: ResultRow,
  digest: (text: string) => string,
): Omit<TakenRow, "case_id" | "content"> {
  return judgedBy === undefined ? row : { ...row, judged_by: digest(canonicalJson(judgedBy)) };
}

function tooLarge({ at }: ResultRow, caseId: string, file: string): Refusal {
  // The id itself may be what is too large.
  const said = { at: `${at}, case '${caseId.slice(0, 100)}'`, most: "16 MiB" };
  return new Refusal(problem("results_row_too_large", said, { file }));
}

/** Whether a line is too long to be read back, as stored rows and samples are. */
function isTooLong(line: string): boolean {
  return line.length * 3 > mostRowBytes && Buffer.byteLength(line) > mostRowBytes;
}

/** A sample contains the question twice: as it was, and as a prompt, in which quotes are escaped. */
const mostRowBytes = longestLineBytes / 4;
