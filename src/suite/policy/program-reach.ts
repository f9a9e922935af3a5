import { posix } from "node:path";
import type { CandidateSpec } from "../../model/candidate-spec.ts";
import { pathsInWords, wordsOf } from "../program-words.ts";
import { importsIn } from "./grader-fields.ts";

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
  const reached = new Set(candidates.flatMap((each) => startOf(each, checkout)));
  const starts = new Set([...reached].map((path) => posix.dirname(path)));
  for (const path of reached) {
    if (reached.size > mostFiles) break;
    const text = await checkout.readText(path);
    const folders = new Set([posix.dirname(path), checkout.home, ".", "src", ...starts]);
    for (const name of namesIn(text, path))
      for (const folder of folders) {
        const found = posix.join(folder, name);
        if (checkout.paths.has(found)) reached.add(found);
      }
  }
  return reached;
}

function startOf(candidate: CandidateSpec, { paths, home }: Checkout): readonly string[] {
  const named = [...pathsInWords(wordsOf(candidate))].map((word) => posix.join(home, word));
  const skills = candidate.kind === "agent" ? candidate.skills.map(({ path }) => path) : [];
  const folders = [...named, ...skills.map((path) => posix.join(home, path))]
    .map((path) => path.replace(/\/$/, ""))
    .filter((path) => path !== "." && !`${home}/`.startsWith(`${path}/`));
  const below = folders.flatMap((folder) =>
    [...paths].filter((path) => path.startsWith(`${folder}/`)),
  );
  return [...named.filter((path) => paths.has(path)), ...below];
}

const quoted = /(["'`])([^"'`\n]{1,200})\1/g;
const endings = ["", ".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".sh", "/index.js", "/index.ts"];

/** Paths that a file's text may mean, whether they exist or not. */
function namesIn(text: string, path: string): ReadonlySet<string> {
  const words = [...text.matchAll(quoted)].map(([, , word = ""]) => word);
  const isScript = /\.(?:sh|bash|zsh|mk)$/.test(path) || !posix.basename(path).includes(".");
  const bare = isScript ? (text.match(/[\w./-]+/g) ?? []) : [];
  const modules = path.endsWith(".py") ? importsIn(text).flatMap(moduleFiles) : [];
  const dotted = words.filter((word) => /^\w+(?:\.\w+)+$/.test(word));
  const asModules = [...words.filter((word) => /^\w+$/.test(word)), ...dotted];
  return new Set([
    ...modules,
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
