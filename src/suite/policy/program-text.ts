import { posix } from "node:path";

/** How a text is read: what it is part of, and where it runs. */
export interface ProgramText {
  readonly text: string;
  /** `words`: of a command. `prose`: prompts, in which nothing is run. */
  readonly kind: "code" | "shell" | "words" | "prose";
  /** The file's folder, from the root; of words and prompts the manifest's. */
  readonly folder: string;
  /** The manifest's folder, in which programs are started. */
  readonly home: string;
}

/** A listing of a folder, a walk through it, or a copy of it. */
export interface Listing {
  /** Folders that it names, without leading dots. Empty: it is of `here`, or of a folder that a variable has. */
  readonly roots: readonly string[];
  /** Folders from the root that it computes from where it stands; undefined: unknown. */
  readonly here: string | undefined;
  /** Globs that it is limited to. */
  readonly patterns: readonly string[];
  /** Whether it goes into the folders below. */
  readonly isDeep: boolean;
}

export function programText(path: string, text: string, home: string): ProgramText {
  const isScript =
    /\.(?:sh|bash|zsh|mk)$|(?:^|\/)[^.]*$/.test(path) || /^#!.*\b(?:ba|z|da)?sh\b/.test(text);
  return {
    text: withoutNotes(path, text),
    kind: isScript ? "shell" : "code",
    folder: posix.dirname(path),
    home,
  };
}

/** A text without its whole lines of comments, in languages whose comments are known. */
function withoutNotes(path: string, text: string): string {
  if (/\.(?:py|sh|rb)$/.test(path)) return text.replaceAll(/^\s*#(?!!).*$/gm, "");
  if (/\.(?:[cm]?[jt]sx?|go|rs|java)$/.test(path))
    return text.replaceAll(/^\s*(?:\/\/|\*).*$/gm, "");
  return text;
}

export function asWords(words: readonly string[], home: string): ProgramText {
  return { text: words.join("\n"), kind: "words", folder: home, home };
}

export function asProse(texts: readonly string[], home: string): ProgramText {
  return { text: texts.join("\n"), kind: "prose", folder: home, home };
}

/** A word as a folder, without what leads to it; nothing if it can't be one. */
export function folderIn(word: string): readonly string[] {
  const path = posix
    .normalize(withoutPlaceholder(word).replaceAll("\\", "/"))
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .join("/");
  return /^[\w.@/ -]+$/.test(path) ? [path] : [];
}

/** The part after the last value that is put in. */
export function withoutPlaceholder(word: string): string {
  return /^.*[$#]?\{[^{},]*\}([^{}]*)$/.exec(word)?.[1] ?? word;
}
