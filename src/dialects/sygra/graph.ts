import {
  at,
  fieldsOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  type Part,
  placeOf,
  textOf,
} from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import { refuseOtherKeys, type SygraTask } from "./task.ts";

/** The nodes of a graph in which one model is called and its answer is then judged. */
interface Graph {
  readonly llm: Part | undefined;
  readonly lambdas: readonly Part[];
}

/** Reads the graph. Every node and edge that would make it a different kind of graph is refused by name. */
export function readGraph(task: SygraTask): Graph {
  const config = at(task.root, "graph_config");
  refuseOtherKeys(config, ["nodes", "edges"], { task, what: "`graph_config`" });
  const llms: Part[] = [];
  const lambdas: Part[] = [];
  for (const [name, node] of fieldsOf(at(config, "nodes"))) {
    const type = textOf(at(node, "node_type"));
    if (type === "llm" && llms.length === 0) llms.push(node);
    else if (type === "lambda") lambdas.push(node);
    else {
      const what = type === "llm" ? "a second model" : (type ?? "nothing that is named");
      task.refuse(problem("sygra_node_unsupported", { name, what }, keyPlaceOf(node)));
    }
  }
  const [llm] = llms;
  const place = keyPlaceOf(at(config, "nodes"));
  if (llm === undefined) task.refuse(problem("sygra_node_missing", { type: "llm" }, place));
  if (lambdas.length === 0) task.refuse(problem("sygra_node_missing", { type: "lambda" }, place));
  for (const edge of itemsOf(at(config, "edges"))) checkEdge(edge, task);
  if (llm !== undefined) checkCode(llm, task);
  return { llm, lambdas };
}

function checkEdge(edge: Part, task: SygraTask): void {
  const name = textOf(at(edge, "from")) ?? "";
  const isBranch = isPresent(at(edge, "condition")) || isPresent(at(edge, "path_map"));
  if (isBranch || Array.isArray(at(edge, "to").value))
    task.refuse(problem("sygra_edge_branches", { name }, placeOf(edge)));
}

/** Supported keys of a model's node, including those that get a message of their own. */
const keysOfModel = [
  "node_type",
  "prompt",
  "output_keys",
  "model",
  "pre_process",
  "post_process",
  "tools",
  "multi_turn",
];

/** Refuses code that runs before or after the model's answer. Reading a field of the answer is supported. */
function checkCode(llm: Part, task: SygraTask): void {
  const hasFields = isPresent(at(at(llm, "model"), "structured_output"));
  const model = at(llm, "model");
  refuseOtherKeys(model, ["name", "parameters", "structured_output"], { task, what: "a model" });
  refuseOtherKeys(llm, keysOfModel, { task, what: "the model's node" });
  const keys = ["pre_process", "tools", "multi_turn", ...(hasFields ? [] : ["post_process"])];
  for (const key of keys) {
    const part = at(llm, key);
    if (isPresent(part)) task.refuse(problem("sygra_llm_code", { key }, keyPlaceOf(part)));
  }
}
