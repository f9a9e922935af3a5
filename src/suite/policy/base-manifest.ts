import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import type { BaseTree, RunPolicy } from "../../model/outcomes/policy.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Place, Problem } from "../../model/refusal.ts";
import { parseManifest } from "../../manifest/syntax/parse.ts";
import { nameFromFile } from "../../manifest/resolve.ts";
import type { Tools } from "../../tools.ts";
import { resolveManifest, type ManifestReading, type Resolved } from "../read-manifest.ts";

/** Location of a suite on both sides. */
export interface Located {
  readonly suite: Exclude<RunPolicy["suite"], "none">;
  /** The path as the user wrote it. */
  readonly manifest: string;
  /** The change's folder, absolute. It may be deleted together with the suite. */
  readonly directory: string;
  readonly root: string;
  /** Relative to the base's root, with forward slashes; null if the base has no such suite. */
  readonly basePath: string | null;
}

/**
 * Finds a suite on the base: at the same path, or else among the suites that the change removed, because one of them
 * may have been moved here.
 */
export async function locateInBase(
  manifest: string,
  tree: BaseTree,
  tools: Tools,
): Promise<Located> {
  const { inspectPath, locate } = tools.files;
  const { absolute, directory, root, path: written, otherPaths } = await locate(manifest);
  if (tree.repository !== undefined && tree.repository !== root) {
    const found = { suite: manifest, source: tree.source, root: tree.repository };
    throw new Refusal(problem("policy_other_repository", found));
  }
  const here = { manifest, directory, root };
  const { kind, real } = await inspectPath(absolute);
  const isHere = kind !== "missing";
  // A change may have replaced a folder or the manifest by a link.
  if (isOutside(real, (await inspectPath(root)).real))
    throw new Refusal(problem("path_link_outside", { path: written }, { file: manifest }));
  const paths = [written, ...otherPaths, relative(root, real)];
  const path = await firstIn(tree, paths, inspectPath);
  const [lacking] = path === undefined ? await submodulesAround(paths, tree, tools.files) : [];
  // The submodule's content is unknown, so nothing can be called new.
  if (lacking !== undefined) throw new Refusal(submoduleMissing(lacking, tree));
  if (path !== undefined) return { ...here, suite: isHere ? "same" : "deleted", basePath: path };
  const from = isHere ? await findMoved(absolute, { tree, root }, tools) : undefined;
  if (from === undefined) return { ...here, suite: "new", basePath: null };
  return { ...here, suite: "moved", basePath: from };
}

/** The first of several paths that is a file of the tree. */
async function firstIn(
  tree: BaseTree,
  paths: readonly string[],
  inspectPath: Tools["files"]["inspectPath"],
): Promise<string | undefined> {
  for (const path of paths.map(withSlashes)) {
    const { kind, real } = await inspectPath(join(tree.root, path));
    if (kind !== "missing" && isOutside(real, (await inspectPath(tree.root)).real)) {
      const file = `${tree.source}:${path}`;
      throw new Refusal(problem("path_link_outside", { path }, { file }));
    }
    if (kind === "file") return path;
  }
  return undefined;
}

/** Missing submodules of the base that contain missing paths: git has no other empty folders. */
async function submodulesAround(
  paths: readonly string[],
  { root, sha }: BaseTree,
  { inspectPath, isEmptyFolder }: Tools["files"],
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const path of sha === null ? [] : paths) {
    let folder = dirname(path);
    while (folder !== "." && (await inspectPath(join(root, folder))).kind === "missing")
      folder = dirname(folder);
    if (folder !== "." && (await isEmptyFolder(join(root, folder)))) found.add(folder);
  }
  return [...found];
}

function submoduleMissing(path: string, { source }: BaseTree): Problem {
  return problem("policy_submodule_missing", { source, path });
}

function isOutside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/**
 * Finds the base's suite that was moved here, among those that no longer exist: the one with the same text, otherwise
 * the same name, data or file name.
 */
async function findMoved(
  absolute: string,
  { tree, root }: { readonly tree: BaseTree; readonly root: string },
  { files, candidateTools }: Tools,
): Promise<string | undefined> {
  const bounds = { directory: tree.root, root: tree.root };
  const patterns = ["**/*.yaml", "**/*.yml", `${relative(root, dirname(absolute))}/*.json`];
  const found = await candidateTools.hashGlobs(patterns, bounds);
  const here = await readTraits(absolute, root, files);
  const ranked: { readonly path: string; readonly rank: number }[] = [];
  for (const path of Object.keys(found.files)) {
    if ((await files.inspectPath(join(root, path))).kind !== "missing") continue;
    const there = await readTraits(join(tree.root, path), tree.root, files);
    const rank = there.name === undefined ? -1 : likeness(here, there);
    if (rank >= 0) ranked.push({ path, rank });
  }
  return ranked.toSorted((a, b) => a.rank - b.rank)[0]?.path;
}

