import { crc32 } from "node:zlib";
import { parseAnswer } from "../base/answer-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { mostAnswerBytes } from "../base/written-size.ts";
import type { Answer } from "../model/ports/store.ts";
import type { Usage } from "../model/outcomes/sample.ts";
import { readWorkspace } from "../model/ports/workspace.ts";

/** `<key, 64 hexadecimal digits> <CRC-32 of key and answer, 8> <the answer as JSON>` */
const keyLength = 64;
const sumLength = 8;
const jsonStart = keyLength + 1 + sumLength + 1;

/** A line of the cache, without its end. */
export function encodeEntry(key: string, { generated, latencyMs, createdAt }: Answer): string {
  const json = JSON.stringify({ generated, latencyMs, createdAt });
  return `${key} ${checksum(key, json)} ${json}`;
}

/** The key of the line between two offsets, or undefined if it can't be one. */
export function keyOfLine(bytes: Buffer, start: number, end: number): string | undefined {
  const key = bytes.toString("latin1", start, Math.min(end, start + keyLength));
  return /^[0-9a-f]{64}$/.test(key) ? key : undefined;
}

/** The answer of a line, or undefined if the line has another key, is damaged, or has another version's format. */
export function decodeEntry(key: string, line: Buffer): Answer | undefined {
  const sum = line.toString("latin1", 0, jsonStart);
  const json = line.subarray(jsonStart);
  if (sum !== `${key} ${checksum(key, json)} `) return undefined;
  // An earlier version stored answers that exceed a sample's limit.
  if (json.length > mostAnswerBytes) return undefined;
  const parsed = parseAnswer(json.toString(), () => false);
  if (parsed.kind === "malformed") return undefined;
  const value: unknown = parsed.value;
  return isAnswer(value) ? { ...value, cached: true } : undefined;
}

function checksum(key: string, json: string | Buffer): string {
  return crc32(json, crc32(key)).toString(16).padStart(sumLength, "0");
}

/** As strict as a sample's own check: the folder may come from anywhere, and one bad line must not spoil a run. */
function isAnswer(value: unknown): value is Answer {
  if (!isJsonObject(value) || !isJsonObject(value["generated"])) return false;
  const { generated, latencyMs, createdAt } = value;
  return isAmount(latencyMs) && typeof createdAt === "string" && isGenerated(generated);
}

function isGenerated(generated: JsonObject): boolean {
  const { kind, outputText, incomplete, transcript, responseId, usage, workspace } = generated;
  return (
    kind === "answered" &&
    typeof outputText === "string" &&
    typeof incomplete === "boolean" &&
    isTranscript(transcript) &&
    (responseId === null || typeof responseId === "string") &&
    (usage === null || (isJsonObject(usage) && isUsage(usage))) &&
    (workspace === undefined || readWorkspace(workspace) !== undefined)
  );
}

function isTranscript(value: Json | undefined): boolean {
  return value === null || (Array.isArray(value) && value.every(isJsonObject));
}

function isUsage(usage: JsonObject): boolean {
  const counts: readonly (keyof Usage)[] = [
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "reasoning_tokens",
  ];
  const isCount = (name: string): boolean =>
    Number.isSafeInteger(usage[name]) && isAmount(usage[name]);
  return counts.every(isCount) && (usage["usd"] === null || isAmount(usage["usd"]));
}

function isAmount(value: Json | undefined): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
