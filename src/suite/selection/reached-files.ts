import { join, posix, relative } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import { handedTo } from "../../model/definition/candidate-kinds.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import type { Suite } from "../../model/definition/suite.ts";
import type { FileTools, Tools } from "../../tools.ts";
import { beginningIn } from "../policy/programs/look-ups.ts";
import { follow, isSourceFile, settingsOf } from "../policy/programs/program-reach.ts";
import { pathsInWords, wordsOf } from "./program-words.ts";

type Place = Pick<Suite, "directory" | "root">;
interface With {
  readonly files: Pick<FileTools, "inspectPath" | "openFile" | "hashFile">;
  readonly candidateTools: Pick<Tools["candidateTools"], "hashGlobs">;
}

/**
 * Files of a checkout that a candidate consists of, by paths from its root: those that its command and its `inputs` name,
 * and what these import, start or name in quotes, in turn. Empty without `inputs`. `paths`: all files of the checkout.
 */
export function reachedFiles(
  candidate: CandidateSpec,
  place: Place,
  { paths, tools }: { readonly paths: readonly string[]; readonly tools: With },
): Promise<ReadonlySet<string>> {
  const known = new Set(paths);
  return reachedIn(candidate, place, {
    isFile: async (path) => known.has(path),
    which: "all",
    tools,
  });
}

/** Files beside the declared ones after which no more are followed. */
const mostReached = 1000;

interface Looking {
  readonly isFile: (path: string) => Promise<boolean>;
  readonly which: "all" | "code";
  readonly tools: With;
}

async function reachedIn(
  candidate: CandidateSpec,
  place: Place,
  { isFile, which, tools }: Looking,
): Promise<ReadonlySet<string>> {
  const { inputs } = handedTo(candidate);
  if (inputs.length === 0) return new Set();
  const home = homeOf(place);
  const { files } = await tools.candidateTools.hashGlobs(inputs, place);
  const declared = Object.keys(files).filter(isSourceFile);
  const words = wordsOf(candidate);
  const settings = settingsOf(words);
  const named = [...pathsInWords(words), ...settings].map((path) => posix.join(home, path));
  const started = [];
  for (const path of new Set([...named, ...settings]))
    if (!path.startsWith("../../") && (await isFile(path))) started.push(path);
  const starts = [...declared.map((path) => posix.join(home, path)), ...started];
  const readText = beginningIn(place.root, tools.files);
  const most = starts.length + mostReached;
  return follow([...new Set(starts)], { home, isFile, readText }, { which, most });
}

function homeOf({ root, directory }: Place): string {
  return withSlashes(relative(root, directory)) || ".";
}

/** Digests of the code that a candidate consists of and that its `inputs` leave out, by path from the root. */
export async function undeclaredCode(
  candidate: CandidateSpec,
  place: Place,
  tools: With,
): Promise<Readonly<Record<string, string>>> {
  const isFile = fileTest(place.root, tools.files);
  const reached = await reachedIn(candidate, place, { isFile, which: "code", tools });
  if (reached.size === 0) return {};
  const { files } = await tools.candidateTools.hashGlobs(handedTo(candidate).inputs, place);
  const declared = new Set(Object.keys(files).map((path) => posix.join(homeOf(place), path)));
  const left = [...reached].filter((path) => !declared.has(path) && isSourceFile(path)).toSorted();
  const hashes = left.map(
    async (path) => [path, await tools.files.hashFile(join(place.root, path))] as const,
  );
  return Object.fromEntries(await Promise.all(hashes));
}

function fileTest(
  root: string,
  { inspectPath }: Pick<FileTools, "inspectPath">,
): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (path) => {
    const found =
      known.get(path) ?? inspectPath(join(root, path)).then(({ kind }) => kind === "file");
    known.set(path, found);
    return found;
  };
}
