import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { withSlashes } from "../../base/slashes.ts";
import { handedTo, isReproducible } from "../../model/definition/candidate-kinds.ts";
import type { BaseTree } from "../../model/outcomes/policy.ts";
import { singleGraders } from "../../model/definition/graders.ts";
import { heldSpecOf, isHeldCheck } from "../../grading/held/spec.ts";
import type { HeldBase } from "../../model/ports/held-programs.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { isRecorded } from "../../model/definition/recorded.ts";
import { Refusal } from "../../model/refusal.ts";
import type { CodeSource, FileRef, Suite, Task } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { alteredData, literally } from "../policy/graders/grader-data.ts";
import { locateInBase, readBaseManifest } from "../policy/base-manifest.ts";
import { sameBytes } from "../policy/recorded.ts";
import { pathsInWords, wordsOf } from "./program-words.ts";
import type { Tools } from "../../tools.ts";
import { reachedFiles } from "./reached-files.ts";
import { readManifest } from "../read-manifest.ts";

/**
 * Compares everything that a suite names with the base's tree: its manifest, data, graders with their folders,
 * recordings, the `inputs` that candidates declare, and what these import. What can't be determined counts as affected: an unnecessary run
 * costs money, a missing run costs the verdict.
 */
export async function findAffected(
  manifest: string,
  tree: BaseTree,
  tools: Tools,
): Promise<
  | { readonly kind: "affected"; readonly because: string }
  | { readonly kind: "not_affected"; readonly suite: string }
> {
  const located = await locateInBase(manifest, tree, tools);
  if (located.suite !== "same") return { kind: "affected", because: words[located.suite] };
  // The comparison below uses real folders, and a link may lead to others than on the base.
  if (join(relative(located.root, located.directory)) !== dirname(located.basePath ?? ""))
    return { kind: "affected", because: "a symbolic link leads to it" };
  const suite = await readSuite(manifest, tools);
  if (suite === undefined) return { kind: "affected", because: "its manifest can't be read" };
  if (isRecorded(suite))
    return {
      kind: "affected",
      because: "its results are another tool's, and what they depend on it does not say",
    };
  const blind = suite.candidates.find((each) => !isReproducible(each));
  if (blind !== undefined)
    return { kind: "affected", because: `the candidate ${blind.id} declares no inputs` };
  // Rows name images, but the images are read only when the suite runs.
  if (suite.tasks.some(({ messages }) => messages !== undefined))
    return { kind: "affected", because: "its messages may show images" };
  if (await readsOtherwise(suite, located.basePath ?? "", { suite, tree, tools }))
    return { kind: "affected", because: "a file that its manifest names differs" };
  const because = await firstChange(suite, { suite, tree, tools });
  if (because !== undefined) return { kind: "affected", because };
  return { kind: "not_affected", suite: suite.name };
}

const words = {
  new: "the base does not have it",
  deleted: "the change deleted it",
  moved: "the change moved it",
} as const;

