import {
  Tokenizer,
  TokenizerError,
  TokenParser,
  TokenParserError,
  TokenType,
} from "@streamparser/json";
import { deepestNesting, type Json } from "../model/json.ts";
import { problem, Refusal } from "../model/refusal.ts";

/** A requested value. */
export interface JsonPart {
  /** Its keys and positions from the top: `["results", "results", 3]`. */
  readonly path: readonly (string | number)[];
  readonly value: Json;
  /** Number of bytes read at its end: earlier bytes are not needed any more. */
  readonly end: number;
}

/** Bytes of a file, with its name for messages. */
export interface JsonBytes {
  readonly path: string;
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

/**
 * Reads parts of a JSON file of any size without holding the rest in memory. `wanted` names them from the top, `*` for
 * any key or position: `$.results.results.*`. They are yielded in the order in which they end. Python's extensions of
 * JSON (`NaN`, `Infinity`) are read as null. Throws a Refusal if the file is cut off, not JSON, nested too deeply, or has
 * a text that is too long.
 */
export async function* readJsonFile(
  file: JsonBytes,
  wanted: readonly string[],
): AsyncGenerator<JsonPart> {
  const reader = createReader(file.path, wanted);
  for await (const chunk of file.bytes()) yield* reader.push(chunk);
  reader.end();
}

/** Limit of one text in bytes: it is collected in memory even if it is not needed. */
const longestText = 32 * 1024 * 1024;

interface Reader {
  readonly push: (chunk: Uint8Array) => readonly JsonPart[];
  readonly end: () => void;
}

function createReader(path: string, wanted: readonly string[]): Reader {
  let parts: JsonPart[] = [];
  let [depth, at] = [0, 0];
  let [heard, silent] = [false, 0];
  let last: JsonPart["path"] = [];
  const parser = new TokenParser({ paths: [...wanted], keepStack: false });
  parser.onValue = ({ value, key, stack }) => {
    last = [...stack.slice(1).map((level) => level.key), key].filter((step) => step !== undefined);
    if (value !== undefined) parts.push({ path: last, value, end: at });
  };
  const tokens = createTokens((token, offset) => {
    at = offset;
    heard = true;
    if (typeof token.value === "string" && token.value.length > longestText) throw tooLong(at);
    depth += nesting(token.token);
    if (depth > deepestNesting)
      throw new Unreadable(`it is nested deeper than ${deepestNesting} levels`, at);
    parser.write(token);
  });
  return {
    push: (chunk) => {
      parts = [];
      try {
        heard = false;
        tokens.push(chunk);
        // Chunks without a token belong to a text that has not ended yet, after the last comma or colon.
        silent = heard ? 0 : silent + chunk.length;
        if (silent > longestText) throw tooLong(at + 1);
      } catch (cause) {
        const { message: reason, at: where = at } = asUnreadable(cause);
        const found = { at: `byte ${where}`, reason };
        throw new Refusal(problem("results_unreadable", found, { file: path }), { cause });
      }
      return parts;
    },
    end: () => {
      // This must come before the end, where a number that was cut off would count as whole.
      const of = last.length === 0 ? {} : { of: placeAfter(last) };
      if (tokens.end() && parser.isEnded) return;
      const found = { at: `byte ${tokens.size()}`, ...of };
      throw new Refusal(problem("results_truncated", found, { file: path }));
    },
  };
}

/** Stays within this file: `readJsonFile` makes a Refusal of it. */
class Unreadable extends Error {
  /** undefined: the fault is at the last token. */
  readonly at: number | undefined;

  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}

/** Uses our own messages, because the library's describe its states. Any other exception is a bug of Regrade. */
function asUnreadable(cause: unknown): Unreadable {
  if (cause instanceof Unreadable) return cause;
  if (cause instanceof RangeError) return new Unreadable("a text in it is longer than can be held");
  if (cause instanceof TypeError) return new Unreadable("it is not valid UTF-8");
  const found = cause instanceof TokenParserError && /\((.*)\) in state/s.exec(cause.message)?.[1];
  if (typeof found !== "string") throw cause;
  return new Unreadable(`${found} is not expected there`);
}

function tooLong(at: number): Unreadable {
  return new Unreadable(`a text is longer than ${longestText / 1024 / 1024} MiB there`, at);
}

function nesting(token: TokenType): number {
  if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) return 1;
  return token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET ? -1 : 0;
}

