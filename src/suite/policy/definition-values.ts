import { cutText } from "../../base/cut-text.ts";
import type { HiddenText } from "../../model/ports/secrets.ts";

/** A setting of a candidate by its path, such as `mcp_servers.kb.url`; its value is only named if it may be secret. */
export type Setting = readonly [path: string, value: unknown];

/** Keys whose objects are compared key by key. */
const opened =
  /^(?:provider|generation|program|cassette|workspace|require|headers|mcp_servers)$|^provider\.headers$|^mcp_servers\.[^.]+(?:\.(?:env|headers))?$|^program\.(?:provider|generation)(?:\.headers)?$/;

/** Keys that other notes tell of, or that say the same as another key. */
const leftOut =
  /^(?:id|name|answeredBefore|usual_env|fence)$|^(?:program\.)?provider\.(?:id|builtin|passthrough|prices)$|^program\.(?:kind|name)$/;

/** The settings of a candidate, or of anything like it, in the order of its keys. Files count by their path. */
export function definedBy(of: object, above = ""): readonly Setting[] {
  return Object.entries(of).flatMap(([key, given]: [string, unknown]): readonly Setting[] => {
    const path = `${above}${key}`;
    const value = withoutRoots(given);
    if (value === undefined || leftOut.test(path)) return [];
    if (typeof value === "object" && value !== null && opened.test(path))
      return definedBy(value, `${path}.`);
    return [[path, value]];
  });
}

/** Paths of files are relative to the manifest; where the checkout is, does not matter. */
export function withoutRoots(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRoots);
  if (typeof value !== "object" || value === null) return value;
  if ("absolute" in value && "path" in value) return value.path;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
      each === undefined || key === "absolute" ? [] : [[key, withoutRoots(each)]],
    ),
  );
}

/** Keys whose texts are no secrets and short. Numbers are always shown, and all other values never. */
const shownKeys =
  /(?:^|\.)(?:kind|type|command|worker|setup|runtime|events|model|api|api_key_env|url|base_url|method|env|pass|inputs|output|tool_calls|tools|skills|file|folder|files|format|mode|output_field|id_field|transcript|service_tier|truncation|tool_use|tool_success)$/;

/** `[python3, app.py] → [python3, old_app.py]`; undefined if the values are not to be shown. */
export function bothShown(
  path: string,
  [before, after]: readonly [unknown, unknown],
  hidden: readonly HiddenText[],
): string | undefined {
  const [one, other] = [pieces(path, before), pieces(path, after)];
  if (one === undefined || other === undefined) return undefined;
  const [left, right] = shortened(hide(one, hidden), hide(other, hidden));
  return left === right ? undefined : `${left} → ${right}`;
}

interface Pieces {
  readonly isList: boolean;
  readonly words: readonly string[];
}

/** The words of a value; undefined if it may be secret, or is no list of words. */
function pieces(path: string, value: unknown): Pieces | undefined {
  if (value === undefined) return { isList: false, words: ["none"] };
  if (typeof value === "number" || typeof value === "boolean")
    return { isList: false, words: [String(value)] };
  if (!shownKeys.test(path)) return undefined;
  if (typeof value === "string") return { isList: false, words: [value] };
  if (Array.isArray(value) && value.every((each) => typeof each === "string"))
    return { isList: true, words: value };
  return undefined;
}

const secretName = /key(?!word|board)|token(?!s)|secret|passw|credential|auth(?!or)|bearer/i;

/** Words without what may be secret in them: values of flags and variables, and parts of addresses. */
function hide({ isList, words }: Pieces, hidden: readonly HiddenText[]): Pieces {
  const shown = words.map((word, i) => {
    const before = words[i - 1] ?? "";
    if (before.startsWith("-") && !before.includes("=") && secretName.test(before)) return "…";
    const known = hidden.reduce((text, each) => text.replaceAll(each.text, each.shown), word);
    return withoutSecrets(known);
  });
  return { isList, words: shown };
}

function withoutSecrets(text: string): string {
  return text
    .replaceAll(/:\/\/[^/\s@]*@/g, "://…@")
    .replaceAll(/(:\/\/[^\s?#]*)[?#]\S+/g, "$1?…")
    .replaceAll(/(?<![\w-])([\w-]+)([=:]\s*)\S+/g, (all: string, name: string, sign: string) =>
      secretName.test(name) ? `${name}${sign}…` : all,
    )
    .replaceAll(/(bearer\s+)\S+/gi, "$1…");
}

/** Number of characters of each side that are shown. */
const longest = 100;

/** Both sides as texts; what is the same in both is left out where they are long. */
function shortened(one: Pieces, other: Pieces): readonly [string, string] {
  const [left, right] = [asText(one), asText(other)];
  if (Math.max(left.length, right.length) <= longest) return [left, right];
  const isList = one.isList && other.isList;
  const [a, b] = isList
    ? withoutSame(one.words, other.words)
    : withoutSame(Array.from(left), Array.from(right));
  return [cut(asText({ isList, words: a })), cut(asText({ isList, words: b }))];
}

function cut(text: string): string {
  return text.length <= longest ? text : `${cutText(text, longest)}…`;
}

/** Replaces what both begin and end with by `…`. */
function withoutSame(
  one: readonly string[],
  other: readonly string[],
): readonly [readonly string[], readonly string[]] {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const within = (all: readonly string[]): readonly string[] => [
    ...(start > 0 ? ["…"] : []),
    ...all.slice(start, all.length - end),
    ...(end > 0 ? ["…"] : []),
  ];
  return [within(one), within(other)];
}

function asText({ isList, words }: Pieces): string {
  const shown = words.map((word) => (isList ? asWord(word) : oneLine(word)));
  return isList ? `[${shown.join(", ")}]` : shown.join("");
}

function asWord(word: string): string {
  const line = oneLine(word);
  return line === "" || /[\s,"'[\]]/.test(line) ? JSON.stringify(line) : line;
}

/** Backticks would end a name within the sentence. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("`", "'");
}

/** A name from a manifest, as a name within a sentence. */
export function asName(text: string): string {
  return `\`${cutText(oneLine(text), 80)}\``;
}
