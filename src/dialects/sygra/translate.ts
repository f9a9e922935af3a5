import { at, fieldsOf, isPresent, objectOf, type Part, placeOf, textOf } from "../../base/part.ts";
import type { JsonObject } from "../../model/json.ts";
import { type Problem, problem } from "../../model/refusal.ts";
import type { Translated } from "../../base/foreign.ts";
import type { DialectTools } from "../dialect.ts";
import {
  documentOf,
  type Traced,
  traced,
  tracedFields,
  tracedList,
  tracedPart,
} from "../origin.ts";
import { readData } from "./data.ts";
import { readGraph } from "./graph.ts";
import { readModel, readStructured } from "./model.ts";
import { readProcessors } from "./processors.ts";
import { readPrompt } from "./prompt.ts";
import { homeOf, refuseOtherKeys, type SygraTask } from "./task.ts";
import { type AnswerField, outputKeys, readUnits, type UnitGraders } from "./units.ts";

/** Translates a `graph_config.yaml` of SyGra to a manifest: one model is called, and unit metrics judge its answer. */
export async function translateSygra(root: Part, tools: DialectTools): Promise<Translated> {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const task: SygraTask = {
    root,
    tools,
    home: homeOf(tools),
    refuse: (found) => void problems.push(found),
    warn: (found) => void warnings.push(found),
  };
  const { document, about } = await readTask(task);
  if (problems.length > 0) return { kind: "refused", problems };
  return { kind: "translated", ...documentOf(document), about, hidden: [], warnings };
}

const knownKeys = ["data_config", "graph_config", "output_config", "graph_post_process", "regrade"];

async function readTask(
  task: SygraTask,
): Promise<{ readonly document: Traced; readonly about: JsonObject }> {
  const { root } = task;
  refuseOtherKeys(root, knownKeys, { task, what: "an evaluation task" });
  refuseOtherKeys(at(root, "output_config"), ["output_map"], { task, what: "the output" });
  const { llm, lambdas } = readGraph(task);
  const data = await readData(task);
  const node = llm ?? at(root, "graph_config");
  const structured = llm ? readStructured(llm, task) : { fields: [], text: undefined };
  const { prompt, instructions } = llm
    ? readPrompt(llm, task)
    : { prompt: undefined, instructions: undefined };
  const answer = readAnswer(node, structured.fields, task);
  const units: UnitGraders[] = [];
  for (const lambda of lambdas) {
    const found = await readUnits(lambda, answer, task);
    if (found !== undefined) units.push(found);
  }
  const produced = units.flatMap((each) => each.produced);
  const processors = await readProcessors({ produced, answer }, task);
  const own = ownKeys(task);
  const said = (key: string): boolean => key in own || task.tools.ownKeys?.has(key) === true;
  const isOwnModel = said("candidates") || said("models");
  const model =
    llm && !isOwnModel
      ? await readModel(llm, { instructions, text: structured.text }, task)
      : { providers: undefined, candidates: undefined };
  const place = placeOf(node);
  const document = tracedFields(
    {
      name: traced(nameOf(task), place),
      dataset: data.dataset,
      preprocess: data.preprocess,
      prompt_template: prompt,
      target_template: targetOf(units),
      metrics: metricsOf(units, place),
      graders: tracedList([...units.flatMap((each) => each.graders), ...processors.graders], place),
      ...model,
      ...own,
    },
    placeOf(root),
  );
  return { document, about: aboutOf({ answer, reports: processors.reports }, task) };
}

function targetOf([first]: readonly UnitGraders[]): Traced | undefined {
  return first && traced(`{{${textOf(first.golden) ?? ""}}}`, placeOf(first.golden));
}

/**
 * Metrics of the user's classes. They get the range [0, 1], which SyGra's own have, so that the default rule gates
 * them.
 */
function metricsOf(units: readonly UnitGraders[], place: Traced["place"]): Traced | undefined {
  const ids = units.flatMap(({ custom }) => custom);
  if (ids.length === 0) return undefined;
  return traced(
    ids.map((id) => ({ id, range: [0, 1] })),
    place,
  );
}

/** Data of the task that a report in SyGra's format needs. */
function aboutOf(
  { answer, reports }: { readonly answer: AnswerField; readonly reports: readonly JsonObject[] },
  { root }: SygraTask,
): JsonObject {
  const { predicted, field } = answer;
  return {
    tool: "sygra",
    predicted,
    ...(field !== undefined && { field }),
    output_map: objectOf(at(at(root, "output_config"), "output_map")) ?? {},
    reports: [...reports],
  };
}

/** The one field of the state that the model sets. In a structured answer it is the field of the same name. */
function readAnswer(llm: Part, fields: readonly string[], task: SygraTask): AnswerField {
  const outputs = at(llm, "output_keys");
  const [predicted = "", ...others] = outputKeys(outputs);
  if (predicted === "" || others.length > 0) {
    const count = predicted === "" ? 0 : others.length + 1;
    task.refuse(problem("sygra_outputs_of_model", { count }, placeOf(outputs)));
  }
  if (fields.length === 0) return { predicted, field: undefined };
  if (!fields.includes(predicted)) {
    const found = { field: predicted, fields };
    task.refuse(problem("sygra_output_not_in_answer", found, placeOf(outputs)));
  }
  return { predicted, field: predicted };
}

const ownAllowed = ["gate", "run", "publish", "candidates", "models", "providers", "name"];

/** Settings that SyGra does not have, which stand under the key `regrade`. */
function ownKeys(task: SygraTask): Readonly<Record<string, Traced>> {
  const own = at(task.root, "regrade");
  if (!isPresent(own)) return {};
  refuseOtherKeys(own, ownAllowed, { task, what: "`regrade`" });
  return Object.fromEntries(
    fieldsOf(own)
      .filter(([key]) => ownAllowed.includes(key))
      .map(([key, part]) => [key, tracedPart(part)] as const),
  );
}

/** The suite's name: `tasks/eval/question_answering/simpleqa` becomes `question_answering.simpleqa`. */
function nameOf({ root, tools: { directory } }: SygraTask): string {
  const named = textOf(at(at(root, "regrade"), "name"));
  const steps = directory.split(/[\\/]/).filter((step) => step !== "");
  const from = steps.lastIndexOf("tasks");
  const own = from < 0 ? steps.slice(-1) : steps.slice(from + 1);
  const name = (own[0] === "eval" ? own.slice(1) : own).join(".");
  return (
    named ?? (name.replaceAll(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "task")
  );
}
