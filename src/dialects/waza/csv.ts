import { CsvError, parse } from "csv-parse/sync";
import { relative, resolve } from "node:path";
import { at, fieldsOf, itemsOf, numberOf, type Part, placeOf } from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import { refuseValue, isGiven, scalarText, type WazaEval } from "./eval.ts";
import type { WazaTask } from "./tasks.ts";
import { fillGoTemplate } from "./template.ts";

/** Reads the tasks of a CSV file: each row is a task, whose prompt is made from a template. */
export async function readCsvTasks(file: WazaEval): Promise<readonly WazaTask[]> {
  const part = at(file.root, "tasks_from");
  const text = await readCsv(part, file);
  if (text === undefined) return [];
  const table = rowsOf(text, part, file);
  if (table === undefined) return [];
  const [header = [], ...all] = table;
  const rows = inRange(all, file);
  if (rows.length === 0) {
    const reason =
      all.length === 0
        ? "it has a header and no row"
        : `\`range\` leaves none of its ${all.length} rows`;
    file.refuse(problem("waza_csv", { reason }, placeOf(part)));
  }
  if (rows.length > mostRows) {
    const reason = `it has ${rows.length} rows, and ${mostRows} are taken: choose some by \`range\``;
    file.refuse(problem("waza_csv", { reason }, placeOf(part)));
    return [];
  }
  return rows.map((row, i) => {
    const columns = Object.fromEntries(header.map((name, column) => [name, row[column] ?? ""]));
    return taskOf(columns, { number: i + 1, part, file });
  });
}

async function readCsv(part: Part, file: WazaEval): Promise<string | undefined> {
  const { tools } = file;
  const path = typeof part.value === "string" ? part.value : undefined;
  if (path === undefined) return refuseValue(part, "the path of a CSV file", file);
  const absolute = resolve(tools.directory, path);
  const way = relative(tools.directory, absolute);
  const text = way.startsWith("..") ? undefined : await tools.readText(absolute);
  if (text !== undefined) return text;
  const reason = way.startsWith("..")
    ? `the path ${JSON.stringify(path)} leads out of this file's folder`
    : `there is no file ${JSON.stringify(path)}`;
  return file.refuse(problem("waza_csv", { reason }, placeOf(part)));
}

function rowsOf(
  text: string,
  part: Part,
  file: WazaEval,
): readonly (readonly string[])[] | undefined {
  const refuse = (reason: string): undefined =>
    file.refuse(problem("waza_csv", { reason }, placeOf(part)));
  try {
    const rows: readonly (readonly string[])[] = parse(text, { bom: true, skip_empty_lines: true });
    return rows.length === 0 ? refuse("it is empty") : rows;
  } catch (error) {
    if (error instanceof CsvError) return refuse(error.message);
    throw error;
  }
}

/** Limit of rows that a manifest itself may contain. */
const mostRows = 10_000;

/** `range`: the first and the last row, counted from 1; [0, 0] means all rows. */
function inRange<T>(rows: readonly T[], file: WazaEval): readonly T[] {
  const part = at(file.root, "range");
  if (!isGiven(part)) return rows;
  const [first, last, ...others] = itemsOf(part).map(numberOf);
  const isPair = first !== undefined && last !== undefined && others.length === 0;
  if (!isPair || ![first, last].every((each) => Number.isSafeInteger(each) && each >= 0)) {
    refuseValue(part, "two whole numbers: the first and the last row, counted from 1", file);
    return [];
  }
  if (first === 0 && last === 0) return rows;
  if (first === 0 || first > last) {
    refuseValue(part, "a range whose first row is 1 or more, and not after the last", file);
    return [];
  }
  return rows.slice(first - 1, last);
}

function taskOf(
  columns: Readonly<Record<string, string>>,
  { number, part, file }: { readonly number: number; readonly part: Part; readonly file: WazaEval },
): WazaTask {
  const named = columns["name"] ?? "";
  const name = named === "" ? `row-${number}` : named;
  const id = columns["id"] ?? "";
  const inputs = Object.fromEntries(
    fieldsOf(at(file.root, "inputs")).flatMap(([key, field]) => {
      const text = scalarText(field, file);
      return text === undefined ? [] : [[key, text] as const];
    }),
  );
  const filled = fillGoTemplate(columns["prompt"] ?? "", { vars: { ...inputs, ...columns }, name });
  if ("fault" in filled) {
    const found = { template: columns["prompt"] ?? "", reason: filled.fault };
    file.refuse(problem("waza_template", found, placeOf(part)));
  }
  const prompt = "text" in filled ? filled.text : "";
  return {
    id: id === "" ? name : id,
    name,
    prompt,
    files: [],
    context: undefined,
    checks: [],
    tags: [],
    part,
  };
}
