import {
  deepestNesting,
  isDeeper,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonIn,
} from "../json.ts";
import { callText, type Conversation, type Message, type MessageCall } from "./message.ts";

/**
 * Events on the way to an answer, in order: each entry is an object with a `type`. Regrade reads these types and keeps
 * others unchanged:
 * - `tool_call {id, name, arguments}`: arguments as the model wrote them, or already read; `custom` where they are a text
 * - `tool_result {id, output, is_error?}`: a tool's result
 * - `message {role, text}`: an answer before the last one (assistant), or the user's next message (user)
 * - `reasoning {text}`, `commentary {text}`, `incomplete {reason}`
 */
export type Transcript = readonly JsonObject[];

/** A call of a tool, as graders see it. */
export type ToolCall = {
  readonly id: string | null;
  readonly name: string;
  /** null if the model's arguments can't be parsed: then `arguments_text` has them. */
  readonly arguments: Json;
  readonly arguments_text?: string;
  /** The tool's result; absent if the tool was not run. */
  readonly result?: string;
  readonly is_error?: true;
};

/** The tool calls of a transcript, in order, each with its result. */
export function toolCallsOf(transcript: Transcript | null): readonly ToolCall[] {
  if (transcript === null) return [];
  const results = transcript.filter(isToolResult);
  const seen = new Map<string | null, number>();
  return transcript.filter(isToolCall).map((call): ToolCall => {
    const id = textOf(call["id"]);
    // Some models number their calls anew in each answer: results with the same id come in the order of their calls.
    const before = seen.get(id) ?? 0;
    seen.set(id, before + 1);
    const found = results.filter((each) => (each["id"] ?? null) === id)[before];
    const named = { id, name: textOf(call["name"]) ?? "" };
    return Object.assign(named, argumentsOf(call), resultOf(found));
  });
}

function isToolCall({ type }: JsonObject): boolean {
  return type === "tool_call";
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function argumentsOf(call: JsonObject): Pick<ToolCall, "arguments" | "arguments_text"> {
  const given = call["arguments"] ?? null;
  if (typeof given !== "string" || call["custom"] === true) return { arguments: given };
  // Some models call a tool without parameters with an empty text.
  if (given.trim() === "") return { arguments: {} };
  const parsed = parseArguments(given);
  return parsed === undefined ? { arguments: null, arguments_text: given } : { arguments: parsed };
}

/** undefined: not JSON, or nested too deeply. */
export function parseArguments(text: string): Json | undefined {
  const value = jsonIn(text);
  return value === undefined || isDeeper({ value }, deepestNesting) ? undefined : value;
}

function resultOf(entry: JsonObject | undefined): Pick<ToolCall, "result" | "is_error"> {
  if (entry === undefined) return {};
  const { output = null, is_error } = entry;
  const result = typeof output === "string" ? output : JSON.stringify(output);
  return { result, ...(is_error === true && { is_error }) };
}

/** The tool calls of an answer that have no result. */
export function openCalls(transcript: Transcript | null): readonly JsonObject[] {
  const answered = new Set(
    (transcript ?? []).flatMap((entry) => (isToolResult(entry) ? [entry["id"] ?? null] : [])),
  );
  return (transcript ?? []).filter((each) => isToolCall(each) && !answered.has(each["id"] ?? null));
}

/** True for an answer that calls a tool: it is an answer even without text. */
export function callsTools(transcript: Transcript | null): boolean {
  return transcript?.some(isToolCall) === true;
}

/** An answer as text for people: its text, and the tool calls at its end. null if there is neither. */
export function answerText(sample: {
  readonly output_text: string | null;
  readonly transcript: Transcript | null;
}): string | null {
  const { output_text: said, transcript } = sample;
  const calls = openCalls(transcript).map((call, i) => callText(messageCall(call, i)));
  if (said === null || calls.length === 0) return said;
  return [...(said === "" ? [] : [said]), ...calls].join("\n");
}

/**
 * Tool calls as answers and recordings may list them, in the form of a sample's `tool_calls` or of Chat Completions:
 * returned as the entries of a transcript, each with its result; undefined if the value is not such a list.
 */
export function readToolCalls(value: Json | undefined): Transcript | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const entries = value.map(readToolCall);
  return entries.some((each) => each === undefined)
    ? undefined
    : entries.flatMap((each) => each ?? []);
}