/** Errors are ignored, because the run of the suite reports them. */
async function readSuite(manifest: string, tools: Tools): Promise<Suite | undefined> {
  try {
    return (await readManifest(manifest, tools)).suite;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Some files become part of the suite when it is read, such as a grader's JSON Schema: then the suites differ. */
async function readsOtherwise(
  suite: Suite,
  path: string,
  { tree, tools }: Sides,
): Promise<boolean> {
  try {
    const base = await readBaseManifest(path, tree, tools);
    return textOf(suite) !== textOf(base.suite);
  } catch (error) {
    if (error instanceof Refusal) return true;
    throw error;
  }
}

/** The suite as text, without its location. Its judge and its limits may come from other files than its manifest. */
function textOf({ path: _path, directory: _directory, root: _root, ...suite }: Suite): string {
  return JSON.stringify(suite, (key, value: unknown) =>
    key === "absolute" || key === "images" || key === "held_base" ? undefined : value,
  );
}

interface Sides {
  readonly suite: Suite;
  readonly tree: BaseTree;
  readonly tools: Tools;
}

/** The first difference, in the order in which a reader would look; undefined if none. */
async function firstChange(suite: Suite, sides: Sides): Promise<string | undefined> {
  const manifest = await sides.tools.files.locate(suite.path);
  for (const file of [manifest.absolute, ...filesOf(suite)]) {
    if (await isChanged(file, sides)) return `${shownPath(file, sides)} differs`;
  }
  for (const folder of await foldersOf(suite, sides)) {
    if (await differs(folder, sides)) return `${shownPath(folder.directory, sides)} differs`;
  }
  for (const path of suite.tasks.flatMap(programPaths)) {
    if (await isChangedPath(path, sides)) return `${shownPath(path, sides)} differs`;
  }
  const [data] = await alteredData(suite, sides.tree.root, sides.tools);
  if (data !== undefined) return `${data.path} differs`;
  for (const candidate of suite.candidates) {
    // A program determines the answers even if `inputs` does not name it.
    for (const path of pathsInWords(wordsOf(candidate))) {
      if (await isChangedPath(resolve(suite.directory, path), sides))
        return `${path} differs, which the candidate ${candidate.id} is started with`;
    }
    const patterns = [...handedTo(candidate).inputs, ...contentOf(candidate)];
    const { directory } = suite;
    if (await differs({ directory, patterns }, sides))
      return `the inputs of the candidate ${candidate.id} differ`;
    const reached = await changedReach(candidate, sides);
    if (reached !== undefined)
      return `${reached} differs, which the candidate ${candidate.id} consists of`;
  }
  return undefined;
}

/** A file that differs and that a candidate's files import or name, on either side. */
async function changedReach(candidate: CandidateSpec, sides: Sides): Promise<string | undefined> {
  const { suite, tree, tools } = sides;
  if (handedTo(candidate).inputs.length === 0) return undefined;
  const { paths, basePaths } = await tools.files.findAltered(suite.root, tree);
  const there = join(tree.root, relative(suite.root, suite.directory));
  const places = [
    { place: suite, paths },
    { place: { directory: there, root: tree.root }, paths: basePaths },
  ];
  for (const { place, paths: known } of places)
    for (const path of await reachedFiles(candidate, place, { paths: known, tools }))
      if (await isChangedPath(join(suite.root, path), sides)) return path;
  return undefined;
}

/**
 * Paths of the files of grading programs, because words of their commands may be files. Programs of rows are covered by
 * the rows.
 */
function programPaths({ grader }: Task): readonly string[] {
  return singleGraders(grader).flatMap((each) => {
    if (each.type === "python" || each.type === "recorded" || each.held_base === undefined)
      return [];
    const { also } = each.options;
    const others = Array.isArray(also) ? also.filter(isJsonObject) : [];
    const own: JsonObject = { type: each.type, ...each.options };
    return [own, ...others].filter(isHeldCheck).flatMap(pathsOf(each.held_base));
  });
}

function pathsOf(base: HeldBase): (check: JsonObject) => readonly string[] {
  return (check) => {
    const spec = heldSpecOf(check, { base, wordsNameFiles: true });
    const named = [spec.command, ...spec.args].map((word) => resolve(spec.directory, word));
    return [...named, ...spec.files.map(({ path }) => resolve(base.directory, path))];
  };
}

/** Files that an agent starts with: its workspace and its skills. */
function contentOf(candidate: CandidateSpec): readonly string[] {
  if (candidate.kind === "replay" && candidate.format !== undefined)
    return [`${candidate.file.path}/**`];
  if (candidate.kind !== "agent") return [];
  const { workspace, skills } = candidate;
  const folders = [...(workspace.folder === undefined ? [] : [workspace.folder]), ...skills];
  return folders.map(({ path }) => `${path}/**`);
}

function shownPath(absolute: string, { suite }: Sides): string {
  return withSlashes(relative(suite.root, absolute)) || ".";
}

function filesOf({ tasks, candidates }: Suite): readonly string[] {
  return [
    ...tasks.flatMap(({ dataset, fewshot }) =>
      [dataset, fewshot?.dataset].flatMap((each) =>
        each !== undefined && "file" in each ? [each.file.absolute] : [],
      ),
    ),
    ...candidates.flatMap((each) =>
      each.kind === "replay" && each.format === undefined ? [each.file.absolute] : [],
    ),
  ];
}

interface Folder {
  readonly directory: string;
  readonly patterns: readonly string[];
}

/** A grader may import and read files of its own folder and those that `allow_read` names. */
async function foldersOf(suite: Suite, sides: Sides): Promise<readonly Folder[]> {
  const homes = suite.tasks.flatMap(codeOf).map((absolute) => dirname(absolute));
  const read = suite.tasks.flatMap(allowedOf).map(({ absolute }) => absolute);
  const { gate } = suite;
  const baseline = gate === "none" ? undefined : gate.baseline;
  const kept =
    baseline !== undefined && "path" in baseline && typeof baseline.path === "string"
      ? [resolve(suite.directory, baseline.path)]
      : [];
  const folders = [...new Set([...homes, ...read, ...kept])].map(async (directory) => {
    const { kind } = await sides.tools.files.inspectPath(directory);
    const isFile = kind === "file";
    const home = isFile ? dirname(directory) : directory;
    // A whole repository is not the folder of one grader: then only files that Python can import count.
    const whole = home === suite.root ? ["*", "**/*.{py,pyc,pyd,so}"] : ["**/*"];
    return { directory: home, patterns: isFile ? [literally(directory)] : whole };
  });
  return Promise.all(folders);
}

function codeOf({ grader, preprocess }: Task): readonly string[] {
  const sources: readonly (CodeSource | undefined)[] = [
    ...singleGraders(grader).map((each) => (each.type === "python" ? each.source : undefined)),
    preprocess?.source,
  ];
  return sources.flatMap((source) => (source?.kind === "file" ? [source.file.absolute] : []));
}

function allowedOf({ grader, preprocess }: Task): readonly FileRef[] {
  return [
    ...singleGraders(grader).flatMap((each) => (each.type === "python" ? each.allow_read : [])),
    ...(preprocess?.allow_read ?? []),
  ];
}

async function isChanged(absolute: string, { suite, tree, tools }: Sides): Promise<boolean> {
  const there = join(tree.root, relative(suite.root, absolute));
  const { inspectPath, readBytes } = tools.files;
  const kinds = [(await inspectPath(absolute)).kind, (await inspectPath(there)).kind];
  if (kinds.some((kind) => kind !== "file")) return true;
  return !(await sameBytes(readBytes(absolute), readBytes(there)));
}

/**
 * Whether a word that may name a file or folder names different content on both sides. The folder that contains the
 * manifest is excluded: it is more than a program.
 */
async function isChangedPath(absolute: string, sides: Sides): Promise<boolean> {
  const { suite, tree, tools } = sides;
  const within = relative(suite.root, absolute);
  if (isAbsolute(within) || within.split(sep)[0] === "..") return false;
  const paths = [absolute, join(tree.root, within)];
  const kinds = (await Promise.all(paths.map(tools.files.inspectPath))).map(({ kind }) => kind);
  const directory = dirname(absolute);
  if (kinds.includes("file")) return differs({ directory, patterns: [literally(absolute)] }, sides);
  const isAbove = `${suite.directory}${sep}`.startsWith(`${absolute}${sep}`);
  if (isAbove || !kinds.includes("directory")) return false;
  return differs({ directory: absolute, patterns: ["**/*"] }, sides);
}

async function differs(
  { directory, patterns }: Folder,
  { suite, tree, tools }: Sides,
): Promise<boolean> {
  if (patterns.length === 0) return false;
  const { hashGlobs } = tools.candidateTools;
  const there = join(tree.root, relative(suite.root, directory));
  const ours = await hashGlobs(patterns, { directory, root: suite.root });
  const theirs = await hashGlobs(patterns, { directory: there, root: tree.root });
  if ([ours, theirs].some((side) => side.outside.length + side.unnamed.length > 0)) return true;
  const isOurs = (folder: string): Promise<boolean> => tools.isOfCommit(join(directory, folder));
  const isTheirs = async (): Promise<boolean> => tree.sha !== null;
  return !isDeepStrictEqual(
    await withoutCompiled(ours.files, isOurs),
    await withoutCompiled(theirs.files, isTheirs),
  );
}

/**
 * Leaves out compiled files that Python created next to sources, unless a commit brought them: Python would run these
 * instead.
 */
async function withoutCompiled(
  files: Readonly<Record<string, string>>,
  isCommitted: (folder: string) => Promise<boolean>,
): Promise<object> {
  const folders = new Set(Object.keys(files).flatMap((path) => compiledFolderOf(path) ?? []));
  const left = new Set<string | undefined>();
  for (const folder of folders) if (!(await isCommitted(folder))) left.add(folder);
  return Object.fromEntries(
    Object.entries(files).filter(([path]) => !left.has(compiledFolderOf(path))),
  );
}

function compiledFolderOf(path: string): string | undefined {
  return /^(?:.*\/)?__pycache__(?=\/)/.exec(path)?.[0];
}
