import { nearest } from "../../base/nearest.ts";
import {
  at,
  fieldsOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  objectOf,
  type Part,
  placeOf,
  textOf,
} from "../../base/part.ts";
import type { JsonObject } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import { type Traced, traced, tracedFields } from "../origin.ts";
import {
  classGrader,
  discover,
  findClass,
  graderName,
  optionNames,
  packagesOf,
  refuseUnknown,
} from "./classes.ts";
import { neededText, refuseOtherKeys, type SygraTask } from "./task.ts";
import { type AnswerField, lenient } from "./units.ts";

/**
 * The graders that post-processors are translated to, and the instructions for making SyGra's report files from their
 * results.
 */
interface Processors {
  readonly graders: readonly Traced[];
  readonly reports: readonly JsonObject[];
}

/** Contents of the records of a run. */
interface Records {
  readonly produced: readonly string[];
  readonly answer: AnswerField;
}

const ownCollator =
  /(?:^|\.)tasks\.eval\.utils\.MetricCollatorPostProcessor$|^MetricCollatorPostProcessor$/;

/** Translates `graph_post_process`: graders, and instructions for SyGra's report files. */
export async function readProcessors(records: Records, task: SygraTask): Promise<Processors> {
  const graders: Traced[] = [];
  const reports: JsonObject[] = [];
  for (const item of itemsOf(at(task.root, "graph_post_process"))) {
    const path = textOf(item) ?? neededText(item, "processor", task);
    if (path === undefined) continue;
    const params = at(item, "params");
    if (at(params, "use_previous_output").value === true)
      task.refuse(
        problem("sygra_previous_output", undefined, placeOf(at(params, "use_previous_output"))),
      );
    const found = ownCollator.test(path)
      ? await readCollator(params, records, task)
      : await readCustom(item, { path, records }, task);
    graders.push(...(found?.graders ?? []));
    if (found !== undefined) reports.push(...found.reports);
  }
  return { graders, reports };
}

const keysOfEntry = ["name", "params", "unit_metrics_results", "metadata"];

async function readCollator(params: Part, records: Records, task: SygraTask): Promise<Processors> {
  const custom = await discover("aggregator_metric", task);
  const packages = custom.size > 0 ? await packagesOf(task) : [];
  const graders: Traced[] = [];
  const entries: JsonObject[] = [];
  const taken = new Set<string>();
  for (const entry of itemsOf(at(params, "aggregator_metrics_map"))) {
    const name = neededText(entry, "name", task);
    refuseOtherKeys(entry, keysOfEntry, { task, what: "an aggregator" });
    if (name === undefined) continue;
    for (const source of sourcesOf(entry, task)) {
      const column = textOf(source) ?? "";
      const unit = unitOf(source, records, task);
      if (unit === undefined) continue;
      const grader = freeName(graderName(`${column}-${name}`), taken);
      entries.push({ key: `${column}-${name}`, grader });
      const file = custom.get(name);
      const known = [...aggregators, ...custom.keys()];
      const settings = {
        as: "aggregator",
        name,
        result: unit,
        ...(objectOf(at(entry, "params")) && { params: objectOf(at(entry, "params")) ?? {} }),
      };
      const made =
        file === undefined
          ? builtin(entry, { name, grader, unit, known }, task)
          : classGrader(
              { name: grader, file, settings },
              { packages, place: placeOf(at(entry, "name")) },
            );
      if (made !== undefined) graders.push(made);
    }
  }
  return { graders, reports: [{ class: "MetricCollatorPostProcessor", entries }] };
}

/** `unit_metrics_results`, a list or a single name. Each entry is a separate result. */
function sourcesOf(entry: Part, task: SygraTask): readonly Part[] {
  const part = at(entry, "unit_metrics_results");
  const found = textOf(part) === undefined ? itemsOf(part) : [part];
  if (found.length === 0) {
    const place = isPresent(part) ? placeOf(part) : keyPlaceOf(entry);
    task.refuse(problem("sygra_text_missing", { key: "unit_metrics_results" }, place));
  }
  return found;
}

/**
 * The unit metric behind a column of the output. The two mistakes that SyGra's documentation warns of are reported at
 * their position.
 */
function unitOf(source: Part, { produced }: Records, task: SygraTask): string | undefined {
  const field = textOf(source) ?? "";
  const map = at(at(task.root, "output_config"), "output_map");
  const mapped = at(map, field);
  const place = placeOf(source);
  if (isPresent(mapped)) {
    const from = textOf(at(mapped, "from")) ?? "";
    if (produced.includes(from)) return from;
    const suggestion = nearest(from, produced);
    return task.refuse(
      problem(
        "sygra_results_unknown",
        { field: from, keys: produced, suggestion },
        placeOf(mapped),
      ),
    );
  }
  if (produced.includes(field)) {
    const columns = fieldsOf(map).map(([name]) => name);
    return task.refuse(problem("sygra_column_missing", { field, columns }, place));
  }
  const suggestion = nearest(field, produced);
  return task.refuse(
    problem("sygra_results_unknown", { field, keys: produced, suggestion }, place),
  );
}

const aggregators = optionNames("aggregate", "aggregator");

interface Aggregate {
  readonly name: string;
  readonly grader: string;
  readonly unit: string;
  readonly known: readonly string[];
}

/** Parameters that are documented but change nothing: the unit metric's verdict decides. */
const withoutEffect = ["key", "positive_class"];

function builtin(
  entry: Part,
  { name, grader, unit, known }: Aggregate,
  task: SygraTask,
): Traced | undefined {
  const named = at(entry, "name");
  if (!aggregators.includes(name))
    return refuseUnknown(named, { what: "aggregator", name, known }, task);
  const place = placeOf(named);
  const metadata = at(entry, "metadata");
  const options = fieldsOf(at(entry, "params"))
    .filter(([key]) => !withoutEffect.includes(key))
    .map(([key, part]) => [key, traced(lenient(part.value), placeOf(part))] as const);
  return tracedFields(
    {
      type: traced("aggregate", place),
      aggregator: traced(name, place),
      name: traced(grader, place),
      source: traced(unit, place),
      ...Object.fromEntries(options),
      metadata: isPresent(metadata) ? traced(metadata.value ?? null, placeOf(metadata)) : undefined,
    },
    place,
  );
}

function freeName(name: string, taken: Set<string>): string {
  let found = name;
  for (let count = 2; taken.has(found); count += 1) found = `${name.slice(0, 60)}-${count}`;
  taken.add(found);
  return found;
}

async function readCustom(
  item: Part,
  { path, records }: { readonly path: string; readonly records: Records },
  task: SygraTask,
): Promise<Processors | undefined> {
  const part = isPresent(at(item, "processor")) ? at(item, "processor") : item;
  const found = await findClass(part, path, task);
  if (found === undefined) return undefined;
  const { predicted, field } = records.answer;
  const settings = {
    as: "post_processor",
    name: found.name,
    predicted,
    ...(field !== undefined && { field }),
    params: objectOf(at(item, "params")) ?? {},
    output_map: objectOf(at(at(task.root, "output_config"), "output_map")) ?? {},
  };
  const grader = graderName(found.name);
  const place = placeOf(part);
  const made = classGrader(
    { name: grader, file: found.file, settings },
    { packages: await packagesOf(task), place },
  );
  return { graders: [made], reports: [{ class: found.name, grader }] };
}
