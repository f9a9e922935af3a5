import { createHash } from "node:crypto";
import { createDigestTable, shortDigest, type DigestTable } from "../ledger/digest-table.ts";
import { createLineDecoder, createLineSplitter, type Line, type LineText } from "../base/lines.ts";
import { nearest } from "../base/nearest.ts";
import type { HashText, ReadBytes } from "../model/ports/files.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import { readRecording, type Recording, type ReplaySpec } from "./recording.ts";

/** The sample that a recording answers; undefined parts match all. */
export type RecordingKey = Pick<Recording, "caseId" | "taskId" | "repeat">;

/** Byte offset of each recording's line; the lines themselves are not kept. */
export interface RecordingIndex {
  readonly offsetOf: (key: RecordingKey) => number | undefined;
  /** True if some line has that precision, so that look-ups can skip precisions that no line has. */
  readonly has: (key: { readonly task: boolean; readonly repeat: boolean }) => boolean;
  /** The first case ids. */
  readonly some: readonly string[];
  /** SHA-256 of the file's bytes. */
  readonly hash: string;
  /** Memory that the index holds, in bytes. */
  readonly bytes: () => number;
}

const problemsListed = 20;
const modelsListed = 20;
const idsNamed = 3;

/** Reads a file of recordings once and remembers where each line is. */
export async function indexRecordings(
  spec: ReplaySpec,
  tools: { readonly readBytes: ReadBytes; readonly hashText: HashText },
): Promise<{ readonly index: RecordingIndex } | { readonly problems: readonly Problem[] }> {
  const scan = newScan(spec, tools.hashText);
  const sha256 = createHash("sha256");
  const splitter = createLineSplitter();
  for await (const chunk of tools.readBytes(spec.file.absolute)) {
    sha256.update(chunk);
    for (const line of splitter.push(chunk)) addLine(scan, line);
  }
  for (const line of splitter.end()) addLine(scan, line);
  const problems = await scanProblems(scan, tools.readBytes);
  if (problems.length > 0) return { problems };
  return { index: indexOf(scan, `sha256:${sha256.digest("hex")}`) };
}

/** State of reading a file. */
interface Scan {
  readonly spec: ReplaySpec;
  readonly digestOf: (key: RecordingKey) => string;
  readonly decode: (line: Line) => LineText;
  readonly offsets: DigestTable;
  readonly forms: Set<string>;
  readonly models: Set<string>;
  /** The first case ids. */
  readonly some: Set<string>;
  readonly problems: Problem[];
  readonly duplicates: Duplicate[];
  /** Number of problems and duplicates that are not listed. */
  unlisted: number;
  hasSamples: boolean;
}

interface Duplicate {
  readonly caseId: string;
  readonly firstOffset: number;
  readonly line: number;
}

function newScan(spec: ReplaySpec, hashText: HashText): Scan {
  return {
    spec,
    digestOf: ({ caseId, taskId, repeat }) =>
      shortDigest(hashText(JSON.stringify([taskId ?? null, caseId, repeat ?? null]))),
    decode: createLineDecoder(),
    offsets: createDigestTable(),
    forms: new Set(),
    models: new Set(),
    some: new Set(),
    problems: [],
    duplicates: [],
    unlisted: 0,
    hasSamples: false,
  };
}

function addLine(scan: Scan, line: Line): void {
  const place: Place = { file: scan.spec.file.path, line: line.number };
  const text = scan.decode(line);
  if (text.kind === "unreadable") {
    note(scan, scan.problems, problem("replay_bad_line", text, place));
    return;
  }
  if (text.text.trim() === "") return;
  const read = readRecording(text.text, scan.spec, place);
  if (read.kind === "recording") addRecording(scan, read.recording, line);
  else if (!isTorn(scan, line, read.problem)) note(scan, scan.problems, read.problem);
}

