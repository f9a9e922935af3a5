import { resolve, sep, relative } from "node:path";
import { parseGlob } from "../../base/glob.ts";
import type { DatasetSource } from "../../model/dataset.ts";
import type { Suite } from "../../model/suite.ts";

/** Files that contain the answers of a suite's cases. */
interface AnswerSources {
  /** Paths from the root, with forward slashes: data sets, recordings, examples, and the manifest, which names them. */
  readonly files: readonly string[];
  /** Folders of baselines. */
  readonly folders: readonly string[];
  /** Names of data sets outside the repository: `facebook/belebele`, addresses. */
  readonly remote: readonly string[];
}

/** Finds the answer files of the suite whose manifest is at `manifest`, a path from the root. */
export function answerSources(suite: Suite, manifest: string): AnswerSources {
  const { tasks, candidates, gate, root, directory } = suite;
  const within = (absolute: string): string => relative(root, absolute).split(sep).join("/");
  const data = tasks.flatMap(({ dataset, fewshot }) => [dataset, fewshot?.dataset ?? dataset]);
  const baseline = gate === "none" ? undefined : gate.baseline?.path;
  return {
    files: [
      manifest,
      ...data.flatMap((each) => ("file" in each ? [within(each.file.absolute)] : [])),
      ...candidates.flatMap((each) => (each.kind === "replay" ? [within(each.file.absolute)] : [])),
    ],
    folders: [
      ".regrade",
      ...(baseline === undefined ? [] : [within(resolve(directory, baseline))]),
    ],
    remote: data.flatMap(remoteNames),
  };
}

function remoteNames(dataset: DatasetSource): readonly string[] {
  if ("file" in dataset) return [];
  return dataset.source === "hub" ? [dataset.path] : dataset.urls;
}

/** All sources together. */
export function joinedSources(...all: readonly AnswerSources[]): AnswerSources {
  return {
    files: [...new Set(all.flatMap(({ files }) => files))],
    folders: [...new Set(all.flatMap(({ folders }) => folders))],
    remote: [...new Set(all.flatMap(({ remote }) => remote))],
  };
}

/** Answers that a text names: `named` certainly, or `maybe`, as a listing of their folder does. */
export interface NamedAnswers {
  readonly named: ReadonlySet<string>;
  readonly maybe: ReadonlySet<string>;
}

/**
 * The sources that a program's text names: by path, by name, by a glob, or by listing their folder or their kind of
 * file. `others`: the paths of all other files; a name that may mean one of them counts as `maybe`. *Not* found: names
 * that are composed at run time. Pure.
 */
export function namedAnswers(
  text: string,
  { files, folders, remote }: AnswerSources,
  others: readonly string[],
): NamedAnswers {
  const words = new Set([...text.matchAll(quoted)].map(([, , word = ""]) => word));
  const said = { text, words, globs: globsIn(text), lists: listing.test(text) };
  const found = files.map((path) => ({ path, ways: waysTo(path, said) }));
  const isSure = (way: Way): boolean => !others.some(way);
  const named = found.filter(({ ways }) => ways.some(isSure)).map(({ path }) => path);
  const maybe = found
    .filter(({ path, ways }) => ways.length > 0 && !named.includes(path))
    .map(({ path }) => path);
  return {
    named: new Set([
      ...named,
      ...folders.filter((folder) => mentionsFolder(text, folder)),
      ...remote.filter((name) => isWord(text, name)),
    ]),
    maybe: new Set([...maybe, ...(git.test(text) ? [".git"] : [])]),
  };
}

/** How a text names a file; the function tells whether it may mean another file as well. */
type Way = (other: string) => boolean;

interface Said {
  readonly text: string;
  /** Words in quotes. */
  readonly words: ReadonlySet<string>;
  readonly globs: readonly NamedGlob[];
  /** Whether the text lists folders. */
  readonly lists: boolean;
}

function waysTo(path: string, { text, words, globs, lists }: Said): readonly Way[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const ending = /\.\w+$/.exec(name)?.[0] ?? "";
  const tokens = mentionsOf(text, name).map((token) => agreement(token, path));
  const isListed = lists && ending !== "" && (words.has(ending) || words.has(ending.slice(1)));
  return [
    ...(tokens.includes("path") ? [() => false] : []),
    ...(tokens.includes("bare") ? [(other: string) => `/${other}`.endsWith(`/${name}`)] : []),
    ...globs
      .filter(({ pattern }) => matchesEnd(pattern, path))
      .map(
        ({ pattern, isSure }): Way =>
          (other) =>
            !isSure || matchesEnd(pattern, other),
      ),
    ...(listsFolder(text, path) ? [(other: string) => other.startsWith(folder)] : []),
    // A listing may mean another folder, and files that are in no commit.
    ...(isListed ? [() => true] : []),
  ];
}

