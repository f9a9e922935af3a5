import { Refusal, type Place, type Problem } from "../model/refusal.ts";
import type { BringDataset, BroughtDataset, RemoteTools } from "../model/remote.ts";
import type { RemoteDataset } from "../model/dataset.ts";
import { bringFiles } from "./remote-files.ts";
import { createRequestRemote } from "./remote/ask.ts";
import { bringHub } from "./remote/hub.ts";

/**
 * Brings remote data sets here: all of their rows, or the first ones, to check them. What several tasks name is brought
 * once, so that they read the same rows. A problem has the suite's place where it has none of its own; what is nobody's
 * mistake (a server that is down) is thrown.
 */
export function createDatasetDownloader(tools: RemoteTools, rows: "all" | "first"): BringDataset {
  const ask = createRequestRemote(tools);
  const under = new Map<string, Promise<BroughtDataset>>();
  return async (dataset, place) => {
    const { id_field } = dataset;
    const key = JSON.stringify({ ...dataset, id_field: null });
    const bringing = under.get(key) ?? bring(dataset, { ask, tools, whole: rows === "all" });
    under.set(key, bringing);
    try {
      const found = await bringing;
      const warnings = found.warnings.map((each) => at(each, place));
      return { ...found, dataset: { ...found.dataset, id_field }, warnings };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const problems = error.problems.map((each) => at(each, place));
      if (error.exit !== 2) throw new Refusal(problems, { cause: error, exit: error.exit });
      return { problems };
    }
  };
}

function bring(
  dataset: RemoteDataset,
  bringing: Parameters<typeof bringHub>[1],
): Promise<BroughtDataset> {
  return dataset.source === "hub" ? bringHub(dataset, bringing) : bringFiles(dataset, bringing);
}

function at(found: Problem, place: Place): Problem {
  return found.place === undefined ? { ...found, place } : found;
}
