import { Refusal, type Place, type Problem } from "../model/refusal.ts";
import type { DownloadDataset, DownloadedDataset, RemoteTools } from "../model/ports/remote.ts";
import type { RemoteDataset } from "../model/definition/dataset.ts";
import { downloadFiles } from "./remote-files.ts";
import { createRequestRemote } from "./remote/ask.ts";
import { downloadHub } from "./remote/hub.ts";

/**
 * Downloads remote data sets: all rows, or the first ones for a check. A data set that several tasks name is downloaded
 * once, so that they read the same rows. Problems without a position get the suite's; failures that nobody can fix in
 * the suite (a server that is down) are thrown.
 */
export function createDatasetDownloader(
  tools: RemoteTools,
  rows: "all" | "first",
): DownloadDataset {
  const ask = createRequestRemote(tools);
  const under = new Map<string, Promise<DownloadedDataset>>();
  return async (dataset, place) => {
    const { id_field } = dataset;
    const key = JSON.stringify({ ...dataset, id_field: null });
    const downloading =
      under.get(key) ?? downloadAny(dataset, { ask, tools, whole: rows === "all" });
    under.set(key, downloading);
    try {
      const found = await downloading;
      const warnings = found.warnings.map((each) => atPlace(each, place));
      return { ...found, dataset: { ...found.dataset, id_field }, warnings };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const problems = error.problems.map((each) => atPlace(each, place));
      if (error.exit !== 2) throw new Refusal(problems, { cause: error, exit: error.exit });
      return { problems };
    }
  };
}

function downloadAny(
  dataset: RemoteDataset,
  download: Parameters<typeof downloadHub>[1],
): Promise<DownloadedDataset> {
  return dataset.source === "hub"
    ? downloadHub(dataset, download)
    : downloadFiles(dataset, download);
}

function atPlace(found: Problem, place: Place): Problem {
  return found.place === undefined ? { ...found, place } : found;
}