function placeAfter(path: JsonPart["path"]): string {
  return `what comes after '${formatJsonPath(path)}'`;
}

/** The path as people write it: `results.results[3]`. */
export function formatJsonPath(path: JsonPart["path"]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

interface Tokens {
  readonly push: (chunk: Uint8Array) => void;
  /** False if a token is unfinished. */
  readonly end: () => boolean;
  readonly size: () => number;
}

/** Unexpected text after which JSON is invalid, and its offset in the file. */
interface Stop {
  readonly at: number;
  readonly rest: Buffer;
}

/** Python's names for numbers that JSON lacks; no word of JSON has a capital letter. */
const constants = ["NaN", "Infinity"];

/**
 * The tokens of a file. The tokenizer stops at a constant of Python's, because it is not JSON: a new tokenizer
 * continues after the constant, so that files without constants, which are nearly all, cost nothing.
 */
function createTokens(onToken: (token: ParsedToken, offset: number) => void): Tokens {
  let [tokenizer, base, size] = [new Tokenizer(), 0, 0];
  let stop: Stop | undefined;
  const begin = (at: number): void => {
    tokenizer = new Tokenizer();
    base = at;
    tokenizer.onToken = (token) => onToken(isFinite(token) ? token : nothing, base + token.offset);
  };
  begin(0);
  return {
    push: (chunk) => {
      if (stop === undefined) stop = feed(tokenizer, chunk, base);
      else stop = { at: stop.at, rest: Buffer.concat([stop.rest, chunk]) };
      size += chunk.length;
      while (stop !== undefined) {
        const { at, rest } = stop;
        const text = rest.toString("latin1", 0, longestConstant);
        const word = constants.find((constant) => text.startsWith(constant));
        if (word === undefined && !isBegun(text)) throw unexpected(stop);
        if (word === undefined) return;
        onToken(nothing, at);
        begin(at + word.length);
        stop = feed(tokenizer, rest.subarray(word.length), base);
      }
    },
    end: () => {
      if (stop !== undefined || size === 0) return false;
      try {
        tokenizer.end();
        return true;
      } catch (cause) {
        if (cause instanceof TokenizerError) return false;
        throw cause;
      }
    },
    size: () => size,
  };
}

const longestConstant = Math.max(...constants.map(({ length }) => length));

/** True if the chunk ends within a constant. */
function isBegun(text: string): boolean {
  return constants.some((constant) => constant.startsWith(text));
}

/** Numbers too large for floating point, such as `1e999`, are as useless as Python's constants. */
function isFinite({ value }: ParsedToken): boolean {
  return typeof value !== "number" || Number.isFinite(value);
}

const nothing: ParsedToken = { token: TokenType.NULL, value: null };

type ParsedToken = Parameters<TokenParser["write"]>[0];

/** A value may start here, perhaps after the minus of `-Infinity`; elsewhere a constant is an error too. */
const stoppedBeforeValue =
  /at chunk position "(\d+)" \(absolute position "(\d+)"\) in state (?:(BOM_OR_START|START|NUMBER_AFTER_INITIAL_MINUS)$)?/;

function feed(tokenizer: Tokenizer, chunk: Uint8Array, base: number): Stop | undefined {
  try {
    tokenizer.write(chunk);
    return undefined;
  } catch (cause) {
    const [, inChunk, offset, state] =
      (cause instanceof TokenizerError && stoppedBeforeValue.exec(cause.message)) || [];
    if (inChunk === undefined || offset === undefined) throw cause;
    const stop = {
      at: base + Number(offset),
      rest: Buffer.from(chunk.subarray(Number(inChunk))),
    };
    if (state === undefined) throw unexpected(stop);
    return stop;
  }
}

function unexpected({ at, rest }: Stop): Unreadable {
  // The first byte of a UTF-16 byte order mark, which is never valid UTF-8.
  const isUtf16 = at === 0 && (rest[0] === 0xff || rest[0] === 0xfe);
  if (isUtf16) return new Unreadable("it is UTF-16; save it as UTF-8", at);
  const letter = rest.toString("utf8", 0, 4).at(0) ?? "";
  return new Unreadable(`${JSON.stringify(letter)} is not expected there`, at);
}
