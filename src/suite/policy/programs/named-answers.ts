import { parseGlob } from "../../../base/glob.ts";
import { Refusal } from "../../../model/refusal.ts";
import type { AnswerSources } from "./answer-sources.ts";
import { layersOf } from "../../../base/encodings/layers.ts";
import { foldedText, nothingGiven, type Given } from "./folded-text.ts";
import { listingsIn } from "./listings.ts";
import type { Listing, ProgramText } from "./program-text.ts";

/** Answers that a text names: `named` certainly, or `maybe`, as a listing of their folder does. */
export interface NamedAnswers {
  readonly named: ReadonlySet<string>;
  readonly maybe: ReadonlySet<string>;
}

/** The other files of a program's checkout, and the values that the program receives. */
interface Around {
  /** Paths of all files that are not answer files. */
  readonly others: readonly string[];
  readonly given?: Given;
}

/**
 * The answer files that a program's text names: by path, by name, by a glob, or by listing their folder or their kind
 * of file. A name that may mean another file as well counts as `maybe`. Case is ignored. *Not* found: names that loops
 * and functions make. Pure.
 */
export function namedAnswers(
  program: ProgramText,
  { files, folders, remote }: AnswerSources,
  { others, given = nothingGiven }: Around,
): NamedAnswers {
  const folded = program.kind === "prose" ? program.text : foldedText(program.text, given);
  const text = [program.text, folded, ...layersOf(folded)].join("\n");
  const said = saidIn(text, listingsIn({ ...program, text: folded }));
  const lowerOthers = others.map(lower);
  const found = files.map((path) => ({ path, ways: waysTo(lower(path), said) }));
  const isSure = (way: Way): boolean => !lowerOthers.some(way);
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
    maybe: new Set([
      ...maybe,
      ...(git.test(text) ? [".git"] : []),
      ...(namesRun(said, outside(lowerOthers, folders)) ? [samplesOfRuns] : []),
    ]),
  };
}

function outside(paths: readonly string[], folders: readonly string[]): readonly string[] {
  return paths.filter((path) => !folders.some((each) => path.startsWith(`${lower(each)}/`)));
}

/** The file of a run's directory that has the answers of its cases. */
const samplesOfRuns = "samples.jsonl";

/** Whether a text names the samples of a run, which may be anywhere, and no other file has their name. */
function namesRun({ text, globs }: Said, others: readonly string[]): boolean {
  if (others.some((other) => `/${other}`.endsWith(`/${samplesOfRuns}`))) return false;
  const names = globs.map(({ pattern }) => pattern.slice(pattern.lastIndexOf("/") + 1));
  return (
    mentionsOf(text, samplesOfRuns).length > 0 ||
    names.some((name) => name.startsWith("sam") && endMatcher(name)(samplesOfRuns))
  );
}

/** How a text names a file; the function tells whether it may mean another file as well. */
type Way = (other: string) => boolean;

interface Said {
  readonly text: string;
  /** Words in quotes. */
  readonly words: ReadonlySet<string>;
  readonly globs: readonly NamedGlob[];
  readonly listings: readonly Listing[];
  /** Endings by which files are chosen; empty if none is known. */
  readonly endings: readonly string[];
}

function saidIn(whole: string, listings: readonly Listing[]): Said {
  const text = whole.toLowerCase();
  return {
    text,
    words: new Set([...text.matchAll(quoted)].map(([, , word = ""]) => word)),
    globs: globsIn(whole),
    listings: listings.map(lowered),
    endings: [...text.matchAll(chosen)].flatMap(([all]) => all.match(/\.\w+/g) ?? []),
  };
}

function lowered({ roots, here, patterns, isDeep }: Listing): Listing {
  return {
    roots: roots.map(lower),
    here: here === undefined ? undefined : lower(here),
    patterns: patterns.map(lower),
    isDeep,
  };
}

function lower(text: string): string {
  return text.toLowerCase();
}

