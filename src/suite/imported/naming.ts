import { createDigestTable, type DigestTable } from "../../ledger/digest-table.ts";
import { valueText } from "../../base/fields.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FoundFile } from "../../model/ports/files.ts";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import type { ResultRow } from "../../model/results.ts";

/** Limit of reported problems of one kind. */
const toldAtMost = 20;

/** A case that occurs twice. `first`: the number of its earlier row. */
interface Twice {
  readonly id: string;
  readonly at: string;
  readonly file: number;
  readonly first: number;
}

/** A larger number is not a repeat: most likely it is a time or a seed. */
const mostRepeats = 9999;

/** Refuses a repeat index that can't be one. */
export function refuseRepeat({ at, repeat }: ResultRow, file: string): void {
  if (repeat === null || repeat <= mostRepeats) return;
  const expected = `a number up to ${mostRepeats}`;
  const said = { at, field: "repeat", found: String(repeat), expected };
  throw new Refusal(problem("results_field", said, { file }));
}

interface Naming {
  /** Called when another file begins. */
  readonly begin: () => void;
  /** The case's id; undefined if the id occurred already. Throws a Refusal if nothing identifies the case. */
  readonly name: (row: ResultRow, file: string) => string | undefined;
  readonly found: () => { readonly twice: readonly Twice[]; readonly overlapping: number };
  readonly fileOf: (ordinal: number) => number;
}

/**
 * Names cases by the tool's own id, else by the question. The same question twice in a file is two cases, as in a data
 * set; a repeated id, or a case in two files, is an error.
 */
export function createNaming(digest: (text: string) => string): Naming {
  const seen: DigestTable = createDigestTable();
  const counts: DigestTable = createDigestTable();
  const starts: number[] = [];
  const twice: Twice[] = [];
  let [ordinal, overlapping] = [0, 0];
  const fileOf = (at: number): number => starts.findLastIndex((start) => start <= at);
  return {
    fileOf,
    begin: () => void starts.push(ordinal),
    found: () => ({ twice, overlapping }),
    name: ({ id, input, task, candidate, repeat, at }, file) => {
      if (id === null && (input === null || input === "")) {
        const said = { at, field: "id", found: "missing", expected: "an id, or an input," };
        throw new Refusal(problem("results_field", said, { file }));
      }
      const own = id ?? digest(canonicalJson(input));
      // A row without a repeat counts as the first repeat.
      const keyOf = (caseId: string): string =>
        digest(JSON.stringify([task, candidate, repeat ?? 0, caseId]));
      const key = keyOf(own);
      const first = seen.get(key);
      if (first === undefined) {
        seen.set(key, ordinal);
        ordinal += 1;
        return own;
      }
      const isOverlap = fileOf(first) !== starts.length - 1;
      if (isOverlap) overlapping += 1;
      if (isOverlap || id !== null) {
        if (twice.length < toldAtMost) twice.push({ id: own, at, file: starts.length - 1, first });
        return undefined;
      }
      let count = counts.get(key) ?? 1;
      // An id of the tool may look like an id that was made here.
      do count += 1;
      while (seen.get(keyOf(`${own}-${count}`)) !== undefined);
      counts.set(key, count);
      seen.set(keyOf(`${own}-${count}`), ordinal);
      ordinal += 1;
      return `${own}-${count}`;
    },
  };
}

/** The problem of a case that occurs twice. */
export function sayTwice(
  twice: readonly Twice[],
  known: {
    readonly files: readonly FoundFile[];
    readonly places: ReadonlyMap<number, string>;
    readonly overlapping: number;
    readonly fileOf: (ordinal: number) => number;
  },
): readonly Problem[] {
  const { files, places, overlapping, fileOf } = known;
  let isOverlapTold = false;
  return twice.flatMap(({ id, at, file, first }) => {
    const place = { file: files[file]?.path ?? "" };
    const there = places.get(first) ?? "";
    const other = files[fileOf(first)]?.path ?? "";
    if (fileOf(first) === file)
      return [problem("results_duplicate", { id, at, first: there }, place)];
    // One report is enough, because overlapping files have hundreds of common cases.
    if (isOverlapTold) return [];
    isOverlapTold = true;
    const said = { id, at, first: `${other} (${there})`, count: overlapping };
    return [problem("results_overlap", said, place)];
  });
}

/**
 * The question, which shows that a case with another id is the same. Without an input the id is used: otherwise any
 * other case could replace one that is missing.
 */
export function questionOf({ input, target }: ResultRow, caseId: string): JsonObject {
  return isEmpty(input) ? { case: caseId, target } : { input, target };
}

/** True for the row of an error that lacks its input or its target: most tools leave out what was not reached. */
export function lacksQuestion({ result, input, target }: ResultRow): boolean {
  if (result.kind === "scored") return false;
  const parts = isJsonObject(input) ? Object.values(input) : [];
  return target === null || target === "" || isEmpty(input) || parts.some(isEmpty);
}

function isEmpty(value: Json): boolean {
  return ["", "{}", "[]"].includes(valueText(value).trim()) || value === null;
}