function readToolCall(value: Json, i: number): Transcript | undefined {
  if (!isJsonObject(value)) return undefined;
  const called: JsonObject = isJsonObject(value["function"]) ? value["function"] : value;
  const { name = null, arguments: given = called["arguments_text"] ?? {} } = called;
  if (typeof name !== "string" || name === "") return undefined;
  const read = given ?? called["arguments_text"] ?? {};
  const id = textOf(value["id"]) ?? `call_${i + 1}`;
  const text = typeof read === "string" ? read : JSON.stringify(read);
  const call = { type: "tool_call", id, name, arguments: text };
  const { result: output, is_error } = value;
  if (output === undefined) return [call];
  const failed = is_error === true ? { is_error } : {};
  return [call, { type: "tool_result", id, output, ...failed }];
}

/** Converts a call of a transcript to the form of an assistant's message. */
export function messageCall(call: JsonObject, i: number): MessageCall {
  const { id, name, arguments: given = null, custom, extra_content } = call;
  return {
    id: typeof id === "string" ? id : `call_${i + 1}`,
    name: typeof name === "string" ? name : "",
    arguments: typeof given === "string" ? given : JSON.stringify(given),
    ...(custom === true && { custom }),
    ...(extra_content !== undefined && { extra_content }),
  };
}

/**
 * The whole conversation before the last answer: the case's messages, and the candidate's own answers, calls and results
 * in between. A recording without them has only the user's turns.
 */
export function conversationOf(
  { messages, turns }: Conversation,
  transcript: Transcript | null,
): readonly Message[] {
  const said = [...messages];
  const left = [...turns];
  const speaker = createSpeaker();
  for (const [i, entry] of (transcript ?? []).entries()) {
    if (isSaidBy("assistant", entry)) speaker.say(textOf(entry["text"] ?? null) ?? "");
    else if (isToolCall(entry)) speaker.call(messageCall(entry, i));
    else if (isSaidBy("user", entry) || entry["type"] === "tool_result")
      said.push(
        ...speaker.end(),
        isToolResult(entry) ? toolMessage(entry) : (left.shift() ?? userMessage(entry)),
      );
  }
  const isTold = left.length < turns.length || openCalls(transcript).length > 0;
  return isTold ? said : [...said, ...left];
}

/** Combines an assistant's texts and calls into one message. */
function createSpeaker(): {
  readonly say: (text: string) => void;
  readonly call: (call: MessageCall) => void;
  readonly end: () => readonly Message[];
} {
  let texts: string[] = [];
  let calls: MessageCall[] = [];
  return {
    say: (text) => void texts.push(text),
    call: (call) => void calls.push(call),
    end: () => {
      // An empty text counts as an answer too.
      if (texts.length + calls.length === 0) return [];
      const called = calls.length === 0 ? {} : { tool_calls: calls };
      const message: Message = { role: "assistant", content: texts.join(""), ...called };
      texts = [];
      calls = [];
      return [message];
    },
  };
}

function isSaidBy(role: "assistant" | "user", entry: JsonObject): boolean {
  return entry["type"] === "message" && entry["role"] === role;
}

function isToolResult({ type }: JsonObject): boolean {
  return type === "tool_result";
}

function userMessage({ text = null }: JsonObject): Message {
  return { role: "user", content: textOf(text) ?? "" };
}

function toolMessage({ id = null, output = null }: JsonObject): Message {
  const content = typeof output === "string" ? output : JSON.stringify(output);
  return { role: "tool", content, tool_call_id: textOf(id) ?? "" };
}
