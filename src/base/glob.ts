import {
  compileGlob,
  GlobFault,
  type Automaton,
  type GlobOptions,
  type State,
} from "./glob-automaton.ts";
import { problem, Refusal } from "../model/refusal.ts";

/**
 * Globs: `*`, `?`, `**`, `[a-z]`, `{a,b}`, `{1..9}`, `\` before a literal character, and bash's groups `?(a|b)`,
 * `*(a|b)`, `+(a|b)`, `@(a|b)`. Matching takes time in proportion to the text's length times the pattern's, for any
 * input: all ways to match are followed at once (Thompson, 1968), without backtracking. Node's own `matchesGlob` takes 51
 * seconds for twelve `*a` and forty letters.
 */
export interface Glob {
  /** True if the glob matches the whole text. */
  readonly matches: (text: string) => boolean;
  /** True if the glob may match a text that begins with this one. */
  readonly mayBegin: (prefix: string) => boolean;
}

/** True for a pattern that may match a text other than itself. */
export function hasGlob(pattern: string): boolean {
  return /[*?[\]{}()\\]/.test(pattern);
}

/** The reason why a pattern is refused, as a clause; undefined if it can be used. */
export function globFault(pattern: string): string | undefined {
  if (!hasGlob(pattern)) return undefined;
  try {
    compileGlob(pattern, nameOptions);
    return undefined;
  } catch (error) {
    if (error instanceof GlobFault) return error.message;
    throw error;
  }
}

/** Compiles a pattern. Throws a Refusal (`glob_refused`) for problems that `globFault` finds. */
export function parseGlob(pattern: string, options: GlobOptions): Glob {
  try {
    const automaton = compileGlob(pattern, options);
    return {
      matches: (text) => run(automaton, text).isAccepted,
      mayBegin: (prefix) => run(automaton, prefix).isAlive,
    };
  } catch (error) {
    if (!(error instanceof GlobFault)) throw error;
    throw new Refusal(problem("glob_refused", { glob: pattern, reason: error.message }));
  }
}

function run(
  { states, first, last }: Automaton,
  text: string,
): { readonly isAlive: boolean; readonly isAccepted: boolean } {
  const seenAt = new Int32Array(states.length).fill(-1);
  let current = closure([first], { states, seenAt, at: 0 });
  let at = 0;
  let isFirst = true;
  for (const character of text) {
    at += 1;
    const reached: number[] = [];
    for (const state of current) {
      const { test, to } = states[state] ?? dead;
      if (to !== undefined && test?.(character, isFirst) === true) reached.push(to);
    }
    if (reached.length === 0) return { isAlive: false, isAccepted: false };
    current = closure(reached, { states, seenAt, at });
    isFirst = character === "/";
  }
  return { isAlive: true, isAccepted: current.includes(last) };
}

const dead: State = { skips: [] };

interface Marks {
  readonly states: readonly State[];
  /** For each state, the number of characters after which it was last reached. */
  readonly seenAt: Int32Array;
  readonly at: number;
}

/** Some states and all that can be reached from them without reading, each once. */
function closure(from: readonly number[], { states, seenAt, at }: Marks): readonly number[] {
  const found: number[] = [];
  const waiting = [...from];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    if (seenAt[state] === at) continue;
    seenAt[state] = at;
    found.push(state);
    for (const skip of (states[state] ?? dead).skips) waiting.push(skip);
  }
  return found;
}

/**
 * Options for names of tasks, metrics, candidates and cases: `/` is a character like any other, so that `*` matches
 * `meta-llama/llama-3` too.
 */
const nameOptions: GlobOptions = { isPath: false, dot: true };

/** True if the glob `pattern` matches the whole name. Throws as `parseGlob`. */
export function matchesName(name: string, pattern: string): boolean {
  return pattern === "*" || name === pattern || nameMatcher(pattern)(name);
}

/** Compiles a pattern once for many names. Throws as `parseGlob`. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  if (!hasGlob(pattern)) return (name) => name === pattern;
  const { matches } = parseGlob(pattern, nameOptions);
  return (name) => name === pattern || matches(name);
}

/** Escapes a name, so that the glob matches only this name. */
export function asGlob(name: string): string {
  return name.replaceAll(/[*?[\]{}()!\\+@]/g, String.raw`\$&`);
}
