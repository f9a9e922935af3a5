import { kindOf } from "../base/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import {
  imageDetails,
  messageRoles,
  type ContentPart,
  type ImageDetail,
  type ImagePart,
  type Message,
  type MessageCall,
} from "../model/models/message.ts";
import { readImageUrl } from "./image.ts";

/** A part of a row that is not a valid message. */
export interface Complaint {
  readonly complaint: string;
}

/** Messages of one case at most. */
const mostMessages = 1000;
/** The user's turns of one case at most. */
const mostTurns = 50;

/** A row's own list of messages, in the form of Chat Completions, also with content parts of the Responses API. */
export function readMessages(
  value: Json | undefined,
  field: string,
): readonly Message[] | Complaint {
  const list = listIn(value, field, { most: mostMessages, of: "messages" });
  if ("complaint" in list) return list;
  const messages: Message[] = [];
  const called = new Set<string>();
  for (const [i, each] of list.entries()) {
    const message = readMessage(each, called);
    if ("complaint" in message) return { complaint: `${field}[${i}] ${message.complaint}` };
    for (const { id } of message.tool_calls ?? []) called.add(id);
    messages.push(message);
  }
  return messages;
}

/** A row's turns of the user: texts, or contents as messages have them. */
export function readTurns(value: Json | undefined, field: string): readonly Message[] | Complaint {
  const list = listIn(value, field, { most: mostTurns, of: "turns" });
  if ("complaint" in list) return list;
  const turns: Message[] = [];
  for (const [i, each] of list.entries()) {
    const content = readTurn(each);
    if (isComplaint(content)) return { complaint: `${field}[${i}] ${content.complaint}` };
    turns.push({ role: "user", content });
  }
  return turns;
}

function readTurn(each: Json): Message["content"] | Complaint {
  if (!isJsonObject(each)) return readContent(each);
  const unknown = Object.keys(each).find((key) => key !== "role" && key !== "content");
  if (unknown !== undefined)
    return { complaint: `has the key '${unknown}'; a turn has role and content` };
  const { role = "user", content = null } = each;
  if (role !== "user")
    return { complaint: `has the role ${JSON.stringify(role)}; turns are the user's` };
  return readContent(content);
}

function listIn(
  value: Json | undefined,
  field: string,
  { most, of }: { readonly most: number; readonly of: string },
): readonly Json[] | Complaint {
  if (value === undefined || value === null)
    return { complaint: `there is no '${field}'; a list of ${of} is needed` };
  if (!Array.isArray(value))
    return { complaint: `'${field}' is ${kindOf(value)}; a list of ${of} is needed` };
  if (value.length === 0) return { complaint: `'${field}' is an empty list; ${of} are needed` };
  return value.length > most
    ? { complaint: `'${field}' has ${value.length} ${of}; at most ${most} are allowed` }
    : value;
}

function isComplaint(value: object | string): value is Complaint {
  return typeof value === "object" && "complaint" in value;
}

const messageKeys = ["role", "content", "tool_calls", "tool_call_id"];

/** `called`: the ids of the tool calls before this message. */
function readMessage(each: Json, called: ReadonlySet<string>): Message | Complaint {
  if (!isJsonObject(each))
    return { complaint: `is ${kindOf(each)}; a message is an object with role and content` };
  const { role: said = null, content: given = null } = each;
  const role = messageRoles.find((known) => known === said);
  if (role === undefined)
    return {
      complaint: `has the role ${JSON.stringify(said)}; allowed are ${messageRoles.join(", ")}`,
    };
  // Messages of tools may have a name, although the call has it already.
  const unknown = Object.entries(each).find(
    ([key, value]) =>
      value !== null && !messageKeys.includes(key) && !(key === "name" && role === "tool"),
  );
  if (unknown !== undefined)
    return {
      complaint: `has the key '${unknown[0]}', which is not sent; allowed are ${messageKeys.join(", ")}`,
    };
  const calls = readCalls(each["tool_calls"] ?? null, role);
  if (isComplaint(calls)) return calls;
  const content = given === null && calls.length > 0 ? "" : readContent(given);
  if (isComplaint(content)) return content;
  const answered = readAnswered(each["tool_call_id"] ?? null, role, called);
  if (isComplaint(answered)) return answered;
  return { role, content, ...(calls.length > 0 && { tool_calls: calls }), ...answered };
}

