import type { Json, JsonObject } from "../json.ts";

/** Role of a message. `developer` is OpenAI's name for the system role of its newer models. */
export const messageRoles = ["system", "developer", "user", "assistant", "tool"] as const;

export type MessageRole = (typeof messageRoles)[number];

/** A message of a conversation, in one shape for all APIs. */
export type Message = {
  readonly role: MessageRole;
  readonly content: string | readonly ContentPart[];
  /** Tool calls of an assistant. */
  readonly tool_calls?: readonly MessageCall[];
  /** The call that a message of a tool answers. */
  readonly tool_call_id?: string;
  /** Encrypted reasoning before an assistant's calls, for the provider that gave it; never stored. */
  readonly thoughts?: readonly JsonObject[];
};

export type ContentPart = { readonly type: "text"; readonly text: string } | ImagePart;

/**
 * An image: a file of the repository, an https address, or inline data in the row, of which only the digest is stored.
 * `data` (a data URL) and `absolute` are for sending only and are never stored.
 */
export type ImagePart = {
  readonly type: "image";
  readonly file?: string;
  readonly url?: string;
  readonly media_type?: string;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly detail?: ImageDetail;
  readonly data?: string;
  readonly absolute?: string;
};

export const imageDetails = ["auto", "low", "high"] as const;
export type ImageDetail = (typeof imageDetails)[number];

/** `arguments` as the model wrote them. `custom`: a tool that takes text. */
export type MessageCall = {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly custom?: true;
  /** A provider's own data about the call, which it needs back: Gemini's thought signature. */
  readonly extra_content?: Json;
};

/** The question of a case: messages, and further user turns, each sent after the previous answer. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly turns: readonly Message[];
}

/** Messages as samples and cache keys store them: without the bytes of images, and without paths of this machine. */
export function storedMessages(messages: readonly Message[]): readonly Message[] {
  return messages.map(({ thoughts: _thoughts, ...message }) => {
    const { content } = message;
    return typeof content === "string" ? message : { ...message, content: content.map(storedPart) };
  });
}

function storedPart(part: ContentPart): ContentPart {
  if (part.type === "text") return part;
  const { data: _data, absolute: _absolute, ...stored } = part;
  return stored;
}

/** The texts of a message's content. */
export function textOfContent(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : imageText(part))).join("\n");
}

function imageText({ file, url, media_type, bytes, sha256 }: ImagePart): string {
  const about = [
    file ?? url,
    media_type,
    bytes === undefined ? undefined : `${bytes} bytes`,
    sha256 === undefined ? undefined : `sha256 ${sha256.slice(0, 16)}`,
  ];
  return `[image: ${about.filter((each) => each !== undefined).join(", ")}]`;
}

/** A tool call as text for people: `[calls get_order {"id":"A-17"}]`. */
export function callText(call: MessageCall): string {
  return `[calls ${call.name} ${call.arguments}]`;
}

/** Messages as one text for people, judges and fingerprints: `[user]`, then the content. */
export function textOfMessages(messages: readonly Message[]): string {
  return messages.map(textOfMessage).join("\n\n");
}

function textOfMessage({ role, content, tool_calls = [], tool_call_id }: Message): string {
  const head = tool_call_id === undefined ? `[${role}]` : `[${role} ${tool_call_id}]`;
  const text = textOfContent(content);
  const calls = tool_calls.map(callText);
  return [head, ...(text === "" ? [] : [text]), ...calls].join("\n");
}
