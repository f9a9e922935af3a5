/** Values that a program may receive: constants of other files, environment variables, words of its command. */
export interface Given {
  readonly constants: ReadonlyMap<string, string>;
  /** Words after the script in the command. */
  readonly words: readonly string[];
}

export const nothingGiven: Given = { constants: new Map(), words: [] };

/** Number of times that the rules are applied, because parts may themselves be composed of parts. */
const mostRounds = 8;
const longestText = 400_000;

/**
 * A program's text with its string expressions evaluated, each result in double quotes: joined, formatted, cut,
 * reversed and replaced strings, strings made from character codes, and the constants of the file. *Not* evaluated:
 * results of loops and functions. Pure.
 */
export function foldedText(text: string, given: Given = nothingGiven): string {
  let folded = withArguments(marked(text), given.words);
  for (let round = 0; round < mostRounds; round += 1) {
    const constants = new Map([...given.constants, ...assignedIn(folded)]);
    const next = rules.reduce((each, apply) => apply(each), withConstants(folded, constants));
    if (next === folded || next.length > longestText) break;
    folded = next;
  }
  return folded.replaceAll(/[\u2039\u203A]/g, '"');
}

const strings =
  /"""([\s\S]*?)"""|'''([\s\S]*?)'''|(?<!\\)(?:"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`)/g;

function marked(text: string): string {
  return text
    .replaceAll(/[\u2039\u203A]/g, "'")
    .replaceAll(/(?<!["'`\w])(?:[rbfu]|rb|br|fr|rf)(?=["'])/gi, "")
    .replaceAll(strings, (_, ...groups: readonly unknown[]) => {
      const inner = groups.slice(0, 5).find((each) => typeof each === "string");
      return quotedOr("", inner ?? "");
    });
}

/** Marks around strings during the evaluation, so that the end of one is not taken for the beginning of the next. */
const [opening, closing] = ["\u2039", "\u203A"];
const one = String.raw`\u2039([^\u2039\u203A\n]{0,400})\u203A`;
const many = String.raw`(\u2039[^\u2039\u203A\n]{0,400}\u203A(?:\s*,\s*\u2039[^\u2039\u203A\n]{0,400}\u203A){0,200})`;

/** Strings with a name: `DIR = "data"`, `dir: "data"`, `DIR=data`, and texts that are appended to them. */
export function constantsOf(text: string): ReadonlyMap<string, string> {
  return assignedIn(marked(text));
}

function assignedIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const assigned = new RegExp(
    String.raw`(?<![\w$])\u2039?([A-Za-z_$][\w$]*)\u203A?\]?\s*(?::\s*\w+\s*)?(\+=|:=|=(?!=)|:)\s*\(?\s*${one}(?![^\S\n]*[+%/.\[\w])`,
    "g",
  );
  for (const [, name = "", sign, value = ""] of text.matchAll(assigned))
    found.set(name, sign === "+=" ? `${found.get(name) ?? ""}${value}` : value);
  const tuples = new RegExp(String.raw`^\s*(\w+(?:\s*,\s*\w+)+)\s*=\s*\(?${many}`, "gm");
  for (const [, names = "", values = ""] of text.matchAll(tuples))
    for (const [i, name] of names.split(/\s*,\s*/).entries())
      found.set(name, literalsIn(values)[i] ?? "");
  const bare = /(?<=^|[\s;])(?:export\s+)?([A-Za-z_]\w*)=([\w.*/-]+)(?=$|[\s;])/gm;
  for (const [, name = "", value = ""] of text.matchAll(bare))
    if (!found.has(name)) found.set(name, value);
  return found;
}

function literalsIn(text: string): readonly string[] {
  return [...text.matchAll(new RegExp(one, "g"))].map(([, each = ""]) => each);
}

const environment =
  /\b(?:os\.environ(?:\.get)?|(?:os\.)?getenv|process\.env|Deno\.env\.get|ENV(?:\.fetch)?|env::var|os\.Getenv)\s*[[(]\s*\u2039(\w+)\u203A[^\])\n]{0,80}[\])]/g;
/** A name with its qualifiers, unless it is called or assigned to. */
const identifiers =
  /(?<![\w$.])(?:[A-Za-z_$][\w$]*\.){0,4}([A-Za-z_$][\w$]*)(?![\w$])(?!\s*(?:[(:\u2039]|\+?=(?!=)))/g;
const keyed = /(?<![\w$.])[A-Za-z_$][\w$.]*\[\s*\u2039([A-Za-z_]\w*)\u203A\s*\](?!\s*=(?!=))/g;
const placeholders =
  /[$#]?\{\s*(?:[A-Za-z_]\w*\.){0,4}([A-Za-z_]\w*)\s*\}|\$([A-Za-z_]\w*)|%\(([A-Za-z_]\w*)\)s/g;

function withConstants(text: string, constants: ReadonlyMap<string, string>): string {
  const placed = text
    .replaceAll(/\$?\{\s*'([^'{}]*)'\s*\}/g, "$1")
    .replaceAll(environment, (all, name: string) => quotedOr(all, constants.get(name)))
    .replaceAll(
      placeholders,
      (all, ...names: readonly (string | undefined)[]) =>
        constants.get(names.slice(0, 3).find((each) => each !== undefined) ?? "") ?? all,
    );
  return placed
    .replaceAll(keyed, (all, name: string) => quotedOr(all, constants.get(name)))
    .split(/(\u2039[^\u2039\u203A\n]*\u203A)/)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part.replaceAll(identifiers, (all, name: string) => quotedOr(all, constants.get(name))),
    )
    .join("");
}

function quotedOr(text: string, value: string | undefined): string {
  return value === undefined
    ? text
    : `${opening}${value.replaceAll(/["\u2039\u203A]/g, "'")}${closing}`;
}

/** Replaces references to arguments by the arguments: `sys.argv[1]`, `process.argv[2]`, `$1`. */
function withArguments(text: string, words: readonly string[]): string {
  if (words.length === 0) return text;
  const argument =
    /([$#]?\{\s*)?(?:\b(sys|process|os)\.(?:argv|Args)|\bARGV)\s*\[\s*(\d)\s*\](?:\s*\})?|\$\{?(\d)\}?/g;
  return text.replaceAll(argument, (all, ...groups: readonly unknown[]) => {
    const [brace, owner, at, shell] = groups;
    if (typeof shell === "string") return words[Number(shell) - 1] ?? all;
    const first = owner === "process" ? 2 : owner === undefined ? 0 : 1;
    const word = words[Number(at) - first];
    return brace === undefined ? quotedOr(all, word) : (word ?? all);
  });
}

type Rule = (text: string) => string;

function rule(pattern: string, put: (...groups: readonly string[]) => string | undefined): Rule {
  const sought = new RegExp(pattern, "g");
  return (text) =>
    text.replaceAll(sought, (all, ...groups: readonly unknown[]) => {
      const made = put(...groups.map((each) => (typeof each === "string" ? each : "")));
      return quotedOr(all, made);
    });
}

const listed = String.raw`[[({]\s*${many}\s*,?\s*[\])}]`;
const plainCalls =
  "(?:lower|strip|trim|casefold|toLowerCase|toString|decode|encode|valueOf|downcase|to_s|to_string|as_posix|normalize)";
const numbers = String.raw`((?:0x[0-9a-f]{2}|\d{2,3})(?:\s*,\s*(?:0x[0-9a-f]{2}|\d{2,3})){3,200})`;

const rules: readonly Rule[] = [
  // Character codes.
  rule(
    String.raw`\b(?:chr|String\.fromCharCode|rune)\(\s*(\d{2,3}|0x[0-9a-fA-F]{2})\s*\)`,
    (code = "") => characters([code]),
  ),
  rule(
    String.raw`(?:\b(?:String\.from(?:CharCode|CodePoint))\(|[[({])\s*${numbers}\s*,?\s*[\])}]`,
    (codes = "") => characters(codes.split(",")),
  ),
  // Cut, reversed and replaced strings.
  rule(String.raw`${one}\[::-1\]`, reversed),
  rule(
    String.raw`${one}\.split\(\u2039\u203A\)\.(?:reverse|toReversed)\(\)\.join\(\u2039\u203A\)`,
    reversed,
  ),
  rule(
    String.raw`(?:\[\.\.\.|Array\.from\()${one}[\])]\.(?:reverse|toReversed)\(\)\.join\(\u2039\u203A\)`,
    reversed,
  ),
  rule(String.raw`\u2039\u203A\.join\(\s*reversed\(\s*${one}\s*\)\s*\)`, reversed),
  rule(String.raw`${one}\.reverse\b(?!\()`, reversed),
  rule(String.raw`${one}\[(-?\d*):(-?\d*)\]`, sliced),
  rule(String.raw`${one}\.(?:slice|substring)\(\s*(-?\d+)\s*(?:,\s*(-?\d+)\s*)?\)`, sliced),
  rule(String.raw`${one}\.(?:replace|replaceAll|gsub|sub)\(\s*${one}\s*,\s*${one}\s*\)`, replaced),
  rule(
    String.raw`${one}\.(?:replace|replaceAll|gsub|sub)\(\s*/([^/\n]{1,20})/\w*\s*,\s*${one}\s*\)`,
    replaced,
  ),
  rule(String.raw`${one}\.${plainCalls}\([^()\n]{0,20}\)`, (text) => text),
  rule(String.raw`\b(?:str|String|decodeURIComponent|unquote)\(\s*${one}\s*\)`, (text) => text),
  // Joined and formatted strings.
  rule(String.raw`${one}\.join\(\s*${listed}\s*\)`, (mark = "", words = "") =>
    literalsIn(words).join(mark),
  ),
  rule(String.raw`\[\s*${many}\s*,?\s*\]\.join\(\s*(?:${one})?\s*\)`, (words = "", mark = "") =>
    literalsIn(words).join(mark),
  ),
  rule(
    String.raw`\bstrings\.Join\(\s*\[\]string${listed}\s*,\s*${one}\s*\)`,
    (words = "", mark = "") => literalsIn(words).join(mark),
  ),
  rule(
    String.raw`(?<![\u203A\])]\.)\b(?:[\w.]+\.)?(?:join|Join|resolve)\(\s*(?:[^()\u2039\u203A\n]{0,120},\s*)?${many}\s*\)`,
    asPath,
  ),
  rule(String.raw`(?<=\bPath\()\s*${many}\s*(?=\))`, asPath),
  rule(
    String.raw`\bPath\(\s*${one}\s*\)\.with_suffix\(\s*${one}\s*\)`,
    (path = "", ending = "") => `${path}${ending}`,
  ),
  rule(String.raw`${one}\s*%\s*\(?\s*${many}\s*,?\s*\)?`, formatted),
  rule(String.raw`${one}\.format\(\s*${many}\s*\)`, formatted),
  rule(String.raw`\b[\w.]*(?:printf|format)!?\(\s*${one}\s*,\s*${many}\s*\)`, formatted),
  rule(String.raw`${one}\.concat\(\s*${many}\s*\)`, (text = "", words = "") =>
    [text, ...literalsIn(words)].join(""),
  ),
  rule(String.raw`${one}\s*(?:\+|\.\.?|\\)?\s*${one}`, (text = "", more = "") => `${text}${more}`),
  rule(String.raw`${one}\s*/\s*${one}`, (text = "", more = "") => `${text}/${more}`),
  rule(String.raw`(?<=[=+(,[/%]\s?)\(\s*${one}\s*\)`, (text) => text),
  rule(String.raw`\b(?:os|path|posixpath)\.(?:sep|path\.sep)\b`, () => "/"),
];

function characters(codes: readonly string[]): string | undefined {
  const values = codes.map((each) => Number(each.trim()));
  const isText = values.every((each) => each >= 32 && each < 127);
  return isText ? String.fromCharCode(...values) : undefined;
}

function reversed(text = ""): string {
  return Array.from(text).toReversed().join("");
}

function sliced(text = "", from = "", to = ""): string {
  return text.slice(from === "" ? 0 : Number(from), to === "" ? undefined : Number(to));
}

function replaced(text = "", word = "", by = ""): string {
  return word === "" ? text : text.replaceAll(word, () => by);
}

function asPath(words = ""): string {
  return literalsIn(words).join("/");
}

function formatted(text = "", words = ""): string {
  const values = literalsIn(words);
  let at = 0;
  return text.replaceAll(/%[sv]|\{(\d*)\}/g, (all, index: string | undefined) => {
    const value = values[index === undefined || index === "" ? at : Number(index)];
    at += 1;
    return value ?? all;
  });
}
