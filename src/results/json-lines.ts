import { ownValue } from "../model/own-value.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { parseJsonLines } from "../base/json-lines.ts";
import { parseAnswer, tooDeepWords } from "../base/answer-json.ts";
import type { JsonText } from "../base/json-text.ts";
import { readTextLines } from "../base/lines.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { ResultSource } from "./source.ts";

/** An object of a JSON lines file. */
export interface ResultLine {
  readonly value: JsonObject;
  /** `line 12`. */
  readonly at: string;
}

/**
 * Reads JSON lines that Python wrote; `NaN` and `Infinity` become null. Throws a Refusal if a line is cut off, is not
 * JSON or is not an object.
 */
export async function* readResultLines(source: ResultSource): AsyncGenerator<ResultLine> {
  const place = { file: source.path };
  for await (const lines of readTextLines(source.bytes())) {
    for (const { line, parsed } of parseJsonLines(lines, parsePython)) {
      const at = `line ${line.number}`;
      if (parsed.kind !== "json" && !line.complete && parsed.reason !== tooDeepWords)
        throw new Refusal(problem("results_truncated", { at, of: "a result" }, place));
      if (parsed.kind !== "json")
        throw new Refusal(problem("results_unreadable", { at, reason: parsed.reason }, place));
      const reason = "no object stands there";
      if (!isJsonObject(parsed.value))
        throw new Refusal(problem("results_unreadable", { at, reason }, place));
      yield { value: parsed.value, at };
    }
  }
}

function parsePython(text: string): JsonText {
  const parsed = parseAnswer(text, () => false);
  if (parsed.kind === "json" || !/NaN|Infinity/.test(text)) return parsed;
  return parseAnswer(withoutConstants(text), () => false);
}

/** Skips texts, so that a `NaN` inside a text stays. */
function withoutConstants(text: string): string {
  return text.replace(/"(?:[^"\\]+|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (found) =>
    found.startsWith('"') ? found : "null",
  );
}

/** A value of a row, or undefined if it is null or missing. */
export function valueOf(row: JsonObject, name: string): Json | undefined {
  return ownValue(row, name) ?? undefined;
}
