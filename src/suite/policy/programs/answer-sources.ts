import { resolve } from "node:path";
import type { DatasetSource } from "../../../model/definition/dataset.ts";
import type { Suite } from "../../../model/definition/suite.ts";
import { pathFromRoot } from "../../withheld.ts";

/** Files that hold the answers of a suite's cases. */
export interface AnswerSources {
  /** Paths from the root, with forward slashes: data sets, recordings, examples, and the manifest, which names them. */
  readonly files: readonly string[];
  /** Folders of baselines. */
  readonly folders: readonly string[];
  /** Names of data sets outside the repository: `facebook/belebele`, addresses. */
  readonly remote: readonly string[];
}

/** Finds the answer files of the suite whose manifest is at `manifest`, a path from the root. */
export function answerSources(suite: Suite, manifest: string): AnswerSources {
  const { tasks, candidates, gate, directory } = suite;
  const within = (absolute: string): string => pathFromRoot(suite, absolute);
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
