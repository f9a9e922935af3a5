import { type JsonObject, jsonObjectIn } from "../model/json.ts";

/** Limit of one frame from a host, in bytes; `python/regrade/frames.py` has the same number. */
const frameLimit = 4 * 1024 * 1024;

/**
 * A frame: 4 bytes of length (big endian), then that many bytes of UTF-8: the lines, joined by line breaks. The lines
 * are not joined as texts first, which would copy each of them twice more.
 */
export function encodeFrame(lines: readonly string[]): Buffer {
  const breaks = lines.length - 1;
  const length = lines.reduce((sum, line) => sum + Buffer.byteLength(line), breaks);
  const frame = Buffer.allocUnsafe(4 + length);
  frame.writeUInt32BE(length, 0);
  let at = 4;
  for (const line of lines) {
    if (at > 4) at += frame.write("\n", at);
    at += frame.write(line, at);
  }
  return frame;
}

/** A host's message: the head is the host's own, the lines after it may come from user code. */
export interface HostMessage {
  /** undefined if it is not a JSON object. */
  readonly head: JsonObject | undefined;
  readonly body: string;
}

/** Splits a message into its head and the lines after it. */
export function readMessage(text: string): HostMessage {
  const end = text.indexOf("\n");
  if (end === -1) return { head: jsonObjectIn(text), body: "" };
  return { head: jsonObjectIn(text.slice(0, end)), body: text.slice(end + 1) };
}

interface Cut {
  /** The frames that are complete. */
  readonly frames: readonly string[];
  /** True if an impossible length follows the frames: the rest can't be read. */
  readonly malformed: boolean;
}

/** Cuts a stream of bytes into frames. */
export function createFrameReader(): (chunk: Buffer) => Cut {
  let rest: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    rest.push(chunk);
    size += chunk.length;
    if (size < wanted(rest[0])) return { frames: [], malformed: false };
    const bytes = rest.length === 1 ? chunk : Buffer.concat(rest);
    const { frames, end, malformed } = cut(bytes);
    rest = end === bytes.length ? [] : [bytes.subarray(end)];
    size = bytes.length - end;
    return { frames, malformed };
  };
}

/** Number of bytes until the first frame is complete: a frame in many chunks is joined once, not at each chunk. */
function wanted(first: Buffer | undefined): number {
  if (first === undefined || first.length < 4) return 4;
  const length = first.readUInt32BE(0);
  return length > frameLimit ? 0 : 4 + length;
}

function cut(bytes: Buffer): Cut & { readonly end: number } {
  const frames: string[] = [];
  let at = 0;
  while (bytes.length - at >= 4) {
    const length = bytes.readUInt32BE(at);
    if (length > frameLimit) return { frames, malformed: true, end: bytes.length };
    if (bytes.length - at - 4 < length) break;
    frames.push(bytes.toString("utf8", at + 4, at + 4 + length));
    at += 4 + length;
  }
  return { frames, malformed: false, end: at };
}
