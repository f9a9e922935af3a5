import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { at, type Part, placeOf, textOf } from "../../base/part.ts";
import { jsonObjectIn } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import { type DialectTools, pathInDocument } from "../dialect.ts";
import { type Traced, traced, tracedFields } from "../origin.ts";
import { complain, hideValues, type KEvalConfig, mapping, requiredText } from "./config.ts";

/** The data set of a config, with its keys as templates. */
export interface Questions {
  readonly dataset: Traced | undefined;
  readonly prompt: Traced | undefined;
  readonly target: Traced | undefined;
  /** The hash by which k-eval's files identify the data. */
  readonly sha256: string | undefined;
}

/**
 * Reads the data set and the keys of its rows. Every line is checked, because a missing answer would count as an empty
 * one.
 */
export async function readQuestions(config: KEvalConfig): Promise<Questions> {
  const part = mapping(at(config.root, "dataset"), ["path", "question_key", "answer_key"], config);
  const path = requiredText(part, "path", config);
  hideValues(textOf(at(part, "path")) ?? "", config);
  const keys = ["question_key", "answer_key"].map((key) => readKey(part, key, config));
  const [question, answer] = keys;
  const file = path && (await findFile(path, at(part, "path"), config));
  const text = file && ((await config.tools.readText(file)) ?? "");
  if (text !== undefined && question !== undefined && answer !== undefined)
    checkRows(
      text,
      {
        part,
        keys: {
          [question]: shownKey(part, "question_key"),
          [answer]: shownKey(part, "answer_key"),
        },
      },
      config,
    );
  const template = (key: string | undefined, name: string): Traced | undefined =>
    key === undefined ? undefined : traced(`{{${key}}}`, placeOf(at(part, name)));
  const place = placeOf(at(part, "path"));
  return {
    dataset: file
      ? tracedFields(
          {
            file: traced(pathInDocument(file, config.tools), place),
            format: traced("jsonl", place),
            // k-eval does not know ids, so several rows may have the same `id`.
            id_field: traced(null, place),
          },
          place,
        )
      : undefined,
    prompt: template(question, "question_key"),
    target: template(answer, "answer_key"),
    sha256: text === undefined ? undefined : createHash("sha256").update(text).digest("hex"),
  };
}

function readKey(part: Part, name: string, config: KEvalConfig): string | undefined {
  const key = requiredText(part, name, config);
  if (key === undefined || !/[{}"\n]/.test(key)) return key;
  return complain(at(part, name), "a key without braces, quotes and line ends", config);
}

/**
 * Finds the data file. k-eval resolves paths from where it is started; here that is this file's folder, or else the
 * repository's.
 */
async function findFile(
  path: string,
  part: Part,
  { tools, refuse }: KEvalConfig,
): Promise<string | undefined> {
  for (const folder of foldersOf(tools)) {
    const file = resolve(folder, path);
    if (await tools.isThere(file)) return file;
  }
  return refuse(problem("k_eval_dataset_missing", { path: textOf(part) ?? "" }, placeOf(part)));
}

function foldersOf({ directory, root }: DialectTools): readonly string[] {
  return [directory, root];
}

/** Limit of rows that are reported. */
const mostTold = 20;

function checkRows(
  text: string,
  { part, keys }: { readonly part: Part; readonly keys: Readonly<Record<string, string>> },
  { refuse }: KEvalConfig,
): void {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  let told = 0;
  for (const [i, line] of lines.entries()) {
    const reason = line.trim() === "" ? undefined : faultOf(line, keys);
    if (reason === undefined) continue;
    told += 1;
    if (told > mostTold) return;
    refuse(problem("k_eval_row", { line: i + 1, reason }, placeOf(at(part, "path"))));
  }
}

/** A key as it is written in the config. */
function shownKey(part: Part, name: string): string {
  return textOf(at(part, name)) ?? "";
}

/** The fault of a line, or undefined. `keys`: the required keys, each with its description. */
function faultOf(line: string, keys: Readonly<Record<string, string>>): string | undefined {
  const row = jsonObjectIn(line);
  if (row === undefined) return "is no JSON object";
  const missing = Object.entries(keys).flatMap(([key, shown]) =>
    Object.hasOwn(row, key) ? [] : [shown],
  );
  return missing.length === 0 ? undefined : `lacks ${missing.join(" and ")}`;
}