const calls = String.raw`(?:listdir|scandir|readdir|readdirSync|ReadDir|walk|ls|find)`;
const listing = /\b(?:listdir|scandir|iterdir|readdir|readdirSync|ReadDir|os\.walk)\b/;

/** Whether a text lists the file's folder: `os.listdir("data")`, `Path("evals/data").iterdir()`, `ls data`. */
function listsFolder(text: string, path: string): boolean {
  const folder = path.split("/").at(-2);
  if (folder === undefined || !/^[\w.-]+$/.test(folder)) return false;
  const name = `(?:[\\w./-]*/)?${folder.replaceAll(".", "\\.")}/?`;
  const ways = [
    `\\b${calls}\\s*\\([^)\\n"'\`]{0,60}["'\`]${name}["'\`]`,
    `\\b(?:ls|find)\\s+${name}(?:[\\s;|&"'\`)]|$)`,
    `["'\`]${name}["'\`]\\s*\\)\\.iterdir\\b`,
  ];
  return ways.some((way) => new RegExp(way).test(text));
}

const git = /\bcat-file\b|\.git\/|\bgit["',\s]+(?:show|archive|log|worktree|cat-file|checkout)\b/;

/** The paths in a text that end in a file's name. */
function mentionsOf(text: string, name: string): readonly string[] {
  const found: string[] = [];
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (/[\w-]/.test(text.charAt(at + name.length))) continue;
    const before = /[\w.\-/\\]*$/.exec(text.slice(Math.max(0, at - 300), at))?.[0] ?? "";
    if (before === "" || /[/\\]$/.test(before)) found.push(`${before}${name}`);
  }
  return found;
}

/**
 * How a path in a program agrees with one of the repository: in the last folder, or only in the name because the
 * program gives no folder.
 */
function agreement(token: string, path: string): "path" | "bare" | undefined {
  const said = token.split(/[/\\]+/).filter((part) => part !== "" && part !== "." && part !== "..");
  const parts = path.split("/");
  if (said.length < 2) return "bare";
  if (parts.length < 2) return undefined;
  return said.at(-2) === parts.at(-2) ? "path" : undefined;
}

const quoted = /(["'`])([^"'`\n]{1,200})\1/g;

interface NamedGlob {
  readonly pattern: string;
  /** False for a glob without a folder of its own that a method looks up: it belongs to that object's folder. */
  readonly isSure: boolean;
}

/** The text before a glob that begins in the working directory. */
const fromHere =
  /(?:\bglob(?:["']\))?\.i?glob|(?<![.\w])i?glob|\bglobSync|\bPath\((?:["']\.*["'])?\)\.r?glob)\(\s*$/;

/** Globs in quotes, except those that match everything. */
function globsIn(text: string): readonly NamedGlob[] {
  return [...text.matchAll(quoted)].flatMap(({ 2: word = "", index }): readonly NamedGlob[] => {
    if (!word.includes("*") || !/^[\w.*?/-]+$/.test(word) || !/\w/.test(word)) return [];
    const pattern = word.replace(/^(?:\.{0,2}\/)+/, "");
    const hasFolder = pattern
      .split("/")
      .slice(0, -1)
      .some((part) => /\w/.test(part));
    const isSure = hasFolder || fromHere.test(text.slice(Math.max(0, index - 60), index));
    return [{ pattern, isSure }];
  });
}

function matchesEnd(pattern: string, path: string): boolean {
  const { matches } = parseGlob(pattern, { isPath: true, dot: true });
  const parts = path.split("/");
  return parts.some((_, i) => matches(parts.slice(i).join("/")));
}

/** Whether a text names a folder, for folders of two names or more, or with a leading dot. */
function mentionsFolder(text: string, folder: string): boolean {
  const name = folder.split("/").slice(-2).join("/");
  return (name.includes("/") || name.startsWith(".")) && isWord(text, name);
}

function isWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text.charAt(at - 1)}${text.charAt(at + word.length)}`;
    if (!/[\w-]/.test(around)) return true;
  }
  return false;
}