/** True for an incomplete last line of a journal, whose run was stopped while writing. */
function isTorn(scan: Scan, line: Line, found: Problem): boolean {
  return scan.hasSamples && !line.complete && found.code === "replay_bad_line";
}

function addRecording(scan: Scan, recording: Recording, line: Line): void {
  const { model, isSample, caseId, taskId, repeat } = recording;
  if (isSample) scan.hasSamples = true;
  if (model !== undefined && scan.models.size < modelsListed) scan.models.add(model);
  if (scan.spec.model !== undefined && model !== scan.spec.model) return;
  if (scan.some.size < idsNamed) scan.some.add(caseId);
  scan.forms.add(formOf(taskId !== undefined, repeat !== undefined));
  const firstOffset = scan.offsets.set(scan.digestOf(recording), line.offset);
  if (firstOffset === undefined || isSample) return;
  note(scan, scan.duplicates, { caseId, firstOffset, line: line.number });
}

function note<T>(scan: Scan, list: T[], item: T): void {
  if (list.length < problemsListed) list.push(item);
  else scan.unlisted += 1;
}

function formOf(task: boolean, repeat: boolean): string {
  return `${task ? "task" : ""}/${repeat ? "repeat" : ""}`;
}

function indexOf({ offsets, forms, some, digestOf }: Scan, hash: string): RecordingIndex {
  return {
    offsetOf: (key) => offsets.get(digestOf(key)),
    has: ({ task, repeat }) => forms.has(formOf(task, repeat)),
    some: [...some],
    hash,
    bytes: offsets.bytes,
  };
}

/**
 * All problems of the file. The choice of a model comes first, because two lines of different models are no duplicates.
 */
async function scanProblems(scan: Scan, readBytes: ReadBytes): Promise<readonly Problem[]> {
  const { spec, problems, duplicates } = scan;
  const choice = modelProblem(scan);
  if (choice !== undefined) return capped(scan, [...problems, choice]);
  const offsets = new Set(duplicates.map(({ firstOffset }) => firstOffset));
  const numbers = await lineNumbers(spec, readBytes, offsets);
  const twice = duplicates.map(({ caseId, firstOffset, line }) => {
    const firstLine = numbers.get(firstOffset) ?? 0;
    return problem("replay_duplicate", { caseId, firstLine }, { file: spec.file.path, line });
  });
  return capped(scan, [...problems, ...twice]);
}

/**
 * The problem with the choice of a model's lines: several models but no choice, an unknown model, or no lines at all.
 */
function modelProblem({ spec, models, offsets, problems }: Scan): Problem | undefined {
  const place = { file: spec.file.path };
  const known = [...models].toSorted();
  if (spec.model === undefined && models.size > 1) {
    return problem("replay_several_models", { models: known.join(", ") }, place);
  }
  if (offsets.size() > 0 || problems.length > 0) return undefined;
  if (spec.model === undefined) return problem("replay_empty", undefined, place);
  const found = {
    model: spec.model,
    known: known.length === 0 ? "no line that names a model" : known.join(", "),
    nearest: nearest(spec.model, known),
  };
  return problem("replay_model_missing", found, place);
}

function capped(scan: Scan, problems: readonly Problem[]): readonly Problem[] {
  const rest = Math.max(0, problems.length - problemsListed) + scan.unlisted;
  if (rest === 0) return problems;
  const more = problem("dataset_more_problems", { count: rest }, { file: scan.spec.file.path });
  return [...problems.slice(0, problemsListed), more];
}

/** Line numbers of some lines. The file is read again for them, which only a file with duplicates needs. */
async function lineNumbers(
  spec: ReplaySpec,
  readBytes: ReadBytes,
  offsets: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> {
  const numbers = new Map<number, number>();
  if (offsets.size === 0) return numbers;
  const splitter = createLineSplitter();
  for await (const chunk of readBytes(spec.file.absolute)) {
    for (const { offset, number } of splitter.push(chunk)) {
      if (offsets.has(offset)) numbers.set(offset, number);
    }
  }
  return numbers;
}
