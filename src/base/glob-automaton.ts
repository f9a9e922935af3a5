import { tokenize, type Token } from "./glob-tokens.ts";

export interface GlobOptions {
  /**
   * True for paths: `*` and `?` stop at `/`, `**` as a whole step does not. Otherwise `/` is a character like any
   * other.
   */
  readonly isPath: boolean;
  /** True if a wildcard matches the dot at the start of a step of a path. */
  readonly dot: boolean;
}

/** True if a state accepts this character. `isFirst`: the character begins a step of a path. */
type Test = (character: string, isFirst: boolean) => boolean;

/** Reads one character that passes `test` and moves to state `to`; or moves to `skips` without reading. */
export interface State {
  readonly test?: Test;
  readonly to?: number;
  readonly skips: number[];
  /** The one character that `test` accepts. */
  readonly literal?: string;
}

export interface Automaton {
  readonly states: readonly State[];
  readonly first: number;
  readonly last: number;
}

/** The reason why a pattern is refused, as a clause. */
export class GlobFault extends Error {}

const maxLength = 2000;
const maxStates = 10_000;

/** Converts a pattern to states. Throws a GlobFault if it is too large, or has features that automata don't support. */
export function compileGlob(pattern: string, options: GlobOptions): Automaton {
  if (pattern.length > maxLength) throw new GlobFault(`it is longer than ${maxLength} characters`);
  const tokens = tokenize(pattern);
  const plan: Plan = { tokens, groups: findGroups(tokens), options, states: [] };
  const last = add(plan, { skips: [] });
  const first = sequence(plan, { from: 0, to: tokens.length }, { next: last, opensStep: true });
  return { states: plan.states, first, last };
}

interface Plan {
  readonly tokens: readonly Token[];
  /** Closed groups, by the position of their opening bracket. */
  readonly groups: ReadonlyMap<number, Group>;
  readonly options: GlobOptions;
  readonly states: State[];
}

interface Group {
  readonly close: number;
  /** Positions of `,` in braces, of `|` in parentheses. */
  readonly separators: readonly number[];
}

function add({ states }: Plan, state: State): number {
  if (states.length === maxStates)
    throw new GlobFault(`it stands for more than ${maxStates} characters, its braces written out`);
  states.push(state);
  return states.length - 1;
}

function isSpecial(token: Token | undefined, characters: string): boolean {
  return token?.kind === "special" && characters.includes(token.character);
}

/** Closed brackets; an unclosed one is literal. */
function findGroups(tokens: readonly Token[]): ReadonlyMap<number, Group> {
  const groups = new Map<number, Group>();
  const open: { readonly at: number; readonly isBrace: boolean; readonly separators: number[] }[] =
    [];
  for (const [at, token] of tokens.entries()) {
    if (isSpecial(token, "{")) open.push({ at, isBrace: true, separators: [] });
    else if (isSpecial(token, "(") && isSpecial(tokens[at - 1], "?*+@!"))
      open.push({ at, isBrace: false, separators: [] });
    else if (isSpecial(token, ",|")) {
      const inner = open.at(-1);
      if (inner?.isBrace === isSpecial(token, ",")) inner.separators.push(at);
    } else if (isSpecial(token, "})")) {
      const place = open.findLastIndex(({ isBrace }) => isBrace === isSpecial(token, "}"));
      const opened = open[place];
      if (opened === undefined) continue;
      open.length = place;
      groups.set(opened.at, { close: at, separators: opened.separators });
    }
  }
  return groups;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The state that follows, and whether a step of a path may begin here. */
interface Around {
  readonly next: number;
  readonly opensStep: boolean;
}

/** Tokens that form one unit of the pattern. */
type Item = Range &
  (
    | { readonly kind: "token" }
    | { readonly kind: "stars" }
    | { readonly kind: "list"; readonly texts: readonly string[] }
    | { readonly kind: "group"; readonly repeat: string; readonly branches: readonly Range[] }
  );

/** Adds the states of some tokens, from the last to the first; returns the first state. */
function sequence(plan: Plan, range: Range, { next, opensStep }: Around): number {
  const items = itemsOf(plan, range);
  let after = next;
  for (const [i, item] of [...items.entries()].toReversed()) {
    const before = plan.tokens[item.from - 1];
    const opens = i === 0 ? opensStep : isSpecial(before, "/");
    after = addItem(plan, item, { next: after, opensStep: opens });
  }
  return after;
}

function itemsOf(plan: Plan, { from, to }: Range): readonly Item[] {
  const items: Item[] = [];
  for (let at = from; at < to; at = items.at(-1)?.to ?? to) items.push(itemAt(plan, at));
  return items;
}

function itemAt(plan: Plan, at: number): Item {
  const { tokens, groups } = plan;
  const isRepeated = isSpecial(tokens[at + 1], "(") && isSpecial(tokens[at], "?*+@!");
  const group = isRepeated ? groups.get(at + 1) : groups.get(at);
  if (group !== undefined && isRepeated) {
    const repeat = characterOf(tokens[at]);
    if (repeat === "!")
      throw new GlobFault("`!(…)` is not supported: write a pattern of the names that are meant");
    return { kind: "group", from: at, to: group.close + 1, repeat, branches: split(at + 1, group) };
  }
  if (group !== undefined) {
    const range = { from: at, to: group.close + 1 };
    if (group.separators.length > 0)
      return { kind: "group", ...range, repeat: "@", branches: split(at, group) };
    const texts = listOf(tokens.slice(at + 1, group.close));
    if (texts !== undefined) return { kind: "list", ...range, texts };
  }
  if (!isSpecial(tokens[at], "*")) return { kind: "token", from: at, to: at + 1 };
  let end = at + 1;
  while (isSpecial(tokens[end], "*") && !groups.has(end + 1)) end += 1;
  return { kind: "stars", from: at, to: end };
}

function characterOf(token: Token | undefined): string {
  return token === undefined || token.kind === "class" ? "" : token.character;
}

function split(open: number, { close, separators }: Group): readonly Range[] {
  const ends = [...separators, close];
  return ends.map((to, i) => ({ from: (ends[i - 1] ?? open) + 1, to }));
}

/** `1..9`, `01..10`, `a..e`, `1..9..2`: the texts that the braces around it generate. */
function listOf(tokens: readonly Token[]): readonly string[] | undefined {
  const text = tokens.map(characterOf).join("");
  const found = /^(?:(-?\d{1,15})\.\.(-?\d{1,15})|([a-z])\.\.([a-z]))(?:\.\.(-?\d{1,15}))?$/i.exec(
    text,
  );
  if (found === null) return undefined;
  const [, low, high, first = "", last = "", by = "1"] = found;
  const isNumber = low !== undefined && high !== undefined;
  const from = isNumber ? Number(low) : (first.codePointAt(0) ?? 0);
  const to = isNumber ? Number(high) : (last.codePointAt(0) ?? 0);
  const step = Math.max(1, Math.abs(Number(by)));
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > maxStates) throw new GlobFault(`{${text}} stands for more than ${maxStates} texts`);
  const isPadded = isNumber && [low, high].some((each) => /^-?0\d/.test(each));
  const width = isPadded ? Math.max(low.length, high.length) : 0;
  return Array.from({ length: count }, (_, i) => {
    const value = from + Math.sign(to - from) * step * i;
    return isNumber ? padded(value, width) : String.fromCodePoint(value);
  });
}

