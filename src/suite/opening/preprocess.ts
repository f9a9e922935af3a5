import { createUniqueIds } from "../../dataset/check.ts";
import { readRawRows, type DatasetTask } from "../../dataset/open.ts";
import { canonicalJson } from "../../model/json.ts";
import type { Scratch } from "../../model/ports/files.ts";
import type {
  Preprocessed,
  PreprocessorProgram,
  ProgramFile,
  ProgramSource,
  PythonTools,
} from "../../model/ports/programs.ts";
import { problem, Refusal, type Place, type Problem } from "../../model/refusal.ts";
import type { CodeSource, PreprocessSpec } from "../../model/definition/suite.ts";
import type { DatasetSpec } from "../../model/definition/dataset.ts";
import { preprocessorProblem } from "./preprocess-refused.ts";
import type { Tools } from "../../tools.ts";

/** Rows that a preprocessor made: a temporary file that `close` deletes. */
interface PreprocessedData {
  readonly rows: Pick<DatasetTask, "dataset" | "lineOf" | "copies">;
  /** SHA-256 of the source file. */
  readonly sourceHash: string;
  /** Hash over the preprocessor's code and its imports from the repository. */
  readonly code: string;
  readonly close: () => Promise<void>;
}

interface ToPreprocess {
  readonly dataset: DatasetSpec;
  readonly preprocess: PreprocessSpec;
  /** Turns a place in the preprocessor's own source into one that the user can open. */
  readonly at: (within: Place) => Place;
}

/** Tools that preprocessing needs. */
interface PreprocessTools extends Pick<Tools, "signal"> {
  readonly files: Tools["files"];
  readonly openPreprocessor: PythonTools["openPreprocessor"];
}

/** Sends all rows of a data set through a preprocessor, before the first sample; or returns the problems. */
export async function preprocessRows(
  toPreprocess: ToPreprocess,
  tools: PreprocessTools,
): Promise<{ readonly data: PreprocessedData } | { readonly problems: readonly Problem[] }> {
  const checked = await checkRows(toPreprocess.dataset, tools);
  if (checked.problems.length > 0) return checked;
  const { contract, timeout_seconds: timeoutSeconds, allow_read, source } = toPreprocess.preprocess;
  const allowRead = allow_read.map(({ absolute }) => absolute);
  const program = programSource(source);
  const opened = await tools.openPreprocessor({ contract, timeoutSeconds, allowRead, ...program });
  if ("refused" in opened) {
    const shown = { contract, file: program.shown, at: toPreprocess.at };
    return { problems: [preprocessorProblem(opened.refused, shown)] };
  }
  try {
    return await transform({ ...toPreprocess, program: opened.program, checked }, tools);
  } finally {
    await opened.program.close();
  }
}

interface Checked {
  readonly problems: readonly Problem[];
  readonly rows: number;
  readonly hash: string;
  /** True if each row has a unique id: rows made from the same row may then share it. */
  readonly hasIds: boolean;
}

const problemsListed = 20;

