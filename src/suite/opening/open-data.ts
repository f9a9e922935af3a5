import { createDatasetDownloader } from "../../dataset/download.ts";
import { openDataset, type DatasetOpened, type DatasetTask } from "../../dataset/open.ts";
import { createRowChecker, type RowChecker } from "../../manifest/task-graders/row-checks.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Dataset, DatasetSpec } from "../../model/definition/dataset.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { Task } from "../../model/definition/suite.ts";
import { insideSource } from "./open-grader.ts";
import { checkOptionProblems } from "./row-check-options.ts";
import type { TaskToOpen } from "./open-task.ts";
import { preprocessRows } from "./preprocess.ts";
import type { Tools } from "../../tools.ts";

interface OpenedData {
  readonly dataset: Dataset;
  readonly files: DataFiles;
  /** Hash of the file that the suite names, or that was downloaded. */
  readonly hash: string;
  /** Source of a downloaded data set; undefined for a file of the repository. */
  readonly origin: JsonObject | undefined;
  /** Hash of the preprocessor's code; null without one. */
  readonly preprocess: string | null;
  readonly warnings: readonly Problem[];
  readonly close: () => Promise<void>;
}

/** The files that have the rows of a data set. */
export interface DataFiles {
  /** The file that the suite names, or that was downloaded. */
  readonly source: DatasetSpec;
  /** Files of Regrade's own: the downloaded rows, and those that a preprocessor made. */
  readonly copies: readonly RowsCopy[];
}

/** A file outside the repository that has the rows of a data set. */
export interface RowsCopy {
  readonly absolute: string;
  /** The data set, for people. */
  readonly name: string;
  /** Whether other runs on this machine may open it at any time: it was downloaded for all of them. */
  readonly isShared: boolean;
}

type DataToOpen = Pick<TaskToOpen, "spec" | "index" | "resolved" | "python" | "keptUpTo"> & {
  /** Manifest path of the data set. Default: `dataset`. */
  readonly dataAt?: readonly string[];
};

async function nothingToClose(): Promise<void> {}

/** A task's cases: the rows of its data, which are downloaded first if remote, or the rows that its preprocessor makes. */
export async function openData(
  toOpen: DataToOpen,
  targetOnly: ReadonlySet<string>,
  tools: Tools,
): Promise<OpenedData | { readonly problems: readonly Problem[] }> {
  const here = await fetchIfRemote(toOpen, tools);
  if ("problems" in here) return here;
  const { dataset, origin, warnings } = here;
  const { absolute, path } = dataset.file;
  const downloaded =
    "source" in toOpen.spec.dataset ? [{ absolute, name: path, isShared: true }] : [];
  const at = { files: { source: dataset, copies: downloaded }, origin, warnings };
  const { keptUpTo, dataAt, python } = toOpen;
  const { preprocess } = toOpen.spec;
  // Only the task's own data set has checks of answers, not that of its examples.
  const checker = dataAt === undefined ? createRowChecker(toOpen.spec) : undefined;
  const checking = { targetOnly, keptUpTo, ...(checker && { checkRow: checker.check }) };
  if (preprocess === undefined) {
    const opened = await openChecked({ dataset, ...checking }, { checker, python }, tools);
    if ("problems" in opened) return opened;
    const read = withSize(opened.dataset, here.first);
    const { hash } = read;
    return { ...at, dataset: read, hash, preprocess: null, close: nothingToClose };
  }
  const made = await preprocessed(toOpen, { dataset, preprocess }, tools);
  if ("problems" in made) return made;
  const { rows, sourceHash: hash, code, close } = made.data;
  const opened = await openChecked({ ...rows, ...checking }, { checker, python }, tools);
  if ("problems" in opened) {
    await close();
    return opened;
  }
  // Only a run shows how many rows the preprocessor makes of the remaining rows.
  const read = withSize(opened.dataset, here.first && { size: undefined });
  const name = `${dataset.file.path} (preprocessed)`;
  const copy = { absolute: rows.dataset.file.absolute, name, isShared: false };
  const files = { source: dataset, copies: [...downloaded, copy] };
  return { ...at, files, dataset: read, hash, preprocess: code, close };
}

/** Opens a data set, and refuses checks in its rows that only Python can validate. */
async function openChecked(
  task: DatasetTask,
  {
    checker,
    python,
  }: { readonly checker: RowChecker | undefined; readonly python: DataToOpen["python"] },
  { files }: Tools,
): Promise<DatasetOpened> {
  const opened = await openDataset(task, files);
  if ("problems" in opened || checker === undefined) return opened;
  const problems: Problem[] = [...(await checkOptionProblems(checker, python))];
  for (const [spec, place] of checker.patterns()) {
    const reason = await python.checkRegex(spec);
    if (reason !== undefined)
      problems.push(problem("regex_invalid", { pattern: spec.pattern, reason }, place));
  }
  return problems.length > 0 ? { problems } : opened;
}

interface Here {
  readonly dataset: DatasetSpec;
  readonly origin: JsonObject | undefined;
  /** Only the first rows were downloaded; `size` is the number of rows that a run reads. */
  readonly first: { readonly size: number | undefined } | undefined;
  readonly warnings: readonly Problem[];
}

async function fetchIfRemote(
  { spec: { dataset }, index, resolved, python, dataAt = ["dataset"] }: DataToOpen,
  tools: Tools,
): Promise<Here | { readonly problems: readonly Problem[] }> {
  if (!("source" in dataset)) {
    return { dataset, origin: undefined, first: undefined, warnings: [] };
  }
  // A missing Python must be reported before the download starts.
  await python.there();
  const place = resolved.place(["tasks", index, ...dataAt]);
  const found = await (tools.downloadDataset ?? createDatasetDownloader(tools.remote, "all"))(
    dataset,
    place,
  );
  if ("problems" in found) return found;
  const { identity: origin, size, warnings, whole } = found;
  return { dataset: found.dataset, origin, first: whole ? undefined : { size }, warnings };
}

function withSize(dataset: Dataset, first: Here["first"]): Dataset {
  if (first === undefined) return dataset;
  const { size: checked } = dataset;
  return { ...dataset, size: first.size ?? checked, first: { checked, ...first } };
}

function preprocessed(
  { index, resolved, python }: DataToOpen,
  { dataset, preprocess }: { dataset: DatasetSpec; preprocess: NonNullable<Task["preprocess"]> },
  tools: Tools,
): ReturnType<typeof preprocessRows> {
  const declared = resolved.place(["tasks", index, "preprocess", "source"]);
  const isInline = preprocess.source.kind === "inline";
  const at = (within: Place): Place => (isInline ? insideSource(declared, within) : within);
  const { openPreprocessor } = python;
  return preprocessRows({ dataset, preprocess, at }, { ...tools, openPreprocessor });
}
