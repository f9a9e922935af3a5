import { nearest } from "../../base/nearest.ts";
import {
  at,
  fieldsOf,
  isPresent,
  itemsOf,
  objectOf,
  type Part,
  placeOf,
  textOf,
  textsOf,
} from "../../base/part.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import { type Traced, traced, tracedFields } from "../origin.ts";
import {
  classGrader,
  discover,
  findClass,
  optionNames,
  packagesOf,
  refuseUnknown,
} from "./classes.ts";
import { neededText, refuseOtherKeys, type SygraTask } from "./task.ts";

/** The graders that a unit metric node or a lambda node is translated to. */
export interface UnitGraders {
  readonly graders: readonly Traced[];
  /** Fields of the state that hold results. */
  readonly produced: readonly string[];
  /** Names of results that a class of the user's computes. */
  readonly custom: readonly string[];
  readonly golden: Part;
}

/** Position of the answer: the field of the state, and the field of its JSON object. */
export interface AnswerField {
  readonly predicted: string;
  readonly field: string | undefined;
}

const ownLambda = /(?:^|\.)tasks\.eval\.utils\.UnitMetrics$|^UnitMetrics$/;

/** Translates a lambda node: SyGra's own unit metrics, or a class that the user wrote. */
export async function readUnits(
  node: Part,
  answer: AnswerField,
  task: SygraTask,
): Promise<UnitGraders | undefined> {
  const lambda = neededText(node, "lambda", task);
  const golden = neededText(node, "golden_key", task);
  const predicted = at(node, "predicted_key");
  if (lambda === undefined || golden === undefined) return undefined;
  const named = textOf(predicted);
  if (named !== undefined && named !== answer.predicted) {
    const found = { what: "field that the model gives", name: named, known: [answer.predicted] };
    refuseUnknown(predicted, found, task);
  }
  return ownLambda.test(lambda)
    ? readOwn(node, { answer, golden }, task)
    : readCustom(node, { answer, lambda }, task);
}

const keysOfUnits = [
  "node_type",
  "lambda",
  "golden_key",
  "predicted_key",
  "unit_metrics_map",
  "output_keys",
];

async function readOwn(
  node: Part,
  { answer, golden }: { readonly answer: AnswerField; readonly golden: string },
  task: SygraTask,
): Promise<UnitGraders> {
  const custom = await discover("unit_metric", task);
  const packages = custom.size > 0 ? await packagesOf(task) : [];
  refuseOtherKeys(node, keysOfUnits, { task, what: "a node of unit metrics" });
  const outputs = at(node, "output_keys");
  const names: string[] = [];
  const graders: Traced[] = [];
  for (const entry of itemsOf(at(node, "unit_metrics_map"))) {
    const name = neededText(entry, "name", task);
    refuseOtherKeys(entry, ["name", "params"], { task, what: "a unit metric" });
    if (name === undefined) continue;
    if (names.includes(name)) {
      task.refuse(problem("sygra_unit_twice", { name }, placeOf(at(entry, "name"))));
      continue;
    }
    names.push(name);
    checkOutput(name, { entry, outputs }, task);
    const file = custom.get(name);
    const settings = { as: "unit_metric", name, golden, ...paramsOf(entry), ...answerOf(answer) };
    const grader =
      file === undefined
        ? builtin(entry, { name, answer, known: [...unitMetrics, ...custom.keys()] }, task)
        : classGrader({ name, file, settings }, { packages, place: placeOf(at(entry, "name")) });
    if (grader !== undefined) graders.push(grader);
  }
  checkOutputs(outputs, names, task);
  const own = names.filter((name) => custom.has(name));
  return { graders, produced: names, custom: own, golden: at(node, "golden_key") };
}

function answerOf({ predicted, field }: AnswerField): JsonObject {
  return { predicted, ...(field !== undefined && { field }) };
}

function paramsOf(entry: Part): JsonObject {
  const params = objectOf(at(entry, "params"));
  return params === undefined ? {} : { params };
}

const unitMetrics = optionNames("unit_metric", "metric");

function builtin(
  entry: Part,
  {
    name,
    answer,
    known,
  }: { readonly name: string; readonly answer: AnswerField; readonly known: readonly string[] },
  task: SygraTask,
): Traced | undefined {
  const named = at(entry, "name");
  if (!unitMetrics.includes(name))
    return refuseUnknown(named, { what: "unit metric", name, known }, task);
  const place = placeOf(named);
  const options = fieldsOf(at(entry, "params")).map(
    ([key, part]) => [key, traced(lenient(part.value), placeOf(part))] as const,
  );
  return tracedFields(
    {
      type: traced("unit_metric", place),
      metric: traced(name, place),
      name: traced(name, place),
      weight: traced(0, place),
      field: answer.field === undefined ? undefined : traced(answer.field, place),
      ...Object.fromEntries(options),
    },
    place,
  );
}

/** Reads a value as SyGra does: `"0.8"` is a number and `"yes"` is true. */
export function lenient(value: Json | undefined): Json {
  if (typeof value !== "string") return value ?? null;
  const word = value.trim().toLowerCase();
  if (["true", "yes", "on", "y", "t"].includes(word)) return true;
  if (["false", "no", "off", "n", "f"].includes(word)) return false;
  return /^-?\d+(?:\.\d+)?$/.test(word) ? Number(word) : value;
}

/** Reports a result that no output key names, because SyGra would lose it. */
function checkOutput(
  name: string,
  { entry, outputs }: { readonly entry: Part; readonly outputs: Part },
  task: SygraTask,
): void {
  if (outputKeys(outputs).includes(name) || !isPresent(outputs)) return;
  const found = { name, keys: outputKeys(outputs), suggestion: nearest(name, outputKeys(outputs)) };
  task.refuse(problem("sygra_output_missing", found, placeOf(at(entry, "name"))));
}

function checkOutputs(outputs: Part, names: readonly string[], task: SygraTask): void {
  for (const part of itemsOf(outputs)) {
    const name = textOf(part) ?? "";
    if (!names.includes(name))
      refuseUnknown(part, { what: "unit metric of this node", name, known: names }, task);
  }
}

/** The names in `output_keys`, which is a list or a single name. */
export function outputKeys(part: Part): readonly string[] {
  const only = textOf(part);
  return only === undefined ? textsOf(part) : [only];
}

async function readCustom(
  node: Part,
  given: { readonly answer: AnswerField; readonly lambda: string },
  task: SygraTask,
): Promise<UnitGraders | undefined> {
  const { answer, lambda } = given;
  const part = at(node, "lambda");
  const found = await findClass(part, lambda, task);
  const produced = outputKeys(at(node, "output_keys"));
  if (produced.length === 0) neededText(node, "output_keys", task);
  if (found === undefined) return undefined;
  const { node_type: _type, lambda: _lambda, output_keys: _keys, ...params } = objectOf(node) ?? {};
  const packages = await packagesOf(task);
  const graders = produced.map((result) => {
    const settings = { as: "lambda", name: found.name, result, params, ...answerOf(answer) };
    return classGrader(
      { name: result, file: found.file, settings },
      { packages, place: placeOf(part) },
    );
  });
  return { graders, produced, custom: produced, golden: at(node, "golden_key") };
}
