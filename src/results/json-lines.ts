import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { parseJsonText } from "../base/json-text.ts";
import { createLineDecoder, createLineSplitter, type Line } from "../base/lines.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { ResultSource } from "./source.ts";

/** An object of a file of JSON lines. */
export interface JsonLine {
  readonly value: JsonObject;
  /** `line 12`. */
  readonly at: string;
}

/**
 * Reads JSON lines that Python wrote, `NaN` and `Infinity` as null. Throws a Refusal where a line is cut off, no JSON or no
 * object.
 */
export async function* readJsonLines(source: ResultSource): AsyncGenerator<JsonLine> {
  const splitter = createLineSplitter();
  const decode = createLineDecoder();
  const place = { file: source.path };
  const read = (line: Line): readonly JsonLine[] => {
    const at = `line ${line.number}`;
    const text = decode(line);
    if (text.kind === "text" && text.text.trim() === "") return [];
    const parsed = text.kind === "text" ? parsePython(text.text) : text;
    if (parsed.kind !== "json") {
      if (line.complete)
        throw new Refusal(problem("results_unreadable", { at, reason: parsed.reason }, place));
      throw new Refusal(problem("results_truncated", { at, of: "a result" }, place));
    }
    if (isJsonObject(parsed.value)) return [{ value: parsed.value, at }];
    const reason = "no object stands there";
    throw new Refusal(problem("results_unreadable", { at, reason }, place));
  };
  for await (const chunk of source.bytes())
    for (const line of splitter.push(chunk)) yield* read(line);
  for (const line of splitter.end()) yield* read(line);
}

type Parsed = ReturnType<typeof parseJsonText>;

function parsePython(text: string): Parsed {
  const parsed = parseJsonText(text, () => false);
  if (parsed.kind === "json" || !/NaN|Infinity/.test(text)) return parsed;
  return parseJsonText(withoutConstants(text), () => false);
}

/** Texts are passed over, so that a `NaN` within one stays. */
function withoutConstants(text: string): string {
  return text.replace(/"(?:[^"\\]+|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (found) =>
    found.startsWith('"') ? found : "null",
  );
}

/** A value that a row holds, or undefined where it is null or missing. */
export function valueOf(row: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(row, name) ? (row[name] ?? undefined) : undefined;
}
