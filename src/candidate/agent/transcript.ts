import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from "../../model/json.ts";
import { isLargerThan } from "../../base/written-size.ts";
import { createTurnCounter } from "../../model/models/session.ts";
import type { Transcript } from "../../model/models/transcript.ts";
import type { EventReader } from "./runtime.ts";

/**
 * Limits in characters of one text of an entry: the usual one, and the short one after the transcript's own limit is
 * reached.
 */
const mostTextLength = 100_000;
const shortTextLength = 1000;
const mostTranscriptBytes = 6_000_000;
/** Limit of an event that no reader knows. */
const mostUnknownLength = 8000;

/** Collects the events of a run. */
export interface TranscriptWriter {
  /** Takes a line of output; returns true once the agent has exceeded its turns. */
  readonly take: (line: string) => boolean;
  readonly events: () => readonly JsonObject[];
  readonly entries: () => Transcript;
  readonly turns: () => number;
}

/** Makes a writer. Lines that are no JSON, and events that the reader does not know, are kept as `other`. */
export function createTranscriptWriter(
  { entriesOf }: EventReader,
  {
    maxTurns,
    servers,
  }: { readonly maxTurns: number | undefined; readonly servers: readonly string[] },
): TranscriptWriter {
  const events: JsonObject[] = [];
  const kept = createEntryList();
  const counter = createTurnCounter();
  const add = (entry: JsonObject): void => {
    kept.add(entry);
    counter.add(entry);
  };
  return {
    take: (line) => {
      const event = jsonObjectIn(line);
      if (event === undefined) add({ type: "other", text: line.slice(0, mostUnknownLength) });
      else {
        events.push(event);
        const found = entriesOf(event, servers) ?? [unknown(event)];
        for (const each of found) add(each);
      }
      return maxTurns !== undefined && counter.turns() > maxTurns;
    },
    events: () => events,
    entries: () => joinPieces(kept.entries()),
    turns: counter.turns,
  };
}

/** Makes a list of transcript entries, whose texts are kept within their limits. */
export function createEntryList(): {
  readonly add: (entry: JsonObject) => void;
  readonly entries: () => Transcript;
} {
  const entries: JsonObject[] = [];
  let room = mostTranscriptBytes;
  return {
    add: (entry) => {
      const shortened = shorten(entry, room > 0 ? mostTextLength : shortTextLength);
      room -= JSON.stringify(shortened).length;
      entries.push(shortened);
    },
    entries: () => entries,
  };
}

function unknown(event: JsonObject): JsonObject {
  if (!isLargerThan(mostUnknownLength, event)) return { type: "other", event };
  return { type: "other", text: JSON.stringify(event).slice(0, mostUnknownLength) };
}

/** Cuts the texts of an entry to a length, and marks those that were cut. */
function shorten(entry: JsonObject, length: number): JsonObject {
  let omitted = 0;
  const cut = (value: Json): Json => {
    if (typeof value === "string") {
      if (value.length <= length) return value;
      omitted += value.length - length;
      return value.slice(0, length);
    }
    if (Array.isArray(value)) return value.map(cut);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item)]));
  };
  const shortened = cut(entry);
  if (omitted === 0 || !isJsonObject(shortened)) return entry;
  return { ...shortened, omitted_characters: omitted };
}

/** Joins the pieces of a message. */
function joinPieces(entries: Transcript): Transcript {
  const joined: JsonObject[] = [];
  for (const { delta, ...entry } of entries) {
    const last = joined.at(-1);
    const goesOn = delta === true && last?.["type"] === "message" && last["role"] === entry["role"];
    if (!goesOn) joined.push(delta === undefined || delta === true ? entry : { ...entry, delta });
    else joined[joined.length - 1] = { ...last, text: `${textOf(last)}${textOf(entry)}` };
  }
  return joined;
}

function textOf({ text }: JsonObject): string {
  return typeof text === "string" ? text : "";
}

/** The answer is the sample's output, so it is removed from the transcript. */
export function withoutAnswer(entries: Transcript, outputText: string): Transcript {
  const last = entries.findLastIndex(({ type }) => type === "message" || type === "tool_call");
  const entry = entries[last];
  const isAnswer = entry?.["role"] === "assistant" && entry["text"] === outputText;
  return isAnswer ? entries.toSpliced(last, 1) : entries;
}