/** Code that compares the endings of files. */
const chosen =
  /(?:endswith|end_with\?|hassuffix|suffix\w*|splitext|extname|extension|\bext)\W{1,20}(?:(?:in|includes|has|==|===|!=)\W{0,4})?["'][.\w]+["'](?:\s*,\s*["'][.\w]+["'])*/g;

function waysTo(path: string, said: Said): readonly Way[] {
  const { text, words, globs, listings, endings } = said;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = /\.\w+$/.exec(name)?.[0] ?? "";
  const tokens = mentionsOf(text, name).map((token) => agreement(token, path));
  const isUnknown = listings.some(({ roots, here }) => roots.length === 0 && here === undefined);
  const saysEnding =
    words.has(ending) || words.has(ending.slice(1)) || text.includes(`\\${ending}`);
  return [
    ...(tokens.includes("path") ? [() => false] : []),
    ...(tokens.includes("bare") ? [(other: string) => `/${other}`.endsWith(`/${name}`)] : []),
    ...globs
      .filter(({ matches }) => matches(path))
      .map(
        ({ matches, isSure }): Way =>
          (other) =>
            !isSure || matches(other),
      ),
    ...listings.flatMap((each) => waysByListing(path, each, { ending, endings, saysEnding })),
    // A listing may mean another folder, and files that are in no commit.
    ...(isUnknown && ending !== "" && saysEnding ? [() => true] : []),
  ];
}

function waysByListing(
  path: string,
  listing: Listing,
  {
    ending,
    endings,
    saysEnding,
  }: { readonly ending: string; readonly endings: readonly string[]; readonly saysEnding: boolean },
): readonly Way[] {
  const { roots, here, patterns, isDeep } = listing;
  const matchers = patterns.map(endMatcher);
  const fits = (other: string): boolean =>
    matchers.length === 0 || matchers.some((matches) => matches(other));
  if (!fits(path)) return [];
  const isAlike = (other: string): boolean =>
    fits(other) && (!saysEnding || other.endsWith(ending));
  const named = roots.filter((root) => isWithin(path, root, isDeep));
  if (named.length > 0)
    return named.map((root) => (other) => isWithin(other, root, isDeep) && isAlike(other));
  if (here === undefined || !isBelow(path, here, isDeep)) return [];
  // A mere listing of the working directory means no file in particular.
  const isSought = isDeep || patterns.length > 0 || saysEnding;
  const isChosen = endings.length === 0 ? isSought : endings.includes(ending);
  // The folder may contain files that are in no commit.
  return isChosen ? [() => true] : [];
}

/** Whether a file lies in a folder that is given by the end of its path, or by a path to the checkout. */
function isWithin(path: string, root: string, isDeep: boolean): boolean {
  const parts = path.split("/").slice(0, -1);
  return parts.some((_, i) => {
    const folder = parts.slice(0, i + 1).join("/");
    const isNamed =
      `/${folder}`.endsWith(`/${root}`) ||
      (`/${root}`.endsWith(`/${folder}`) && root.split("/").length > i + 2);
    return isNamed && (isDeep || i === parts.length - 1);
  });
}

function isBelow(path: string, folder: string, isDeep: boolean): boolean {
  const own = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
  if (own === folder) return true;
  return isDeep && (folder === "." || own.startsWith(`${folder}/`));
}

const git =
  /\bcat-file\b|\.git\/|\bgit["',\s[\](]+(?:-\w\W+[\w./]+["',\s]+)?(?:show|archive|log|worktree|cat-file|checkout|grep|ls-files|ls-tree|restore|clone|blame|bundle|fast-export|format-patch|diff|stash)\b|raw\.githubusercontent\.com|\b(?:pygit2|dulwich|isomorphic-git|simple-git|nodegit|go-git)\b|\b(?:import git|from git import|git2::)/;

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
  readonly matches: (path: string) => boolean;
  /** False for a glob without a folder of its own that a method looks up: it belongs to that object's folder. */
  readonly isSure: boolean;
}

/** The text before a glob that begins in the working directory. */
const fromHere =
  /(?:\bglob(?:["']\))?\.i?glob|(?<![.\w])i?glob|\bglobSync|\bPath\((?:["']\.*["'])?\)\.r?glob)\(\s*$/;
/** The text before globs of files that are left out. */
const leftOut = /\b(?:ignored?|exclude\w*|skip\w*)["']?\s*[:=]\s*[[({]?[^\])}\n]*$/;

/** Globs in quotes, except those that match everything. */
function globsIn(text: string): readonly NamedGlob[] {
  return [...text.matchAll(quoted)].flatMap(({ 2: said = "", index }): readonly NamedGlob[] => {
    const before = text.slice(Math.max(0, index - 120), index);
    const word = /^.*[$#]?\{[^{},]*\}([^{}]*)$/.exec(said)?.[1] ?? said;
    if (!/[*?[{]/.test(word) || !/^[\w.*?/{},[\]^~@()|+ -]+$/.test(word) || leftOut.test(before))
      return [];
    if (!/\w/.test(word) || !/[./]/.test(word)) return [];
    const pattern = word.replace(/^(?:\.{0,2}\/)+/, "").toLowerCase();
    const hasFolder = pattern
      .split("/")
      .slice(0, -1)
      .some((part) => /\w/.test(part));
    const matches = endMatcher(pattern);
    return [{ pattern, matches, isSure: hasFolder || fromHere.test(before) }];
  });
}

/** Tells whether a glob matches the end of a path. Made once for all files of a repository. */
function endMatcher(pattern: string): (path: string) => boolean {
  if (/^[*/]*$/.test(pattern)) return () => true;
  try {
    const { matches } = parseGlob(pattern.replaceAll("[^", "[!"), { isPath: true, dot: true });
    return (path) => {
      const parts = path.split("/");
      return parts.some((_, i) => matches(parts.slice(i).join("/")));
    };
  } catch (error) {
    // The text is no glob, or one that is too large.
    if (error instanceof Refusal) return () => false;
    throw error;
  }
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
