import { problem } from "../../model/refusal.ts";
import { recordedTask } from "../../model/definition/recorded.ts";
import { resultFormats, type ResultFields, type ResultsFrom } from "../../model/results.ts";
import type { Task } from "../../model/definition/suite.ts";
import type { ManifestContext } from "../context.ts";
import { resolveMetrics } from "./metrics.ts";
import {
  at,
  booleanOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  objectOf,
  type Part,
  presentKeys,
  textOf,
  textsOf,
} from "../../base/part.ts";
import { oneKeyOf } from "../sources.ts";

/** Keys of a task about asking and grading: meaningless for recorded results. */
const idleKeys = [
  "dataset",
  "prompt_template",
  "messages_template",
  "tool_results",
  "target_template",
  "choices",
  "num_fewshot",
  "fewshot",
  "preprocess",
  "output_extraction",
  "grader",
  "graders",
  "repeats",
];

/** A task whose results another tool recorded; undefined if a part of it is invalid. */
export function resolveRecorded(
  { part, id, short }: { readonly part: Part; readonly id: string; readonly short: boolean },
  context: ManifestContext,
): Task | undefined {
  for (const key of presentKeys(part, idleKeys))
    context.refuse(problem("results_key_idle", { key }, keyPlaceOf(at(part, key))));
  const from = resolveFrom(part, context);
  const grader = { type: "recorded", options: {}, models: undefined } as const;
  const metrics = resolveMetrics(part, grader, context);
  if (from === undefined) return undefined;
  const cluster_by = textOf(at(part, "cluster_by"));
  return recordedTask({
    id,
    name: short ? undefined : textOf(at(part, "name")),
    type: textOf(at(part, "type")),
    metrics,
    repeats: 1,
    ...(cluster_by !== undefined && { cluster_by }),
    slices: textsOf(at(part, "slices")),
    min_cases: numberOf(at(part, "min_cases")) ?? 1,
    metadata: short ? {} : (objectOf(at(part, "metadata")) ?? {}),
    from,
  });
}

function resolveFrom(task: Part, context: ManifestContext): ResultsFrom | undefined {
  const part = at(task, "from");
  const key = oneKeyOf(part, ["path", "paths"], context);
  if (key === undefined) return undefined;
  const path = textOf(at(part, "path"));
  const format = textOf(at(part, "format"));
  const columns = at(part, "columns");
  const takesColumns = format === undefined || ["auto", "jsonl", "csv"].includes(format);
  if (isPresent(columns) && !takesColumns)
    context.refuse(problem("results_fields_not_taken", { format }, keyPlaceOf(columns)));
  return {
    paths: path === undefined ? textsOf(at(part, "paths")) : [path],
    format: resultFormats.find((known) => known === format) ?? "auto",
    group: textOf(at(part, "group")),
    columns: columnsOf(columns),
    directed: itemsOf(at(task, "metrics")).flatMap((metric) =>
      booleanOf(at(metric, "higher_is_better")) === undefined
        ? []
        : (textOf(at(metric, "id")) ?? []),
    ),
  };
}

const columnNames = ["id", "output", "target", "error", "repeat", "candidate", "task"] as const;

function columnsOf(part: Part): ResultFields {
  const input = textsOf(at(part, "input"));
  const named = columnNames.flatMap((name) => {
    const column = textOf(at(part, name));
    return column === undefined ? [] : [[name, column]];
  });
  return { ...Object.fromEntries(named), ...(input.length > 0 && { input }) };
}

/** If results are only judged, the suite must not have settings for running candidates. */
export function checkRecorded(root: Part, tasks: readonly Task[], context: ManifestContext): void {
  const run = tasks.filter(({ from }) => from === undefined);
  if (run.length > 0) {
    const recorded = tasks.filter(({ from }) => from !== undefined).map(({ id }) => id);
    const found = { recorded, run: run.map(({ id }) => id) };
    context.refuse(problem("results_mixed_tasks", found, root.locate(["tasks"])));
    return;
  }
  for (const key of presentKeys(root, ["candidates", "models", "providers", "files"]))
    context.refuse(problem("results_key_idle", { key }, keyPlaceOf(at(root, key))));
  const settings = at(root, "run");
  for (const key of Object.keys(objectOf(settings) ?? {}).filter((name) => name !== "metadata"))
    context.refuse(
      problem("results_key_idle", { key: `run.${key}` }, keyPlaceOf(at(settings, key))),
    );
  const baseline = at(at(at(root, "gate"), "baseline"), "from");
  const from = textOf(baseline);
  if (from === "rerun" || from === "pooled")
    context.refuse(problem("results_baseline_from", { from }, keyPlaceOf(baseline)));
}
