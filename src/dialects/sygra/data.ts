import { join } from "node:path";
import { ownValue } from "../../model/own-value.ts";
import { at, fieldsOf, isPresent, itemsOf, type Part, placeOf, textOf } from "../../base/part.ts";
import type { Json } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import { type Traced, traced, tracedFields } from "../origin.ts";
import { pathInDocument } from "../dialect.ts";
import { neededText, refuseOtherKeys, type SygraTask } from "./task.ts";

/** Translates `data_config.source` to a data set, and its transformations to a preprocessor. */
export async function readData(task: SygraTask): Promise<{
  readonly dataset: Traced | undefined;
  readonly preprocess: Traced | undefined;
}> {
  refuseOtherKeys(at(task.root, "data_config"), ["source"], { task, what: "`data_config`" });
  const source = at(at(task.root, "data_config"), "source");
  if (Array.isArray(source.value)) {
    task.refuse(problem("sygra_sources_several", undefined, placeOf(source)));
    return { dataset: undefined, preprocess: undefined };
  }
  if (!isPresent(source)) {
    const place = placeOf(at(task.root, "data_config"));
    task.refuse(problem("sygra_text_missing", { key: "data_config.source" }, place));
    return { dataset: undefined, preprocess: undefined };
  }
  return { dataset: await readSource(source, task), preprocess: readTransformations(source, task) };
}

async function readSource(source: Part, task: SygraTask): Promise<Traced | undefined> {
  const type = textOf(at(source, "type"));
  if (type === "hf") return readHub(source, task);
  if (type === "disk") return readFile(source, task);
  const found = { type: type ?? "", known: ["hf", "disk"] };
  return task.refuse(problem("sygra_source_unknown", found, placeOf(at(source, "type"))));
}

const common = ["type", "transformations"];

function readHub(source: Part, task: SygraTask): Traced | undefined {
  const known = [...common, "repo_id", "config_name", "split", "streaming", "token"];
  refuseOtherKeys(source, known, { task, what: "a data source of Hugging Face" });
  const repository = neededText(source, "repo_id", task);
  const split = at(source, "split");
  const [only, ...more] = Array.isArray(split.value) ? itemsOf(split) : [split];
  if (more.length > 0) task.refuse(problem("sygra_splits_several", undefined, placeOf(split)));
  if (repository === undefined) return undefined;
  return tracedFields(
    {
      source: traced("huggingface", placeOf(source)),
      path: traced(repository, placeOf(at(source, "repo_id"))),
      name: textPart(at(source, "config_name")),
      split: only && textPart(only),
    },
    placeOf(source),
  );
}

function textPart(part: Part): Traced | undefined {
  const text = textOf(part);
  return text === undefined ? undefined : traced(text, placeOf(part));
}

const formats: Readonly<Record<string, string>> = { json: "json", jsonl: "jsonl", csv: "csv" };

async function readFile(source: Part, task: SygraTask): Promise<Traced | undefined> {
  const known = [...common, "file_path", "file_format", "encoding"];
  refuseOtherKeys(source, known, { task, what: "a data source on disk" });
  const path = neededText(source, "file_path", task);
  const format = textPart(at(source, "file_format"));
  if (typeof format?.value === "string" && ownValue(formats, format.value) === undefined) {
    const found = { format: format.value, known: Object.keys(formats) };
    return task.refuse(problem("sygra_format_unknown", found, format.place));
  }
  if (path === undefined) return undefined;
  const place = placeOf(at(source, "file_path"));
  if (!(await task.tools.isThere(join(task.home, path))))
    return task.refuse(problem("sygra_file_missing", { path }, place));
  const file = pathInDocument(join(task.home, path), task.tools);
  return tracedFields({ file: traced(file, place), format }, placeOf(source));
}

/** Translates the transformations that work on a single row to a preprocessor in Python. */
function readTransformations(source: Part, task: SygraTask): Traced | undefined {
  const list = at(source, "transformations");
  const steps = itemsOf(list).flatMap((item) => readStep(item, task) ?? []);
  if (steps.length === 0) return undefined;
  const fields: Json = {
    type: "python",
    contract: "row",
    source: preprocessor(steps),
  };
  return traced(fields, placeOf(list));
}

interface Step {
  readonly kind: "rename" | "add";
  readonly mapping: Json;
  readonly overwrite: boolean;
}

function readStep(item: Part, task: SygraTask): Step | undefined {
  const name = textOf(at(item, "transform")) ?? "";
  const params = at(item, "params");
  const mapping = Object.fromEntries(
    fieldsOf(at(params, "mapping")).map(([key, field]) => [key, field.value ?? null]),
  );
  const overwrite = at(params, "overwrite").value === true;
  switch (name.split(".").at(-1)) {
    case "RenameFieldsTransform":
      return { kind: "rename", mapping, overwrite };
    case "AddNewFieldTransform":
      return { kind: "add", mapping, overwrite };
    case undefined:
    default:
      return task.refuse(
        problem("sygra_transform_unsupported", { name }, placeOf(at(item, "transform"))),
      );
  }
}

/**
 * The preprocessor's code. As in SyGra, a field keeps its name if the new name exists already, unless `overwrite` is
 * true.
 */
function preprocessor(steps: readonly Step[]): string {
  return `import json

STEPS = json.loads(${JSON.stringify(JSON.stringify(steps))})


def transform(row):
    for step in STEPS:
        for name, value in step["mapping"].items():
            if step["kind"] == "add":
                row[name] = value
            elif name in row and (step["overwrite"] or value not in row):
                row[value] = row.pop(name)
    return row
`;
}
