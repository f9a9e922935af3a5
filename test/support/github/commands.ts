/** A workflow command that GitHub's runner would have executed. */
export interface Command {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

/** Every command that the runner registers, live or deprecated. */
const registered = [
  "internal-set-repo-path",
  "set-env",
  "set-output",
  "save-state",
  "add-path",
  "add-mask",
  "add-matcher",
  "remove-matcher",
  "debug",
  "warning",
  "error",
  "notice",
  "group",
  "endgroup",
  "echo",
  "stop-commands",
];

/**
 * The runner's parser: receives a log in pieces, and returns the commands that would have been executed. Follows
 * actions/runner, Runner.Common/ActionCommand.cs (TryParseV2, then TryParse) and Runner.Worker/ActionCommandManager.cs;
 * lines end at \n, \r\n and a lone \r, as .NET's StreamReader.ReadLine has it. stdout and stderr are both read, each by
 * lines of its own, with one stop token between them.
 */
export interface CommandReader {
  readonly stream: () => { readonly feed: (text: string) => void; readonly end: () => void };
  readonly executed: readonly Command[];
}

export function createCommandReader(): CommandReader {
  const executed: Command[] = [];
  let stopToken: string | undefined;
  const read = (line: string): void => {
    const known = stopToken === undefined ? registered : [...registered, stopToken];
    const command = parseV2(line, known) ?? parseV1(line, known);
    if (command === undefined) return;
    if (stopToken !== undefined) {
      if (command.name.toLowerCase() === stopToken.toLowerCase()) stopToken = undefined;
      return;
    }
    if (command.name.toLowerCase() === "stop-commands") stopToken = command.data;
    executed.push(command);
  };
  return {
    executed,
    stream: () => {
      let rest = "";
      return {
        feed: (text) => {
          const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
          rest = lines.pop() ?? "";
          lines.forEach(read);
        },
        end: () => rest.split("\r").forEach(read),
      };
    },
  };
}

/** `::name key=value,key=value::data`, at the start of the line after white space. */
function parseV2(line: string, known: readonly string[]): Command | undefined {
  const message = line.replace(/^[\s\u0085]+/, "");
  const end = message.indexOf("::", 2);
  if (!message.startsWith("::") || end < 0) return undefined;
  const { name, properties } = parseHead(message.slice(2, end), v2);
  if (!isKnown(name, known)) return undefined;
  return { name, properties, data: unescape(message.slice(end + 2), v2.dataCodes) };
}

/** `##[name key=value;key=value]data`, anywhere in the line. */
function parseV1(line: string, known: readonly string[]): Command | undefined {
  const start = line.indexOf("##[");
  const end = line.indexOf("]", start);
  if (start < 0 || end < 0) return undefined;
  const { name, properties } = parseHead(line.slice(start + 3, end), v1);
  if (!isKnown(name, known)) return undefined;
  return { name, properties, data: unescape(line.slice(end + 1), v1.dataCodes) };
}

interface Syntax {
  readonly separator: string;
  readonly propertyCodes: readonly string[];
  readonly dataCodes: readonly string[];
}

const v1Codes = ["%3B", "%0D", "%0A", "%5D", "%25"];
const v1: Syntax = { separator: ";", propertyCodes: v1Codes, dataCodes: v1Codes };
const v2: Syntax = {
  separator: ",",
  propertyCodes: ["%0D", "%0A", "%3A", "%2C", "%25"],
  dataCodes: ["%0D", "%0A", "%25"],
};

function parseHead(head: string, syntax: Syntax): Pick<Command, "name" | "properties"> {
  const space = head.indexOf(" ");
  if (space < 0) return { name: head, properties: {} };
  const properties: Record<string, string> = {};
  for (const pair of head.slice(space + 1).split(syntax.separator)) {
    const equals = pair.indexOf("=");
    if (equals > 0 && equals < pair.length - 1)
      properties[pair.slice(0, equals).trim().toLowerCase()] = unescape(
        pair.slice(equals + 1),
        syntax.propertyCodes,
      );
  }
  return { name: head.slice(0, space), properties };
}

function isKnown(name: string, known: readonly string[]): boolean {
  return known.some((one) => one.toLowerCase() === name.toLowerCase());
}

function unescape(text: string, codes: readonly string[]): string {
  return codes.reduce((result, code) => result.replaceAll(code, decodeURIComponent(code)), text);
}
