import { posix } from "node:path";
import { ownValue } from "../../../model/own-value.ts";
import type { CandidateSpec } from "../../../model/definition/candidate-spec.ts";
import { pathsInWords, wordsOf } from "../../selection/program-words.ts";
import { importsIn } from "../graders/grader-fields.ts";

/** The files of a checkout, by paths from its root, with forward slashes. */
interface Checkout {
  readonly paths: ReadonlySet<string>;
  /** The manifest's folder. */
  readonly home: string;
  readonly readText: (path: string) => Promise<string>;
}

/** Limit of files that are followed. */
const mostFiles = 300;
/** Number of characters that are read of each file. */
export const longestText = 200_000;

/**
 * The files that programs are started with, and the files that these name: by an import or in quotes, in shell scripts
 * by any word. Folders that programs are started with, and skills of agents, count whole. *Not* found: names that are
 * composed at run time, and programs that a build tool starts.
 */
export async function reachOf(
  candidates: readonly CandidateSpec[],
  checkout: Checkout,
): Promise<ReadonlySet<string>> {
  const starts = candidates.flatMap((each) => startOf(each, checkout));
  const { home, paths, readText } = checkout;
  return follow(
    starts,
    { home, readText, isFile: async (path) => paths.has(path) },
    {
      which: "all",
      most: mostFiles,
    },
  );
}

/** A tree of files, by paths from its root, with forward slashes. */
interface FileTree {
  /** The manifest's folder. */
  readonly home: string;
  readonly isFile: (path: string) => Promise<boolean>;
  readonly readText: (path: string) => Promise<string>;
}

interface Following {
  /** `code`: only code that is imported or started; `all`: all files that are named. */
  readonly which: "all" | "code";
  /** Files after which no more are followed. */
  readonly most: number;
}

/** The files and what they name, in turn. */
export async function follow(
  starts: readonly string[],
  { home, isFile, readText }: FileTree,
  { which, most }: Following,
): Promise<ReadonlySet<string>> {
  const reached = new Set(starts);
  const beginnings = new Set([...reached].map((path) => posix.dirname(path)));
  for (const path of reached) {
    if (reached.size > most) break;
    if (which === "code" && !isSourceFile(path)) continue;
    const text = await readText(path);
    const folders = new Set([posix.dirname(path), home, ".", "src", ...beginnings]);
    const all = namesIn(text, path, which);
    const names = which === "all" ? all : [...all].filter(isSourceFile);
    for (const name of names)
      for (const folder of folders) {
        const found = posix.join(folder, name);
        if (reached.has(found)) continue;
        if (!found.startsWith("../") && (await isFile(found))) reached.add(found);
      }
  }
  return reached;
}

/** Whether a file is code by its name: a program, a module, a script. */
export function isSourceFile(path: string): boolean {
  return (
    /\.(?:py|[cm]?[jt]sx?|sh|bash|zsh|rb|go|rs|java|kt|php|pl|lua|ex|exs)$/.test(path) ||
    /(?:^|\/)(?:Makefile|makefile|GNUmakefile|[Jj]ustfile)$/.test(path)
  );
}

function startOf(candidate: CandidateSpec, { paths, home }: Checkout): readonly string[] {
  const words = wordsOf(candidate);
  const named = [
    ...[...pathsInWords(words)].map((word) => posix.join(home, word)),
    ...settingsOf(words).flatMap((name) => [posix.join(home, name), name]),
  ];
  const skills = candidate.kind === "agent" ? candidate.skills.map(({ path }) => path) : [];
  const folders = [...named, ...skills.map((path) => posix.join(home, path))]
    .map((path) => path.replace(/\/$/, ""))
    .filter((path) => path !== "." && !`${home}/`.startsWith(`${path}/`));
  const below = folders.flatMap((folder) =>
    [...paths].filter((path) => path.startsWith(`${folder}/`)),
  );
  return [...named.filter((path) => paths.has(path)), ...below];
}

/** Files in which tools that start programs find what to start: in the manifest's folder, or the root. */
const settings: Readonly<Record<string, readonly string[]>> = {
  npm: ["package.json"],
  npx: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  bun: ["package.json"],
  make: ["Makefile", "makefile", "GNUmakefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  deno: ["deno.json", "deno.jsonc"],
  rake: ["Rakefile"],
  uv: ["pyproject.toml"],
  poetry: ["pyproject.toml"],
  pdm: ["pyproject.toml"],
  hatch: ["pyproject.toml"],
  cargo: ["src/main.rs"],
  go: ["main.go"],
  docker: ["Dockerfile", "compose.yml", "compose.yaml", "docker-compose.yml"],
};

/** Names of the files in which the tools of a command find what to start. */
export function settingsOf(words: readonly string[]): readonly string[] {
  const tools = words.flatMap((word) => word.split(/[\s;|&]+/));
  return tools.flatMap((tool) => ownValue(settings, tool) ?? []);
}

/** Texts that list commands, and settings that name programs by words without quotes. */
const listsCommands =
  /(?:^|\/)(?:package\.json|deno\.jsonc?|pyproject\.toml|Taskfile\.ya?ml|(?:docker-)?compose\.ya?ml|\.env[\w.]*)$/;

const quoted = /(["'`])([^"'`\n]{1,200})\1/g;
const endings = ["", ".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".sh", "/index.js", "/index.ts"];

/** Paths that a file's text may mean, whether they exist or not. `code`: without words that are hardly paths. */
function namesIn(text: string, path: string, which: "all" | "code"): ReadonlySet<string> {
  const isPath = (word: string): boolean => which === "all" || /[./]/.test(word);
  const words = [...text.matchAll(quoted)].map(([, , word = ""]) => word).filter(isPath);
  const isScript =
    /\.(?:sh|bash|zsh|mk)$/.test(path) ||
    !posix.basename(path).includes(".") ||
    listsCommands.test(path);
  const bare = isScript ? (text.match(/[\w./-]+/g) ?? []) : [];
  const modules = path.endsWith(".py") ? importsIn(text).flatMap(moduleFiles) : [];
  const dotted = words.filter((word) => /^\w+(?:\.\w+)+$/.test(word));
  const asModules = [...words.filter((word) => /^\w+$/.test(word)), ...dotted];
  const variables = /dotenv|env[-_]file|\.env\b/.test(text) ? [".env", ".env.local"] : [];
  return new Set([
    ...modules,
    ...variables,
    ...asModules.flatMap((word) => moduleFiles(word.split("."))),
    ...words.filter((word) => /^[\w.@/-]+$/.test(word)).flatMap(withEndings),
    ...bare,
  ]);
}

function withEndings(word: string): readonly string[] {
  return endings.map((ending) => `${word}${ending}`);
}

/** Importing a module also runs the packages that contain it. */
function moduleFiles(parts: readonly string[]): readonly string[] {
  return parts.flatMap((_, i) => {
    const module = parts.slice(0, i + 1).join("/");
    return [`${module}.py`, `${module}/__init__.py`];
  });
}