/** Checks all rows: an unreadable row is a mistake in the data, and is reported before any user code runs. */
async function checkRows(dataset: DatasetSpec, { files }: PreprocessTools): Promise<Checked> {
  const problems: Problem[] = [];
  let rows = 0;
  const ids = createUniqueIds(dataset.id_field, files.hashText);
  const raw = readRawRows(dataset, files);
  try {
    for await (const batch of raw.rows) {
      for (const read of batch) {
        if (read.kind === "row") {
          rows += 1;
          ids.add(read.row, read.line);
        } else if (problems.length < problemsListed) problems.push(read.problem);
      }
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    problems.push(...error.problems);
  }
  if (rows === 0 && problems.length === 0) {
    problems.push(problem("dataset_no_rows", undefined, { file: dataset.file.path }));
  }
  return { problems, rows, hash: raw.hash(), hasIds: ids.areUnique() };
}

function programSource(source: CodeSource): Extract<ProgramSource, { readonly shown: string }> {
  switch (source.kind) {
    case "inline":
      return { kind: "source", text: source.text, shown: "<preprocess>" };
    case "file": {
      const { absolute, path } = source.file;
      return { kind: "file", absolutePath: absolute, shown: path };
    }
  }
}

interface Transforming extends ToPreprocess {
  readonly program: PreprocessorProgram;
  readonly checked: Checked;
}

async function transform(
  work: Transforming,
  tools: PreprocessTools,
): ReturnType<typeof preprocessRows> {
  const { dataset, preprocess, program, checked } = work;
  const scratch = await tools.files.openScratch();
  try {
    const into = { scratch, lines: [] };
    const done =
      preprocess.contract === "row"
        ? await eachRow(work, into, tools)
        : await allRows(work, into, tools);
    await scratch.finish();
    if (done.problems.length > 0) {
      await scratch.remove();
      return done;
    }
    const { contract } = preprocess;
    const made = madeOf(dataset, { scratch, lines: into.lines, contract });
    const rows = { ...made, ...(checked.hasIds && { copies: copiesBy[contract] }) };
    const code = codeHash(program.files, tools);
    return { data: { rows, sourceHash: checked.hash, code, close: scratch.remove } };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

/** A batch's result does not tell from which row each new row was made. */
const copiesBy = { row: "same_line", batch: "any" } as const;

interface Into {
  readonly scratch: Scratch;
  /** Line of the source row, for each new row. */
  readonly lines: number[];
}

/** Number of rows that Python has at once; their order is kept. */
const rowsAtOnce = 256;

async function eachRow(
  work: Transforming,
  into: Into,
  tools: PreprocessTools,
): Promise<{ readonly problems: readonly Problem[] }> {
  const waiting: Waiting[] = [];
  let row = 0;
  for await (const { text, line } of rawRows(work, tools)) {
    row += 1;
    const made = work.program.row(text);
    // Each row is awaited in its turn, and may fail before that.
    made.catch(() => undefined);
    waiting.push({ row, line, made });
    const next = waiting.length < rowsAtOnce ? undefined : waiting.shift();
    const failed = next && (await keep(next, work, into));
    if (failed !== undefined) return { problems: [failed] };
  }
  for (const next of waiting) {
    const failed = await keep(next, work, into);
    if (failed !== undefined) return { problems: [failed] };
  }
  return { problems: noneLeft(into.lines.length, work) };
}

interface Waiting {
  readonly row: number;
  readonly line: number;
  readonly made: Promise<Preprocessed>;
}

async function keep(
  { row, line, made }: Waiting,
  { dataset }: Transforming,
  { scratch, lines }: Into,
): Promise<Problem | undefined> {
  const done = await made;
  if (done.kind === "failed") {
    return problem("preprocess_failed", { ...done, row }, { file: dataset.file.path, line });
  }
  for (const text of done.rows) {
    await scratch.append(text);
    lines.push(line);
  }
  return undefined;
}

async function allRows(
  work: Transforming,
  { scratch }: Into,
  tools: PreprocessTools,
): Promise<{ readonly problems: readonly Problem[] }> {
  const { dataset, program } = work;
  const done = await program.batch(textsOf(rawRows(work, tools)));
  if (done.kind === "failed") {
    const found = { ...done, row: undefined };
    return { problems: [problem("preprocess_failed", found, { file: dataset.file.path })] };
  }
  for (const text of done.rows) await scratch.append(text);
  return { problems: noneLeft(done.rows.length, work) };
}

function noneLeft(made: number, { dataset, checked }: Transforming): readonly Problem[] {
  if (made > 0) return [];
  return [problem("preprocess_no_rows", { rows: checked.rows }, { file: dataset.file.path })];
}

interface RawRow {
  /** JSON, with numbers as their author wrote them. */
  readonly text: string;
  readonly line: number;
}

async function* rawRows(
  { dataset, checked }: Transforming,
  { files, signal }: PreprocessTools,
): AsyncGenerator<RawRow> {
  const changed = (): Refusal =>
    new Refusal(problem("dataset_changed", undefined, { file: dataset.file.path }));
  const raw = readRawRows(dataset, files);
  for await (const batch of raw.rows) {
    if (signal.aborted) throw new Refusal(problem("stopped_early", undefined), { exit: 130 });
    for (const read of batch) {
      if (read.kind === "bad") throw changed();
      yield { text: JSON.stringify(read.row), line: read.line };
    }
  }
  if (raw.hash() !== checked.hash) throw changed();
}

async function* textsOf(rows: AsyncIterable<RawRow>): AsyncGenerator<string> {
  for await (const { text } of rows) yield text;
}

/** The position of a new row: the source row's line if it is known. Rows of a batch have their own numbers. */
function madeOf(
  dataset: DatasetSpec,
  { scratch, lines, contract }: Into & { readonly contract: PreprocessSpec["contract"] },
): PreprocessedData["rows"] {
  const { path } = dataset.file;
  const spec = { ...dataset, format: "jsonl" as const };
  if (contract === "batch") {
    return {
      dataset: { ...spec, file: { path: `${path} (preprocessed)`, absolute: scratch.absolute } },
    };
  }
  return {
    dataset: { ...spec, file: { path, absolute: scratch.absolute } },
    lineOf: (line) => lines[line - 1] ?? line,
  };
}

/** Hashed like a grader: the main file by its content, the others also by name, because imports use the names. */
function codeHash(files: readonly ProgramFile[], { files: { hashText } }: PreprocessTools): string {
  const [main, ...imported] = files;
  const imports = imported.map(({ path, sha256 }) => [path, sha256]);
  return hashText(canonicalJson({ code: main?.sha256 ?? null, imports }));
}
