import { openDataset } from "../dataset/open.ts";
import type { DatasetTools } from "../dataset/open.ts";
import { formatOfName } from "../model/definition/dataset.ts";
import { problem } from "../model/refusal.ts";
import type { Problem } from "../model/refusal.ts";
import type { FileRef } from "../model/definition/suite.ts";

interface FieldsOfRows {
  readonly fields: ReadonlySet<string>;
  /**
   * The field whose name and values say that it identifies a case, if `id` does not: every row has it, each another.
   */
  readonly idField: string | undefined;
}

/** The fields of a data set if all of its rows can be read; otherwise its problems. */
export async function datasetFields(
  file: FileRef,
  tools: DatasetTools,
): Promise<FieldsOfRows | { readonly problems: readonly Problem[] }> {
  const format = formatOfName(file.path);
  if (format === undefined)
    return { problems: [problem("init_dataset_name", { path: file.path })] };
  const open = (id_field: string | undefined): ReturnType<typeof openDataset> =>
    openDataset({ dataset: { file, format, id_field }, targetOnly: new Set() }, tools);
  const opened = await open(undefined);
  if ("problems" in opened) return opened;
  const { fields } = opened.dataset;
  if (fields.has("id")) return { fields, idField: undefined };
  for (const field of [...fields].filter(isCalledId))
    if (!("problems" in (await open(field)))) return { fields, idField: field };
  return { fields, idField: undefined };
}

/** `ID`, `case_id`, `ticketId`, `uuid`. */
function isCalledId(name: string): boolean {
  return /^(?:.*[\s_.-])?(?:id|uid|uuid|guid)$/i.test(name) || /[a-z](?:Id|ID)$/.test(name);
}
