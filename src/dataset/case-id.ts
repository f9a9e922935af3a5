import { createDigestTable, ownText, shortDigest } from "../ledger/digest-table.ts";
import { kindOf, readField, valueText } from "../base/fields.ts";
import { canonicalJson, numberText } from "../model/json.ts";
import type { HashText } from "../model/ports/files.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import type { Case, Row } from "../model/outcomes/sample.ts";

/** A case's id from its row, or the reason why it has none. */
type RowId =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "none"; readonly problem: Problem };

/** Reads a row's own id: a text that is not blank, or a number in its original spelling. */
export function readId(row: Row, field: string, place: Place): RowId {
  const value = readField(row, field);
  if (value === undefined) {
    return { kind: "none", problem: problem("dataset_id_missing", { field }, place) };
  }
  const id = valueText(value);
  const isName = typeof value === "string" || numberText(value) !== undefined;
  if (isName && id.trim() !== "") return { kind: "id", id };
  const found = typeof value === "string" ? "empty" : kindOf(value);
  return { kind: "none", problem: problem("dataset_id_kind", { field, found }, place) };
}

/** How cases get their ids. */
export interface Naming {
  /** null: ids are made from the content. */
  readonly idField: string | null;
  /** Fields that only the target template uses: they are not part of the question. */
  readonly targetOnly: ReadonlySet<string>;
  readonly hashText: HashText;
  /** True if rows may share an id, because a preprocessor made several rows of one. */
  readonly copies?: boolean | undefined;
}

/** Numbers the rows that share an id, in order: `a`, `a-2`, `a-3`. */
export function createCopyNamer(hashText: HashText): (id: string) => string {
  const seen = createDigestTable();
  return (id) => {
    const digest = shortDigest(hashText(id));
    const count = (seen.get(digest) ?? 0) + 1;
    seen.set(digest, count);
    return count === 1 ? id : `${id}-${count}`;
  };
}

/**
 * Names the cases of one pass, in order. An id made from the content is the first 16 hexadecimal digits of the SHA-256
 * of the row's canonical JSON without the fields that only the target uses; equal rows get `-2`, `-3`, … `content` is
 * the same hash over the whole row except its id, which is not part of the question: it identifies a case whose id has
 * changed.
 */
export function createCaseNamer(naming: Naming): (row: Row, index: number) => Case {
  const seen = createDigestTable();
  const textsOf = createRowTexts(naming);
  const nameCopy = naming.copies === true ? createCopyNamer(naming.hashText) : ownName;
  // Short strings of their own: a run holds the ids and contents of all its cases in memory.
  const digest = (text: string): string => ownText(shortDigest(naming.hashText(text)));
  return (row, index) => {
    const { whole, asked } = textsOf(row);
    const content = digest(whole);
    if (naming.idField !== null) {
      const caseId = nameCopy(valueText(readField(row, naming.idField)));
      return { caseId, content, row, index };
    }
    const hash = asked === whole ? content : digest(asked);
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    return { caseId: count === 1 ? hash : `${hash}-${count}`, content, row, index };
  };
}

function ownName(id: string): string {
  return id;
}

/** A field's name, with the beginning of the field in canonical JSON. */
interface FieldStart {
  readonly name: string;
  readonly text: string;
  readonly isAsked: boolean;
}

/**
 * Makes two texts of a row in one walk: `canonicalJson` of the row without its id, and of that without the fields that
 * only the target uses.
 */
function createRowTexts({
  idField,
  targetOnly,
}: Naming): (row: Row) => { readonly whole: string; readonly asked: string } {
  // Most rows have the same fields as the previous one, in the same order.
  let names: readonly string[] = [];
  let starts: readonly FieldStart[] = [];
  return (row) => {
    const own = Object.keys(row);
    if (own.length !== names.length || own.some((name, i) => name !== names[i])) {
      names = own;
      starts = own
        .filter((name) => name !== idField)
        .toSorted()
        .map((name) => ({
          name,
          text: `${JSON.stringify(name)}:`,
          isAsked: !targetOnly.has(name),
        }));
    }
    let whole = "";
    let asked = "";
    for (const { name, text, isAsked } of starts) {
      const value = row[name] ?? null;
      const field =
        text + (typeof value === "object" ? canonicalJson(value) : JSON.stringify(value));
      whole += (whole === "" ? "{" : ",") + field;
      if (isAsked) asked += (asked === "" ? "{" : ",") + field;
    }
    return { whole: closed(whole), asked: closed(asked) };
  };
}

function closed(object: string): string {
  return object === "" ? "{}" : `${object}}`;
}
