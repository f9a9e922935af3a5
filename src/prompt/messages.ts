import { readField } from "../base/fields.ts";
import type { ContentPart, Conversation, ImagePart, Message } from "../model/models/message.ts";
import type { Row } from "../model/outcomes/sample.ts";
import type {
  MessagesSpec,
  MessageTemplate,
  PartTemplate,
  TaskQuestion,
} from "../model/definition/asked.ts";
import { readImageUrl } from "./image.ts";
import { type Complaint, imagesIn, readMessages, readTurns } from "./row-messages.ts";
import { parseTemplate, render, type Template } from "./template.ts";

/** `messages_template`, read. */
export interface MessagesTemplate {
  readonly start: readonly ParsedItem[];
  readonly turns: string | undefined;
}

type ParsedItem =
  | { readonly kind: "field"; readonly field: string }
  | {
      readonly kind: "message";
      readonly role: Message["role"];
      readonly content: Template | readonly ParsedPart[];
    };

type ParsedPart = Omit<PartTemplate & { readonly type: "image" }, "text" | "type"> &
  ParsedText & { readonly type: "image" | "text" };

interface ParsedText {
  readonly template: Template;
}

export interface RowValues {
  readonly row: Row;
  readonly choices: readonly string[];
}

/** Parses the templates of a messages task. */
export function parseMessages(spec: MessagesSpec): MessagesTemplate {
  return {
    start: spec.start.map(parseItem),
    turns: spec.turns === undefined ? undefined : fieldIn(spec.turns),
  };
}

function parseItem(item: MessageTemplate): ParsedItem {
  if (item.kind === "field") return { kind: "field", field: fieldIn(item.text) };
  const { kind, role, content } = item;
  if (typeof content === "string") return { kind, role, content: parseTemplate(content) };
  return { kind, role, content: content.map(parsePart) };
}

function parsePart(part: PartTemplate): ParsedPart {
  const template = parseTemplate(part.text);
  return part.type === "text"
    ? { type: "text", template, from: "file", detail: undefined }
    : { type: "image", template, from: part.from, detail: part.detail };
}

/** The field of a text that is only `{{messages}}`, as the manifest reader has checked. */
function fieldIn(text: string): string {
  return text.replaceAll(/^\{\{|\}\}$/g, "").trim();
}

/** All templates of the question as one, to find the fields that they use. */
export function promptTemplateOf({ prompt_template, messages }: TaskQuestion): Template {
  if (messages === undefined) return parseTemplate(prompt_template);
  const texts = [
    ...messages.start.flatMap(textsOf),
    ...(messages.turns === undefined ? [] : [messages.turns]),
  ];
  return parseTemplate(texts.join("\n"));
}

/** Top-level fields that hold lists of messages or of turns. */
export function listFields({ start, turns }: MessagesSpec): readonly string[] {
  const lists = [
    ...start.flatMap((item) => (item.kind === "field" ? [item.text] : [])),
    ...(turns === undefined ? [] : [turns]),
  ];
  return lists.map(fieldIn).filter((name) => !name.includes("."));
}

function textsOf(item: MessageTemplate): readonly string[] {
  if (item.kind === "field") return [item.text];
  return typeof item.content === "string" ? [item.content] : item.content.map(({ text }) => text);
}

/** The question of a row, or the reason why it can't be sent. Image files are not read yet. */
export function renderMessages(
  { start, turns: field }: MessagesTemplate,
  values: RowValues,
): Conversation | Complaint {
  const messages: Message[] = [];
  for (const item of start) {
    const made =
      item.kind === "field"
        ? readMessages(readField(values.row, item.field), item.field)
        : renderOne(item, values);
    if ("complaint" in made) return made;
    messages.push(...made);
  }
  const turns = field === undefined ? [] : readTurns(readField(values.row, field), field);
  if ("complaint" in turns) return turns;
  const [first, ...rest] = turns;
  return { messages: first === undefined ? messages : [...messages, first], turns: rest };
}

function renderOne(
  { role, content }: Extract<ParsedItem, { readonly kind: "message" }>,
  values: RowValues,
): readonly Message[] | Complaint {
  if ("parts" in content) return [{ role, content: render(content, values) }];
  const parts: ContentPart[] = [];
  for (const part of content) {
    const made = renderPart(part, values);
    if ("complaint" in made) return { complaint: `the image of the ${role} ${made.complaint}` };
    parts.push(made);
  }
  return [{ role, content: parts }];
}

function renderPart(
  { type, template, from, detail: wanted }: ParsedPart,
  values: RowValues,
): ContentPart | Complaint {
  const text = render(template, values);
  if (type === "text") return { type, text };
  const detail = wanted === undefined ? {} : { detail: wanted };
  if (text.trim() === "") return { complaint: `is missing: ${template.text} is empty` };
  return from === "file" ? { type, file: text, ...detail } : readImageUrl(text, detail);
}

/** The images of a conversation. */
export function imagesOf({ messages, turns }: Conversation): readonly ImagePart[] {
  return [...imagesIn(messages), ...imagesIn(turns)];
}

/** A conversation with each of its images replaced by `known` of it. */
export function withImages(
  { messages, turns }: Conversation,
  known: (part: ImagePart) => ImagePart,
): Conversation {
  const replaced = (message: Message): Message => {
    const { content } = message;
    if (typeof content === "string") return message;
    return {
      ...message,
      content: content.map((part) => (part.type === "text" ? part : known(part))),
    };
  };
  return { messages: messages.map(replaced), turns: turns.map(replaced) };
}
