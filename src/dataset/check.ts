import { createDigestTable, shortDigest } from "../ledger/digest-table.ts";
import { deepestNesting, isDeeper } from "../model/json.ts";
import type { HashText } from "../model/ports/files.ts";
import { countProblems, problem, type Place, type Problem } from "../model/refusal.ts";
import type { Row } from "../model/outcomes/sample.ts";
import { isLargerThan, mostRowBytes } from "../base/written-size.ts";
import { createCopyNamer, readId } from "./case-id.ts";
import type { Rows } from "./rows.ts";

/** Result of the first pass over a data set. */
export interface Checked {
  readonly size: number;
  readonly fields: ReadonlySet<string>;
  /** The field that names the cases; null: they are named by their content. */
  readonly idField: string | null;
  /** The first 20 problems, and the number of further ones. Empty if the rows can be used. */
  readonly problems: readonly Problem[];
}

const problemsListed = 20;

/** Which rows may share an id: those that a preprocessor made of one line's row, or all rows that it made. */
export type Copies = "same_line" | "any";

interface RowsOfTask {
  readonly file: string;
  /** undefined: none. */
  readonly copies?: Copies | undefined;
  readonly idField: string | null | undefined;
  /** Further checks of the task for each row. */
  readonly checkRow?: ((row: Row, place: Place) => readonly Problem[]) | undefined;
}

/** Reads every row once and checks it. If `idField` is undefined, `id` is used if the first row has it. */
export async function checkRows(
  rows: Rows,
  task: RowsOfTask,
  hashText: HashText,
): Promise<Checked> {
  const problems = createProblemList();
  const fields = new Set<string>();
  let checkId: ((row: Row, place: Place) => Problem | undefined) | undefined;
  let idField = task.idField;
  let size = 0;
  for await (const batch of rows) {
    for (const read of batch) {
      if (read.kind === "bad") {
        problems.add(read.problem);
        continue;
      }
      const { row, line } = read;
      size += 1;
      for (const field of Object.keys(row)) fields.add(field);
      if (idField === undefined) idField = Object.hasOwn(row, "id") ? "id" : null;
      checkId ??= createIdCheck({ ...task, idField }, hashText);
      const place = { file: task.file, line };
      problems.add(checkId(row, place));
      for (const found of task.checkRow?.(row, place) ?? []) problems.add(found);
    }
  }
  const listed = problems.list();
  const found = size > 0 ? listed : ofAnotherFormat(listed);
  return { size, fields, idField: idField ?? null, problems: found };
}

/** One problem instead of many if not even two rows are JSON: most likely the file has another format. */
function ofAnotherFormat(problems: readonly Problem[]): readonly Problem[] {
  const [first, second] = problems;
  if (first?.code !== "dataset_bad_row" || second?.code !== "dataset_bad_row") return problems;
  const found = { rows: countProblems(problems), first: first.message };
  return [problem("dataset_no_row_read", found, first.place)];
}

/** Checks the id of each row, and remembers it. */
function createIdCheck(
  { idField: field, copies }: RowsOfTask & { readonly idField: string | null },
  hashText: HashText,
): (row: Row, place: Place) => Problem | undefined {
  if (field === null) return (row, place) => shapeProblem(row, place);
  const lines = createLinesOfIds(hashText);
  const nameCopy = copies && createCopyNamer(hashText);
  return (row, place) => {
    const read = readId(row, field, place);
    if (read.kind === "none") return read.problem;
    const { id } = read;
    const { line = 0 } = place;
    const name = nameCopy?.(id) ?? id;
    const firstLine = lines(id, line);
    if (firstLine === undefined) return shapeProblem(row, place);
    const isCopy = name !== id && (copies === "any" || firstLine === line);
    const taken = isCopy ? lines(name, line) : firstLine;
    return taken === undefined
      ? shapeProblem(row, place)
      : problem("dataset_id_duplicate", { field, id: isCopy ? name : id, firstLine: taken }, place);
  };
}

/** Tells whether all rows have ids, each a different one. The check is called for each row, and once at the end. */
export function createUniqueIds(
  idField: string | null | undefined,
  hashText: HashText,
): { readonly add: (row: Row, line: number) => void; readonly areUnique: () => boolean } {
  const field = idField ?? "id";
  const lines = createLinesOfIds(hashText);
  let areUnique = idField !== null;
  return {
    add: (row, line) => {
      if (!areUnique) return;
      const read = readId(row, field, { file: "" });
      areUnique = read.kind === "id" && lines(read.id, line) === undefined;
    },
    areUnique: () => areUnique,
  };
}

/** Number of ids remembered as text; each further one takes 25 bytes. */
const idsHeld = 20_000;

/** Returns the line where the id occurred first, or remembers this line. */
function createLinesOfIds(hashText: HashText): (id: string, line: number) => number | undefined {
  const held = new Map<string, number>();
  const others = createDigestTable();
  return (id, line) => {
    const firstLine = held.get(id);
    if (firstLine !== undefined) return firstLine;
    if (held.size < idsHeld) {
      held.set(id, line);
      return undefined;
    }
    const digest = shortDigest(hashText(id));
    const before = others.get(digest);
    if (before === undefined) others.set(digest, line);
    return before;
  };
}

function shapeProblem(row: Row, place: Place): Problem | undefined {
  const reason = unfitting(row);
  return reason === undefined ? undefined : problem("dataset_bad_row", { reason }, place);
}

/** The reason why a row can't be part of a sample; undefined if it can. */
function unfitting(row: Row): string | undefined {
  if (isDeeper(row, deepestNesting)) return `it is nested more than ${deepestNesting} levels deep`;
  return isLargerThan(mostRowBytes, row)
    ? `it takes more than ${mostRowBytes / 1024 / 1024} MiB as JSON; name large files in it, and let the candidate read them`
    : undefined;
}

function createProblemList(): {
  readonly add: (found: Problem | undefined) => void;
  readonly list: () => readonly Problem[];
} {
  const listed: Problem[] = [];
  let count = 0;
  return {
    add: (found) => {
      if (found === undefined) return;
      count += 1;
      if (listed.length < problemsListed) listed.push(found);
    },
    list: () => {
      const more = count - listed.length;
      return more === 0
        ? listed
        : [...listed, problem("dataset_more_problems", { count: more }, lastFile(listed))];
    },
  };
}

function lastFile(problems: readonly Problem[]): Place | undefined {
  const place = problems.at(-1)?.place;
  return place && { file: place.file };
}
