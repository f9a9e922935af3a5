import { TextDecoder } from "node:util";
import type { SaxesParser } from "saxes";
import { deepestNesting } from "../../model/json.ts";
import { problem, Refusal } from "../../model/refusal.ts";

/** Content of an XML file, in order. */
export type XmlEvent =
  | {
      readonly kind: "open";
      readonly name: string;
      readonly attributes: Readonly<Record<string, string>>;
      readonly line: number;
    }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "close"; readonly name: string };

/** Bytes of a file, with its name for messages. */
interface XmlBytes {
  readonly path: string;
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

/** Limit of one text, attribute or comment: each is held in memory whole. */
const longestText = 64 * 1024 * 1024;

/**
 * Reads an XML file of any size. Entities that a document declares are not resolved but refused where they are used, so
 * that none can expand; nothing is fetched. Control characters that XML forbids are read as U+FFFD, because tools write
 * them nevertheless. Throws a Refusal if the file is cut off or not XML.
 */
export async function* readXml(file: XmlBytes): AsyncGenerator<readonly XmlEvent[]> {
  // Compiling its patterns takes 4 ms of every start.
  const { SaxesParser: Parser } = await import("saxes");
  const reader = createReader(file.path, new Parser());
  const decode = createDecoder(file.path);
  for await (const chunk of file.bytes()) yield reader.push(decode(chunk));
  yield reader.push(decode(undefined));
  yield reader.end();
}

interface Reader {
  readonly push: (text: string) => readonly XmlEvent[];
  readonly end: () => readonly XmlEvent[];
}

function createReader(path: string, parser: SaxesParser): Reader {
  const place = { file: path };
  let events: XmlEvent[] = [];
  let unreported = 0;
  let ended = false;
  const at = (): string => `line ${parser.line}, column ${parser.columnIndex + 1}`;
  const unreadable = (reason: string): Refusal =>
    new Refusal(problem("results_unreadable", { at: at(), reason }, place));
  const open = passEventsOn(parser, {
    add: (event) => {
      unreported = 0;
      events.push(event);
    },
    refuse: (reason) => {
      throw unreadable(reason);
    },
  });
  parser.on("error", ({ message }) => {
    const reason = message.replace(/^\d+:\d+: /, "").replace(/\.$/, "");
    // A control character written as a number, such as `&#27;`: the text keeps the reference unchanged.
    if (reason === "malformed character entity") return;
    if (!ended) throw unreadable(reason);
    throw new Refusal(problem("results_truncated", { at: at(), ...innermostOf(open) }, place));
  });
  return {
    push: (text) => {
      events = [];
      unreported += text.length;
      parser.write(text.replace(forbidden, "\ufffd"));
      if (unreported <= longestText) return events;
      throw unreadable(`a text in it is longer than ${longestText / 1024 / 1024} MiB`);
    },
    end: () => {
      events = [];
      ended = true;
      parser.close();
      return events;
    },
  };
}

/** Passes on the parser's events. Returns the names of the open elements, kept up to date. */
function passEventsOn(
  parser: SaxesParser,
  found: {
    readonly add: (event: XmlEvent) => void;
    readonly refuse: (reason: string) => void;
  },
): readonly string[] {
  const open: string[] = [];
  parser.on("opentag", ({ name, attributes }) => {
    open.push(name);
    if (open.length > deepestNesting)
      found.refuse(`it is nested deeper than ${deepestNesting} levels`);
    found.add({ kind: "open", name: localName(name), attributes, line: parser.line });
  });
  parser.on("closetag", ({ name }) => {
    open.pop();
    found.add({ kind: "close", name: localName(name) });
  });
  const addText = (text: string): void => found.add({ kind: "text", text });
  parser.on("text", addText);
  parser.on("cdata", addText);
  return open;
}

/** Characters that XML 1.0 does not allow, not even by number. */
// oxlint-disable-next-line no-control-regex -- these are what it is about
const forbidden = /[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function innermostOf(open: readonly string[]): { readonly of?: string } {
  const name = open.at(-1);
  return name === undefined ? {} : { of: `<${name}>` };
}

/** The name without its namespace: `testcase` for `ns:testcase`. */
function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Decodes bytes by the byte order mark, or by the XML declaration at the start. */
function createDecoder(path: string): (chunk: Uint8Array | undefined) => string {
  let decoder: TextDecoder | undefined;
  let first = Buffer.alloc(0);
  return (chunk) => {
    if (decoder !== undefined) return decoder.decode(chunk, { stream: chunk !== undefined });
    first = Buffer.concat([first, chunk ?? Buffer.alloc(0)]);
    if (chunk !== undefined && first.length < longestDeclaration) return "";
    decoder = decoderOf(first, path);
    return decoder.decode(first, { stream: chunk !== undefined });
  };
}

const longestDeclaration = 256;

function decoderOf(first: Buffer, path: string): TextDecoder {
  if (first[0] === 0xfe && first[1] === 0xff) return new TextDecoder("utf-16be");
  if (first[0] === 0xff && first[1] === 0xfe) return new TextDecoder("utf-16le");
  const start = first.toString("latin1", 0, longestDeclaration);
  const encoding = /^(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*?\sencoding=["']([\w.:-]+)["']/.exec(
    start,
  )?.[1];
  try {
    return new TextDecoder(encoding ?? "utf-8");
  } catch (cause) {
    const reason = `its encoding ${JSON.stringify(encoding)} is not known`;
    const found = { at: "line 1", reason };
    throw new Refusal(problem("results_unreadable", found, { file: path }), { cause });
  }
}
