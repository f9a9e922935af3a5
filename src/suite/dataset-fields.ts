import { openDataset } from "../dataset/open.ts";
import type { DatasetTools } from "../dataset/open.ts";
import { problem } from "../model/refusal.ts";
import type { Problem } from "../model/refusal.ts";
import type { FileRef } from "../model/suite.ts";

/** The fields of a data set, all of whose rows can be read; or what is wrong with it. */
export async function datasetFields(
  file: FileRef,
  tools: DatasetTools,
): Promise<{ readonly fields: ReadonlySet<string> } | { readonly problems: readonly Problem[] }> {
  const format = /\.(?:jsonl|ndjson|csv)$/i.exec(file.path)?.[0].toLowerCase();
  if (format === undefined)
    return { problems: [problem("init_dataset_name", { path: file.path })] };
  const spec = { file, format: format === ".csv" ? "csv" : "jsonl", id_field: undefined } as const;
  const opened = await openDataset({ dataset: spec, targetOnly: new Set() }, tools);
  return "problems" in opened ? opened : { fields: opened.dataset.fields };
}
