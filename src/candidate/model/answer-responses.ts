import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { textIn, type ModelAnswer } from "./answer.ts";
import { responsesTokens } from "./usage.ts";

/**
 * Reads an answer of the Responses API (https://developers.openai.com/api/reference, "The response object").
 * Text is what the messages say; comments that a model makes on its way (`phase: commentary`) are not its answer.
 */
export function readResponsesAnswer(answer: JsonObject): ModelAnswer {
  const { output, status } = answer;
  if (!Array.isArray(output)) return { kind: "malformed", reason: "it has no 'output' list" };
  if (status !== undefined && status !== "completed" && status !== "incomplete") {
    return { kind: "malformed", reason: `its status is ${JSON.stringify(status)}` };
  }
  const items = output.filter(isJsonObject);
  const parts = items.filter(isAnswer).flatMap(partsOf);
  const refusal = joined(parts, "refusal");
  const tokens = responsesTokens(answer["usage"]);
  if (refusal !== "") return { kind: "refused", type: "refusal", message: refusal, tokens };
  const text = joined(parts, "output_text");
  const cutOff = status === "incomplete" ? reasonOf(answer["incomplete_details"]) : undefined;
  if (cutOff === "content_filter" && text === "") return filtered(tokens);
  const responseId = textIn(answer["id"]) ?? null;
  return {
    kind: "said",
    text,
    cutOff,
    transcript: items.flatMap(entriesOf),
    responseId,
    tokens,
  };
}

function filtered(tokens: ReturnType<typeof responsesTokens>): ModelAnswer {
  const message = "the provider's content filter held the answer back";
  return { kind: "refused", type: "content_filter", message, tokens };
}

function reasonOf(details: Json | undefined): string {
  return (isJsonObject(details) ? textIn(details["reason"]) : undefined) ?? "unknown";
}

function isAnswer(item: JsonObject): boolean {
  return item["type"] === "message" && item["phase"] !== "commentary";
}

function partsOf(item: JsonObject): readonly JsonObject[] {
  const content = item["content"];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** `output_text` has its words under `text`, `refusal` under its own name. */
function joined(parts: readonly JsonObject[], type: "output_text" | "refusal"): string {
  const key = type === "refusal" ? "refusal" : "text";
  return parts
    .filter((part) => part["type"] === type)
    .map((part) => textIn(part[key]) ?? "")
    .join("");
}

/** What an item leaves in the transcript. Calls of the provider's own tools stay as they are. */
function entriesOf(item: JsonObject): readonly JsonObject[] {
  const { type, call_id = null, name = null, arguments: given = null } = item;
  if (type === "reasoning") return thoughtsOf(item);
  if (type === "function_call") return [{ type: "tool_call", id: call_id, name, arguments: given }];
  if (type !== "message") return [item];
  return isAnswer(item) ? [] : [{ type: "commentary", text: joined(partsOf(item), "output_text") }];
}

/** The summary where one was asked for, else the thoughts themselves, which open models tell. Never the encrypted ones. */
function thoughtsOf({ summary, content }: JsonObject): readonly JsonObject[] {
  const told = [summary, content].map((each) =>
    (Array.isArray(each) ? each : []).flatMap((part) => {
      const text = isJsonObject(part) ? textIn(part["text"]) : undefined;
      return text === undefined ? [] : [{ type: "reasoning", text }];
    }),
  );
  return told.find((texts) => texts.length > 0) ?? [];
}