function readAnswered(
  id: Json,
  role: Message["role"],
  called: ReadonlySet<string>,
): Pick<Message, "tool_call_id"> | Complaint {
  if (role !== "tool")
    return id === null ? {} : { complaint: "has a tool_call_id, which messages of a tool have" };
  if (typeof id === "string" && called.has(id)) return { tool_call_id: id };
  return {
    complaint: `answers the call ${JSON.stringify(id)}, which no message before it makes (tool_call_id)`,
  };
}

function readCalls(value: Json, role: Message["role"]): readonly MessageCall[] | Complaint {
  if (value === null || (Array.isArray(value) && value.length === 0)) return [];
  if (role !== "assistant")
    return { complaint: "has tool_calls, which messages of the assistant have" };
  if (!Array.isArray(value))
    return { complaint: `has tool_calls that are ${kindOf(value)}; a list is needed` };
  const calls: MessageCall[] = [];
  for (const each of value) {
    const call = readCall(each);
    if (call === undefined)
      return {
        complaint: "has a tool call that is not {id, type: function, function: {name, arguments}}",
      };
    calls.push(call);
  }
  return calls;
}

/** A call in the form of Chat Completions, or with name and arguments beside the id. */
function readCall(each: Json): MessageCall | undefined {
  if (!isJsonObject(each)) return undefined;
  const called: JsonObject = isJsonObject(each["function"]) ? each["function"] : each;
  const { name = null, arguments: given = null } = called;
  const { id = null } = each;
  if (typeof id !== "string" || typeof name !== "string" || given === null) return undefined;
  return { id, name, arguments: typeof given === "string" ? given : JSON.stringify(given) };
}

function readContent(value: Json): Message["content"] | Complaint {
  if (typeof value === "string") return value;
  if (!Array.isArray(value))
    return {
      complaint: `has ${kindOf(value)} as its content; a text or a list of parts is needed`,
    };
  const parts: ContentPart[] = [];
  for (const [i, each] of value.entries()) {
    const part = readPart(each);
    if ("complaint" in part) return { complaint: `part ${i} ${part.complaint}` };
    parts.push(part);
  }
  return parts.length === 0 ? { complaint: "has an empty list as its content" } : parts;
}

const textTypes: readonly Json[] = ["text", "input_text", "output_text"];

function readPart(part: Json): ContentPart | Complaint {
  if (!isJsonObject(part))
    return { complaint: `is ${kindOf(part)}; a part is an object with a type` };
  const { type = null, text = null } = part;
  if (textTypes.includes(type))
    return typeof text === "string"
      ? { type: "text", text }
      : { complaint: `has ${kindOf(text)} as its text` };
  if (type === "image" || type === "image_url" || type === "input_image") return readImage(part);
  return { complaint: `has the type ${JSON.stringify(type)}; allowed are text and image` };
}

/** `{type: image, file | url}`, or an image of Chat Completions or of the Responses API. */
function readImage(part: JsonObject): ContentPart | Complaint {
  const { file = null, url = null, image_url: nested = null } = part;
  const inner: JsonObject = isJsonObject(nested) ? nested : { url: nested };
  const detail = detailOf(inner["detail"] ?? part["detail"] ?? null);
  if (detail === undefined)
    return { complaint: `has a detail that is none of ${imageDetails.join(", ")}` };
  const sources = [file, url, inner["url"] ?? null].filter((each) => each !== null);
  const [source] = sources;
  if (sources.length !== 1 || typeof source !== "string" || source === "")
    return { complaint: "is an image with not exactly one of file and url, a text" };
  return file === null ? readImageUrl(source, detail) : { type: "image", file: source, ...detail };
}

function detailOf(value: Json): { readonly detail?: ImageDetail } | undefined {
  if (value === null) return {};
  const detail = imageDetails.find((known) => known === value);
  return detail && { detail };
}

/** The images of messages that are files rather than addresses. */
export function imagesIn(messages: readonly Message[]): readonly ImagePart[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((part) => (part.type === "image" ? [part] : [])),
  );
}
