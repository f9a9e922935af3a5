import { posix } from "node:path";
import { folderIn, withoutPlaceholder, type Listing, type ProgramText } from "./program-text.ts";
import { shellListings } from "./shell-listings.ts";

/**
 * Finds the listings of folders in a text with evaluated strings: calls of common libraries, and common shell commands.
 * Pure.
 */
export function listingsIn(program: ProgramText): readonly Listing[] {
  if (program.kind === "prose") return [];
  const bound = boundIn(program.text);
  const testsFolders = /\bis_?dir\w*\b/i.test(program.text);
  const called = [...program.text.matchAll(calls)].flatMap((match): readonly Listing[] => {
    const [name] = match;
    const open = match.index + name.length;
    // A module of that name, or a method that is not called.
    if (!/^\s*[([{=:]|^[^\S\n]+"/.test(program.text.slice(open, open + 40))) return [];
    const receiver = receiverBefore(program.text, match.index);
    const said = `${receiver} ${inBrackets(program.text, open)}`;
    const isOfModule = /^(?:glob|fs|fsp|fs\.promises|filepath|os|fg|)$/.test(receiver);
    return listingOf({ name, isOfModule, testsFolders }, withBound(said, bound), program);
  });
  return [...called, ...shellListings(program)];
}

/** Calls that list, walk, search or copy folders, or make one the working directory. */
const calls = new RegExp(
  [
    String.raw`\b(?:i?glob|rglob|listdir|scandir|iterdir|fwalk|walk|walkSync|walkDir|readdir|readdirSync|opendir|opendirSync)`,
    String.raw`\b(?:globSync|globby|globbySync|fg|fastGlob|fast_glob|fdir|readdirp|withBasePath|crawl|crawlWithPromise)`,
    String.raw`\bfg\.(?:sync|async|stream|globSync)|\bfastGlob\.(?:sync|async|stream|glob)|\bglob\.(?:sync|stream|iterate)|\bnew\s+(?:Bun\.)?Glob`,
    String.raw`\b(?:ReadDir|Readdir|Readdirnames|WalkDir|Walk|Glob|DirFS|readDir|readDirSync|read_dir|expandGlob|WalkDir::new|glob_with)`,
    String.raw`\bDir\.(?:glob|entries|children|each_child|foreach|new|chdir)|\bDir(?=\[)|\bFind\.find|\bFileList(?=\[)`,
    String.raw`\b(?:resources|importlib_resources)\.(?:files|contents|path|as_file)|(?<=importlib[._]resources[\s\S]{0,400})\bfiles`,
    String.raw`\b(?:copytree|make_archive|cpSync|copySync)|\bfs(?:\.promises|p)?\.cp|\bfsp?\.copy`,
    String.raw`\b(?:chdir|Chdir|set_current_dir)|\bcwd(?=\s*[=:])`,
    String.raw`\b(?:DirectoryLoader|SimpleDirectoryReader|load_dataset|load_from_disk|JSONLoader)|\bds\.dataset`,
  ]
    .map((each) => `(?:${each})(?!\\w)`)
    .join("|"),
  "g",
);

const deepNames =
  /rglob|walk|fdir|crawl|readdirp|find$|copytree|archive|cp|copy|files|Loader|Reader|load|dataset|chdir|cwd|DirFS|set_current/i;

interface Call {
  readonly name: string;
  /** Whether it is a function of a module that lists folders. */
  readonly isOfModule: boolean;
  /** Whether the program asks of paths whether they are folders, as walks do that call themselves. */
  readonly testsFolders: boolean;
}

function listingOf(
  { name, isOfModule, testsFolders }: Call,
  said: string,
  program: ProgramText,
): readonly Listing[] {
  const context = said
    .replaceAll(
      /\b(?:ignore|exclude\w*|ignored|skip\w*)["']?\s*[:=]\s*(?:[[({][^\])}]*[\])}]|"[^"]*")/g,
      "",
    )
    // Keys in brackets are no folders.
    .replaceAll(/(?<=[\w)\]])\[\s*"[^"]*"\s*\]|\.get\(\s*"[^"]*"/g, "");
  const words = [...context.matchAll(/"([^"\n]{0,300})"/g)].map(([, word = ""]) => word.trim());
  // A package of Python's, with dots.
  if (/files|contents/.test(name)) words.push(...words.map((word) => word.replaceAll(".", "/")));
  const patterns = words.filter((word) => /[*?[\]{}]/.test(word) && !word.startsWith("!"));
  const roots = words.filter((word) => !patterns.includes(word)).flatMap(folderIn);
  const isDeep =
    deepNames.test(name) ||
    patterns.some((word) => word.includes("**")) ||
    /\brecursive\b/.test(context) ||
    testsFolders;
  const isRelative = isOfModule && patterns.some((word) => /^[\w.*?]/.test(word));
  const ofHere = roots.length === 0 ? hereIn(said, words, program) : undefined;
  const here = ofHere ?? (roots.length === 0 && isRelative ? program.home : undefined);
  return [{ roots, here, patterns: patterns.map(withoutPlaceholder), isDeep }];
}

const ofFile = /__file__|__dirname|__filename|import\.meta|__DIR__|CARGO_MANIFEST_DIR|BASH_SOURCE/;
const ofCheckout = /GITHUB_WORKSPACE|--show-toplevel/;
const ofWorking = /\bcwd\(|getcwd|Getwd|current_dir|\bpwd\b|\$PWD|\bPath\(\s*\)|Dir\.pwd|"PWD"/;

/** The folder that an expression computes from the file's own folder, the working directory or the checkout. */
function hereIn(
  context: string,
  words: readonly string[],
  { folder, home }: ProgramText,
): string | undefined {
  const named = [...context.matchAll(/\.parent\b|\bdirname\(|\bDir\(|"(?:\.\.\/?)+"/g)];
  const dots = named.reduce(
    (sum, [each]) => sum + Math.max(1, each.match(/\.\./g)?.length ?? 1),
    0,
  );
  const ups = dots + Number(/\.parents\[(\d)\]/.exec(context)?.[1] ?? -1) + 1;
  if (ofCheckout.test(context) || words.some((word) => /^[/~]$/.test(word))) return ".";
  if (ofFile.test(context)) {
    const own = /__dirname|import\.meta\.dirname|__DIR__|MANIFEST_DIR/.test(context) ? 0 : 1;
    return upFrom(folder, ups - own);
  }
  const isWorking = words.some((word) => /^(?:\.{1,2}\/?)*$/.test(word)) || ofWorking.test(context);
  if (isWorking || (context.trim() === "" && words.length === 0)) return upFrom(home, ups);
  return undefined;
}

function upFrom(folder: string, ups: number): string {
  let found = folder;
  for (let i = 0; i < ups; i += 1) found = posix.dirname(found);
  return found;
}

const longestPart = 500;

/** The text in the brackets that open at a position, or up to the end of the line. */
function inBrackets(text: string, at: number): string {
  const rest = text.slice(at, at + longestPart);
  const [opening = ""] = /^\s*[([{]/.exec(rest) ?? [];
  if (opening === "") return /^[^\n,;)]*/.exec(rest)?.[0] ?? "";
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < rest.length; i += 1) {
    const character = rest.charAt(i);
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if ("([{".includes(character)) depth += 1;
    if (")]}".includes(character)) depth -= 1;
    if (depth === 0 && i >= opening.length - 1) return rest.slice(opening.length, i);
  }
  return rest.slice(opening.length);
}

/** The expression before a method: `Path("data")` in `Path("data").rglob("*")`. */
function receiverBefore(text: string, at: number): string {
  if (text.charAt(at - 1) !== ".") return "";
  const before = text.slice(Math.max(0, at - longestPart), at - 1);
  let depth = 0;
  let isQuoted = false;
  let start = before.length;
  while (start > 0) {
    const character = before.charAt(start - 1);
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && ")]}".includes(character)) depth += 1;
    else if (!isQuoted && "([{".includes(character)) {
      if (depth === 0) break;
      depth -= 1;
    } else if (!isQuoted && depth === 0 && !/[\w.$:]/.test(character)) break;
    start -= 1;
  }
  return before.slice(start);
}

type Bound = ReadonlyMap<string, readonly string[]>;

/** Expressions that are kept for a name. */
const mostBound = 10;

/**
 * The expressions that names stand for: values that are assigned to them, that loops give them, or that functions are
 * called with.
 */
function boundIn(text: string): Bound {
  const found = new Map<string, string[]>();
  const bind = (name: string, expression: string): void => {
    const known = found.get(name) ?? [];
    if (known.length < mostBound) found.set(name, [...known, expression]);
  };
  const assigned =
    /(?<![\w$."])([A-Za-z_$][\w$]*)\s*(?::\s*[\w.[\]]+\s*)?(?::?=(?!=)|\bin\b|\bof\b)\s*([^\n;]{1,300})/g;
  for (const [, name = "", expression = ""] of text.matchAll(assigned)) bind(name, expression);
  const defined =
    /\b(?:def|function|func|fn)\s+(\w+)\s*\(([^()]{1,200})\)|\b(\w+)\s*=\s*(?:async\s*)?\(?([\w\s,]{1,100})\)?\s*=>/g;
  const passed = passedIn(text);
  for (const [, one, params, other, more] of text.matchAll(defined)) {
    const names = (params ?? more ?? "").match(/[A-Za-z_]\w*/g) ?? [];
    for (const each of passed.get(one ?? other ?? "") ?? [])
      for (const name of names) bind(name, each);
  }
  return found;
}

/** The arguments of the first calls of each function, found in one pass: bundles define and call thousands. */
function passedIn(text: string): Bound {
  const found = new Map<string, string[]>();
  for (const { 0: name, index } of text.matchAll(/(?<!def |function |func |fn )\b\w+(?=\()/g)) {
    const known = found.get(name) ?? [];
    if (known.length < mostBound)
      found.set(name, [...known, inBrackets(text, index + name.length)]);
  }
  return found;
}

function withBound(said: string, bound: Bound): string {
  let context = said;
  const known = new Set<string>();
  for (let depth = 0; depth < 3; depth += 1) {
    const plain = context.replaceAll(/"[^"\n]*"/g, " ");
    const names = [...plain.matchAll(/(?<![\w$.])[A-Za-z_$][\w$]*/g)]
      .map(([name]) => name)
      .filter((name) => bound.has(name) && !known.has(name));
    for (const name of names) {
      known.add(name);
      context += ` ${(bound.get(name) ?? []).join(" ")}`;
    }
  }
  return context.slice(0, 8 * longestPart);
}
