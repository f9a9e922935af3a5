import { posix } from "node:path";
import { candidateKinds } from "../../../model/definition/candidate-kinds.ts";
import { plural } from "../../../model/number-words.ts";
import type { AlteredFiles, PolicyChange } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";
import type { FileTools } from "../../../tools.ts";
import { reachedBy, textsBefore, type ChangedSuites } from "./look-ups.ts";
import {
  constantsGained,
  hostsIn,
  newConstants,
  partsOfTable,
  sumOf,
} from "./program-constants.ts";
import { programText } from "./program-text.ts";

/**
 * Notes for files of the change's programs that gain what may hold answers in a form that nobody can read there. A fence
 * does not prevent that: the answers come with the program.
 */
export async function programTables(
  sides: ChangedSuites & { readonly cases: number },
  altered: AlteredFiles,
  files: Pick<FileTools, "openFile">,
): Promise<readonly PolicyChange[]> {
  const { base, head, basePath, cases } = sides;
  const programs = head.candidates.filter(({ kind }) => candidateKinds[kind].program);
  if (programs.length === 0) return [];
  const { reached, home } = await reachedBy(programs, sides, { altered, files });
  const read = (path: string, bytes: Uint8Array): string => {
    const text = new TextDecoder().decode(bytes);
    return isCode.test(path) ? programText(path, text, home).text : text;
  };
  const changed = altered.here
    .filter(({ path }) => reached.has(path) && !isListing.test(path))
    .map(({ path, bytes }) => ({ path, text: read(path, bytes) }));
  const hasHosts = changed.some(({ path, text }) => isCode.test(path) && hostsIn(text).size > 0);
  const before = hasHosts
    ? await textsBefore({ base, basePath, paths: altered.basePaths }, files)
    : [];
  const known = hostsIn(before.map(({ text }) => text).join("\n"));
  const tables = changed.flatMap(({ path, text }) => {
    const old = olderOf(path, altered);
    const hosts = isCode.test(path) ? known : hostsIn(text);
    const found = newConstants(text, old === undefined ? "" : read(path, old), { cases, hosts });
    return found.map((what) => aNote(path, what));
  });
  const parts = changed.map(({ path, text }) => {
    const old = olderOf(path, altered);
    return { path, gained: constantsGained(text, old === undefined ? "" : read(path, old)) };
  });
  return [...compiledNotes(altered), ...tables, ...togetherNotes(parts, cases)];
}

/** A note on tables that are long enough for all cases in several files together. */
function togetherNotes(
  parts: readonly { readonly path: string; readonly gained: number }[],
  cases: number,
): readonly PolicyChange[] {
  const [first, ...others] = partsOfTable(parts, cases);
  if (first === undefined) return [];
  const more = `${others.length} more ${plural(others.length, "file")}`;
  const sum = sumOf([first, ...others]);
  const what = `and ${more} together bring tables of ${sum} constants, which could be answers to the ${cases} cases`;
  return [aNote(first.path, what)];
}

/** Compiled code, which an interpreter may run in the place of a source (`__pycache__`), and which no review can read. */
const isCompiled = /\.(?:py[cod]|so(?:\.\d+)*|dylib|dll|node|wasm|class|jar|exe)$/i;
const compiledNamed = 5;

function compiledNotes({ here }: Pick<AlteredFiles, "here">): readonly PolicyChange[] {
  const paths = here.map(({ path }) => path).filter((path) => isCompiled.test(path));
  const more = paths.length - compiledNamed;
  return paths.slice(0, compiledNamed).map((path, i) => {
    const others = more > 0 && i === compiledNamed - 1 ? `, as are ${more} more files` : "";
    const note = `\`${path}\` is compiled code, which nobody can read here${others}: a program may run it instead of its source`;
    return toldNote(note);
  });
}

export const isCode = /(?:\.(?:py|[cm]?[jt]sx?|sh|bash|rb|go|rs|java|kt|php|pl)|(?:^|\/)[^.]+)$/;
/** Files of package managers, which are full of digests. */
const isListing =
  /(?:^|\/)(?:package-lock\.json|[\w.-]*\.lock|pnpm-lock\.yaml|go\.sum|requirements[\w.-]*\.txt)$/;

/** The base's version of a file, also of one that the change has moved. */
function olderOf(
  path: string,
  { there, paths }: Pick<AlteredFiles, "there" | "paths">,
): Uint8Array | undefined {
  const name = posix.basename(path);
  const isMoved = (other: string): boolean =>
    posix.basename(other) === name && !paths.includes(other);
  const found =
    there.find((each) => each.path === path) ?? there.find((each) => isMoved(each.path));
  return found?.bytes;
}

function aNote(path: string, what: string): PolicyChange {
  const note = `\`${path}\`, of which a program is made, ${what}: see that no answers come from there`;
  return toldNote(note);
}
