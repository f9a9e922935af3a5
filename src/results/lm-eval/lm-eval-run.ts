import { isJsonObject, type Json } from "../../model/json.ts";
import { valueOf } from "../json-lines.ts";
import { readJsonFile } from "../json-stream.ts";
import type { ResultSource } from "../source.ts";

/** Facts about the run from the files' names and from the totals next to the samples. */
export interface LmEvalRun {
  readonly task: string | null;
  readonly version: string | undefined;
  readonly candidate: string | null;
  /** undefined if the metric's direction is unknown. */
  readonly higherIsBetter: (metric: string) => boolean | undefined;
  /** The task's metrics, filters and targets; undefined without the totals. */
  readonly judgedBy: Json | undefined;
  /** File name of the totals, if the samples' file name shows it. */
  readonly resultsName: string | undefined;
}

const samplesName =
  /^samples_(?<task>.+)_(?<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl$/;

/** Reads the facts about a run; those that the files don't show are undefined or null. */
export async function describeLmEvalRun(source: ResultSource): Promise<LmEvalRun> {
  const name = source.path.split(/[/\\]/).at(-1) ?? "";
  const { task, date } = samplesName.exec(name)?.groups ?? {};
  const resultsName = date === undefined ? undefined : `results_${date}.json`;
  const totals = resultsName === undefined ? undefined : await source.beside(resultsName);
  const parts = totals === undefined ? new Map<string, Json>() : await readTotals(totals);
  const directions = memberOf(parts.get("higher_is_better"), task ?? "");
  const version = parts.get("lm_eval_version");
  return {
    task: task ?? null,
    version: typeof version === "string" ? version : undefined,
    candidate: candidateOf(parts.get("config")),
    higherIsBetter: (metric) => {
      const direction = memberOf(directions, metric);
      return typeof direction === "boolean" ? direction : undefined;
    },
    judgedBy: judgingOf(memberOf(parts.get("configs"), task ?? "")),
    resultsName,
  };
}

const judgingKeys = [
  "metric_list",
  "filter_list",
  "doc_to_target",
  "doc_to_choice",
  "process_results",
  "process_docs",
];

/** Functions are written with an address in memory if their source is not known. */
function judgingOf(config: Json | undefined): Json | undefined {
  if (config === undefined) return undefined;
  const found = judgingKeys.map((key) => memberOf(config, key) ?? null);
  return JSON.stringify(found).replaceAll(/ at 0x[0-9a-f]+/g, "");
}

async function readTotals(totals: ResultSource): Promise<ReadonlyMap<string, Json>> {
  const parts = new Map<string, Json>();
  for await (const { path, value } of readJsonFile(totals, [
    "$.higher_is_better",
    "$.configs",
    "$.config",
    "$.lm_eval_version",
  ]))
    parts.set(String(path[0]), value);
  return parts;
}

/** The model that was loaded or asked, or the kind of model if neither is known. */
function candidateOf(config: Json | undefined): string | null {
  const given = memberOf(config, "model_args");
  const args = typeof given === "string" ? parseArguments(given) : given;
  for (const name of ["pretrained", "model", "path"]) {
    const value = memberOf(args, name);
    if (typeof value === "string" && value !== "") return value;
  }
  const kind = memberOf(config, "model");
  return typeof kind === "string" && kind !== "" ? kind : null;
}

/** Reads `pretrained=org/model,dtype=float16`, the form of earlier versions. */
function parseArguments(text: string): Json {
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim(), value.join("=").trim()];
    }),
  );
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? valueOf(value, name) : undefined;
}
