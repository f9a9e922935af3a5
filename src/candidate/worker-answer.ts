import { cutText } from "../base/cut-text.ts";
import { isTooDeep, tooDeepWords } from "../base/answer-json.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { parseJsonText } from "../base/json-text.ts";
import type { Generated } from "../model/models/candidate.ts";
import type { WorkerEnd } from "../model/ports/processes.ts";
import { callsTools } from "../model/models/transcript.ts";
import { readUsage, textField, toolCallsWords, transcriptWithCalls } from "./answer-fields.ts";
import { lastWords } from "./program.ts";

/** Length of an unexpected line in a message, in characters. */
const lineShown = 200;

/** Result of a request, and whether its process can receive another one. */
export interface WorkerAnswer {
  readonly generated: Generated;
  /** False if the next lines of the process can't be assigned to a request; the process must be ended. */
  readonly inStep: boolean;
}

/**
 * Reads the result of a request. A process is in step as long as it writes one line per request, with the same id.
 * Anything else (noise, a second answer, an answer in the wrong order) fails the current request, because later lines
 * can't be assigned.
 */
export function readWorkerAnswer(
  end: WorkerEnd,
  asked: { readonly id: string; readonly timeoutSeconds: number },
): WorkerAnswer {
  switch (end.kind) {
    case "line":
      return end.asked ? readLine(end.text, asked.id) : unexpectedLine(end.text);
    case "ended":
      return outOfStep(...ended(end));
    case "timed_out": {
      const message = `no answer within ${asked.timeoutSeconds} s (timeout_seconds)${lastWords(end.stderr)}`;
      return outOfStep("timeout", message);
    }
    case "line_too_large":
      return outOfStep(
        "output_too_large",
        `it wrote more than ${end.limitBytes / 1_000_000} MB in one line`,
      );
    case "cancelled": {
      const message = "the run was stopped";
      return { generated: { kind: "unavailable", type: "cancelled", message }, inStep: false };
    }
  }
}

function readLine(text: string, id: string): WorkerAnswer {
  const parsed = parseJsonText(text);
  const line = parsed.kind === "json" ? parsed.value : undefined;
  if (!isJsonObject(line)) return outOfStep("noise", `${noAnswer(text)}; ${protocol}`);
  if (isTooDeep(line, text)) {
    const words = `its answer can't be read: ${tooDeepWords}`;
    return { generated: failedAnswer("malformed_answer", words), inStep: line["id"] === id };
  }
  if (line["id"] !== id) {
    const found =
      line["id"] === undefined ? "no 'id'" : `the id ${shortLine(JSON.stringify(line["id"]))}`;
    return outOfStep(
      "out_of_turn",
      `it answered with ${found} where '${id}' was asked; ${protocol}`,
    );
  }
  return { generated: readAnswer(line), inStep: true };
}

const protocol =
  "a worker writes one JSON object a line for each that it reads, with the same 'id', and everything else to stderr";

function unexpectedLine(text: string): WorkerAnswer {
  return outOfStep(
    "unasked",
    `it wrote a line before it was asked: ${shortLine(text)}; ${protocol}`,
  );
}

function noAnswer(text: string): string {
  return `it wrote a line that is no answer: ${shortLine(text)}`;
}

function shortLine(text: string): string {
  return text.length > lineShown ? `${cutText(text, lineShown)}…` : text;
}

function readAnswer(line: JsonObject): Generated {
  const error = line["error"] ?? null;
  if (error !== null) return { kind: "failed", type: "worker_error", message: wordsOf(error) };
  const transcript = transcriptWithCalls(line);
  if (transcript === undefined) return failedAnswer("malformed_answer", toolCallsWords);
  const { output_text: said = null } = line;
  const outputText = said === null && callsTools(transcript) ? "" : said;
  if (typeof outputText !== "string") {
    return failedAnswer(
      "malformed_answer",
      "its answer has neither a text 'output_text' nor an 'error'",
    );
  }
  return {
    kind: "answered",
    outputText,
    incomplete: line["incomplete"] === true,
    transcript,
    responseId: textField(line["response_id"]) ?? null,
    usage: readUsage(line["usage"]),
  };
}

/** The words of an error: it is a text, or, as in many APIs, an object with a message. */
function wordsOf(error: NonNullable<JsonObject[string]>): string {
  if (typeof error === "string") return error;
  const message = isJsonObject(error) ? error["message"] : undefined;
  return typeof message === "string" ? message : JSON.stringify(error);
}

function ended({
  code,
  signal,
  stderr,
}: Extract<WorkerEnd, { kind: "ended" }>): readonly [type: string, message: string] {
  const words = lastWords(stderr);
  if (code === null)
    return ["signal", `ended by ${signal ?? "a signal"} before it answered${words}`];
  return ["exit_code", `ended with exit code ${code} before it answered${words}`];
}

function outOfStep(type: string, message: string): WorkerAnswer {
  return { generated: failedAnswer(type, message), inStep: false };
}

function failedAnswer(type: string, message: string): Generated {
  return { kind: "failed", type, message };
}