/** Features by which a moved suite is recognized. */
interface Traits {
  readonly text: string;
  /** undefined if the file is not a suite. */
  readonly name: string | undefined;
  /** Paths relative to the repository's root. */
  readonly data: readonly string[];
  readonly file: string;
}

async function readTraits(
  absolute: string,
  root: string,
  { readText }: Tools["files"],
): Promise<Traits> {
  // A file that is not text is not a suite.
  const text = await readText(absolute).catch(() => "");
  const value = valueIn(text, absolute);
  const data = value === undefined ? [] : dataIn(value);
  return {
    text,
    name: nameIn(text, absolute),
    data: data.map((path) => relative(root, resolve(dirname(absolute), path))),
    file: basename(absolute),
  };
}

/** Similarity of two suites: 0 is the surest sign that one was moved; -1 means no sign. */
function likeness(here: Traits, there: Traits): number {
  const signs = [
    here.text === there.text,
    here.name === there.name,
    here.data.some((path) => there.data.includes(path)),
    here.file === there.file,
  ];
  return signs.indexOf(true);
}

/** The files of its data sets, as a manifest names them. */
function dataIn(manifest: Fields): readonly string[] {
  const { tasks } = manifest;
  const parts = [manifest, ...(Array.isArray(tasks) ? tasks.filter(isFields) : [])];
  return parts.flatMap(({ dataset }) => {
    const file = isFields(dataset) ? dataset["file"] : dataset;
    return typeof file === "string" ? [file] : [];
  });
}

/** The suite's name in the manifest if it can be read; otherwise its file's name. */
export async function readSuiteName(manifest: string, { files }: Tools): Promise<string> {
  const { absolute } = await files.locate(manifest);
  const text = await files.readText(absolute).catch(() => "");
  return nameIn(text, manifest) ?? nameFromFile(manifest);
}

/** The name of a suite; undefined if the text is not a suite. */
function nameIn(text: string, path: string): string | undefined {
  const value = valueIn(text, path);
  if (value === undefined || !("candidates" in value || "models" in value)) return undefined;
  const { name } = value;
  return typeof name === "string" ? name : nameFromFile(path);
}

type Fields = Readonly<Record<string, unknown>>;

function valueIn(text: string, path: string): Fields | undefined {
  const parsed = parseManifest(text, path);
  return parsed.kind === "refused" || !isFields(parsed.value) ? undefined : parsed.value;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The base's manifest, in its tree. Missing recordings of the base are no error: recordings are what is judged, and may
 * be made anew for each run, outside of git.
 */
export async function readBaseManifest(
  path: string,
  tree: BaseTree & ManifestReading,
  tools: Tools,
): Promise<Resolved> {
  const absolute = join(tree.root, path);
  const text = await tools.files.readText(absolute);
  const recordings = recordingsIn(valueIn(text, path), dirname(absolute));
  const { inspectPath } = tools.files;
  const missing: string[] = [];
  const files: Tools["files"] = {
    ...tools.files,
    inspectPath: async (asked) => {
      if (recordings.has(asked)) return { kind: "file", real: asked };
      const found = await inspectPath(asked);
      if (found.kind === "missing") missing.push(relative(tree.root, asked));
      return found;
    },
  };
  const manifest = { text, path, directory: dirname(absolute), root: tree.root };
  const { overrides, candidatesMayLack, judges } = tree;
  const { judge_model: _judge, embedding_model: _embedding, ...others } = overrides ?? {};
  const judged = judges === undefined ? overrides : { ...others, ...judges };
  const reading = { overrides: judged, candidatesMayLack };
  const resolved = await resolveManifest(manifest, { ...tools, files }, reading);
  const at = (place: Place): Place => ({ ...place, file: `${tree.source}:${place.file}` });
  if (resolved.kind === "refused") {
    const lacking = await submodulesAround(missing, tree, tools.files);
    throw new Refusal([
      ...resolved.problems.map((each) => ({ ...each, place: each.place && at(each.place) })),
      ...lacking.map((folder) => submoduleMissing(folder, tree)),
    ]);
  }
  return {
    ...resolved,
    warnings: [],
    place: (part) => at(resolved.place(part)),
    policyDirectory: manifest.directory,
  };
}

function recordingsIn(manifest: Fields | undefined, directory: string): ReadonlySet<string> {
  const candidates = manifest?.["candidates"];
  const found = new Set<string>();
  for (const each of isFields(candidates) ? Object.values(candidates) : []) {
    const replay = isFields(each) ? each["replay"] : undefined;
    const file = isFields(replay) ? replay["file"] : replay;
    if (typeof file === "string") found.add(resolve(directory, file));
  }
  return found;
}
