import { openDataset } from "../dataset/open.ts";
import type { DatasetTools } from "../dataset/open.ts";
import { formatOfName } from "../model/dataset.ts";
import { problem } from "../model/refusal.ts";
import type { Problem } from "../model/refusal.ts";
import type { FileRef } from "../model/suite.ts";

/** The fields of a data set if all of its rows can be read; otherwise its problems. */
export async function datasetFields(
  file: FileRef,
  tools: DatasetTools,
): Promise<{ readonly fields: ReadonlySet<string> } | { readonly problems: readonly Problem[] }> {
  const format = formatOfName(file.path);
  if (format === undefined)
    return { problems: [problem("init_dataset_name", { path: file.path })] };
  const spec = { file, format, id_field: undefined };
  const opened = await openDataset({ dataset: spec, targetOnly: new Set() }, tools);
  return "problems" in opened ? opened : { fields: opened.dataset.fields };
}
