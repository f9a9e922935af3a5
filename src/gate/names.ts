import { posix } from "node:path";

/** `pattern` as a glob over a whole name. Names are no paths: `*` matches `meta-llama/llama-3` too. */
export function matchesName(name: string, pattern: string): boolean {
  return pattern === "*" || name === pattern || nameMatcher(pattern)(name);
}

/** The same for many names: a glob engine that starts anew for each of a million ids takes minutes. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  if (!hasGlob(pattern)) return (name) => name === pattern;
  if (/^[^[\]{}!()+@\\]*$/.test(pattern)) {
    const regex = new RegExp(`^${pattern.replaceAll(/\*+|[?.^$|/]/g, simpleGlob)}$`, "su");
    return (name) => regex.test(name);
  }
  const flatPattern = flat(pattern);
  return (name) => name === pattern || posix.matchesGlob(flat(name), flatPattern);
}

/** `*` is any text, `?` any character; the others stand for themselves. */
function simpleGlob(character: string): string {
  if (character.startsWith("*")) return ".*";
  return character === "?" ? "." : `\\${character}`;
}

function hasGlob(pattern: string): boolean {
  return /[*?[\]{}!()+@\\]/.test(pattern);
}

function flat(text: string): string {
  return text.replaceAll("/", "\u{2215}");
}