function padded(value: number, width: number): string {
  const sign = value < 0 ? "-" : "";
  return sign + String(Math.abs(value)).padStart(width - sign.length, "0");
}

function addItem(plan: Plan, item: Item, around: Around): number {
  switch (item.kind) {
    case "token":
      return addToken(plan, item.from, around);
    case "stars":
      return addStars(plan, item.to - item.from, around);
    case "list":
      return add(plan, { skips: item.texts.map((text) => addText(plan, text, around.next)) });
    case "group":
      return addGroup(plan, item, around);
  }
}

function addText(plan: Plan, text: string, next: number): number {
  let after = next;
  for (const literal of Array.from(text).toReversed())
    after = add(plan, {
      test: (character) => character === literal,
      literal,
      to: after,
      skips: [],
    });
  return after;
}

function addToken(plan: Plan, at: number, { next, opensStep }: Around): number {
  const token = plan.tokens[at];
  if (token === undefined) return next;
  const wildcard = wildcardOf(plan.options);
  if (token.kind === "class") {
    const test: Test = (character, isFirst) =>
      wildcard(character, isFirst) && token.test(character);
    return add(plan, { test, to: next, skips: [] });
  }
  if (isSpecial(token, "?")) return add(plan, { test: wildcard, to: next, skips: [] });
  const { character } = token;
  if (character !== "." || opensStep || plan.options.dot) return addText(plan, character, next);
  return add(plan, { test: isInnerDot, to: next, skips: [] });
}

/** As in a shell: `*.py` does not match `.py`. */
const isInnerDot: Test = (character, isFirst) => character === "." && !isFirst;

/** The characters that `*` and `?` match. */
function wildcardOf({ isPath, dot }: GlobOptions): Test {
  if (!isPath) return () => true;
  return (character, isFirst) => character !== "/" && (dot || !isFirst || character !== ".");
}

function addStars(plan: Plan, count: number, { next, opensStep }: Around): number {
  const { states, options } = plan;
  const slash = states[next]?.literal === "/" ? states[next] : undefined;
  const isWholeStep = opensStep && (slash !== undefined || next === 0);
  const at = states.length;
  if (!options.isPath || count !== 2 || !isWholeStep)
    return add(plan, { test: wildcardOf(options), to: at, skips: [next] });
  // `**` stands for any number of steps; if it stands for none, the slash after it is absent, too.
  const { dot } = options;
  const test: Test = (character, isFirst) => dot || !isFirst || character !== ".";
  add(plan, { test, to: at, skips: [next] });
  const some = add(plan, { test, to: at, skips: [] });
  return slash?.to === undefined ? some : add(plan, { skips: [some, slash.to] });
}

function addGroup(
  plan: Plan,
  { repeat, branches }: Extract<Item, { kind: "group" }>,
  { next, opensStep }: Around,
): number {
  const isRepeated = repeat === "*" || repeat === "+";
  const again = isRepeated ? add(plan, { skips: [next] }) : next;
  const starts = branches.map((range) => sequence(plan, range, { next: again, opensStep }));
  if (isRepeated) plan.states[again]?.skips.push(...starts);
  const isOptional = repeat === "*" || repeat === "?";
  return add(plan, { skips: isOptional ? [...starts, next] : starts });
}
