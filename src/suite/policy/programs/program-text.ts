import { posix } from "node:path";

/** A text with the facts that its reading depends on: its kind, and the folders where it lies and runs. */
export interface ProgramText {
  readonly text: string;
  /** `words`: the words of a command. `prose`: prompts, of which nothing is executed. */
  readonly kind: "code" | "shell" | "words" | "prose";
  /** The file's folder, from the root; for words and prompts the manifest's folder. */
  readonly folder: string;
  /** The manifest's folder, where programs are started. */
  readonly home: string;
}

/** A listing of a folder, a walk through it, or a copy of it. */
export interface Listing {
  /** Folders that it names, without leading dots. Empty if it lists `here`, or a folder from a variable. */
  readonly roots: readonly string[];
  /** Folder, from the root, that it computes from its own location; undefined: unknown. */
  readonly here: string | undefined;
  /** Globs that it is limited to. */
  readonly patterns: readonly string[];
  /** Whether it descends into subfolders. */
  readonly isDeep: boolean;
}

/** The text of a file, with its kind by the file's name. */
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

/** A text without lines that are only comments, in languages whose comments are known. */
function withoutNotes(path: string, text: string): string {
  if (/\.(?:py|sh|rb)$/.test(path)) return text.replaceAll(/^[^\S\n]*#(?!!).*$/gm, "");
  if (/\.(?:[cm]?[jt]sx?|go|rs|java)$/.test(path))
    return text.replaceAll(/^[^\S\n]*(?:\/\/|\*).*$/gm, "");
  return text;
}

/** The words of a command as one text. */
export function asWords(words: readonly string[], home: string): ProgramText {
  return { text: words.join("\n"), kind: "words", folder: home, home };
}

/** Prompts as one text. */
export function asProse(texts: readonly string[], home: string): ProgramText {
  return { text: texts.join("\n"), kind: "prose", folder: home, home };
}

/** A word as a folder, without leading steps; empty if it can't be a folder. */
export function folderIn(word: string): readonly string[] {
  const path = posix
    .normalize(withoutPlaceholder(word).replaceAll("\\", "/"))
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .join("/");
  return /^[\w.@/ -]+$/.test(path) ? [path] : [];
}

/** The part after the last inserted value. */
export function withoutPlaceholder(word: string): string {
  return /^.*[$#]?\{[^{},]*\}([^{}]*)$/.exec(word)?.[1] ?? word;
}
