import { isJsonObject, type Json } from "../model/json.ts";
import { tooDeepWords } from "../base/answer-json.ts";
import { parseJsonText } from "../base/json-text.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Problem } from "../model/refusal.ts";
import type { OpenedResults } from "../model/results.ts";
import type { ReadTable } from "./rows.ts";
import type { LooksLike, ResultShape, ResultSource } from "./source.ts";
import { openTable } from "./table.ts";

/** Opens JSON lines with an object for each answer. `read`: reads the lines. */
export async function openJsonl(
  source: ResultSource,
  shape: ResultShape,
  read: ReadTable,
): Promise<OpenedResults> {
  if (await isList(source))
    throw new Refusal(problem("results_list", undefined, { file: source.path }));
  const explain = async (found: Problem): Promise<Problem> => {
    const isWhole = found.message.includes(tooDeepWords);
    if (isWhole || !(await isLastLine(source, found.place?.line))) return found;
    const at = `line ${found.place?.line ?? 0}`;
    return problem("results_truncated", { at, of: "a row" }, { file: source.path });
  };
  return openTable({ tool: "jsonl", source, shape, read, texts: false, explain });
}

/** True for a file that is one list. */
async function isList(source: ResultSource): Promise<boolean> {
  for await (const chunk of source.bytes()) {
    const text = new TextDecoder()
      .decode(chunk)
      .replace(/^\ufeff/, "")
      .trimStart();
    if (text !== "") return text.startsWith("[");
  }
  return false;
}

const newline = 0x0a;

/** True for the last line of a file without a final line end: its writer was interrupted. */
async function isLastLine(source: ResultSource, line: number | undefined): Promise<boolean> {
  let [lines, last] = [1, newline];
  for await (const chunk of source.bytes()) {
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1))
      lines += 1;
    last = chunk.at(-1) ?? last;
  }
  return last !== newline && lines === line;
}

/**
 * Recognizes a file by its name if it starts with an object; otherwise by one object per line, the first with a score
 * or an error.
 */
export const looksLikeJsonl: LooksLike = ({ path, text, whole }) => {
  if (/\.(?:jsonl|ndjson)$/i.test(path) && /^\s*\{/.test(text)) return true;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [first, second] = lines;
  if (first === undefined || (lines.length === 1 && !whole)) return false;
  const row = objectIn(first);
  if (row === undefined) return false;
  if (second !== undefined && (whole || lines.length > 2) && objectIn(second) === undefined)
    return false;
  return ["score", "scores", "error"].some((key) => Object.hasOwn(row, key));
};

function objectIn(line: string): Readonly<Record<string, Json>> | undefined {
  const parsed = parseJsonText(line, () => false);
  return parsed.kind === "json" && isJsonObject(parsed.value) ? parsed.value : undefined;
}
