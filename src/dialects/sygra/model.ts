import { join } from "node:path";
import { ownValue } from "../../model/own-value.ts";
import { at, fieldsOf, isPresent, objectOf, type Part, placeOf, textOf } from "../../base/part.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import { type Traced, traced, tracedFields, tracedPart } from "../origin.ts";
import type { SygraTask } from "./task.ts";

interface Model {
  readonly providers: Traced | undefined;
  readonly candidates: Traced | undefined;
}

/** Files that may describe models, relative to the folder where SyGra is started. */
const modelFiles = ["sygra/config/models.yaml", "config/models.yaml"];
/** Types of servers with the Chat Completions API, each with the path to append to its address. */
const chatServers: Readonly<Record<string, string>> = {
  vllm: "",
  openai: "",
  ollama: "/v1",
  mistralai: "/v1",
  azure_openai: "/openai/v1",
};

/** Translates the model of an LLM node to a candidate. `instructions` and `text` are the node's prompt. */
export async function readModel(
  node: Part,
  asks: Readonly<Record<string, Traced | undefined>>,
  task: SygraTask,
): Promise<Model> {
  const model = at(node, "model");
  const named = textOf(model) === undefined ? at(model, "name") : model;
  const name = textOf(named);
  if (name === undefined) {
    task.refuse(problem("sygra_text_missing", { key: "model.name" }, placeOf(model)));
    return { providers: undefined, candidates: undefined };
  }
  const settings = { ...parametersOf(at(model, "parameters"), task), ...asks };
  if (/^[a-z0-9_-]+:./i.test(name)) return candidateOf(name, { named, settings });
  const described = await describedModel(name, task);
  const server = serverOf(name, described, { named, task });
  if (server === undefined) return { providers: undefined, candidates: undefined };
  const own = described && parametersOf(at(described, "parameters"), task);
  const found = candidateOf(`sygra:${server.model}`, { named, settings: { ...own, ...settings } });
  const providers = tracedFields(
    { sygra: traced(server.provider, placeOf(named)) },
    placeOf(named),
  );
  return { ...found, providers };
}

function candidateOf(
  model: string,
  { named, settings }: { named: Part; settings: Readonly<Record<string, Traced | undefined>> },
): Model {
  const place = placeOf(named);
  const candidate = tracedFields({ model: traced(model, place), ...settings }, place);
  return { providers: undefined, candidates: tracedFields({ model: candidate }, place) };
}

const parameterNames: Readonly<Record<string, string>> = {
  temperature: "temperature",
  top_p: "top_p",
  max_tokens: "max_output_tokens",
  max_new_tokens: "max_output_tokens",
  max_completion_tokens: "max_output_tokens",
  stop: "stop",
  presence_penalty: "presence_penalty",
  frequency_penalty: "frequency_penalty",
};

function parametersOf(part: Part, task: SygraTask): Readonly<Record<string, Traced>> {
  return Object.fromEntries(
    fieldsOf(part).flatMap(([key, field]) => {
      const name = ownValue(parameterNames, key);
      if (name !== undefined) return [[name, tracedPart(field)] as const];
      task.refuse(
        problem(
          "sygra_parameter_unknown",
          { key, known: Object.keys(parameterNames) },
          placeOf(field),
        ),
      );
      return [];
    }),
  );
}

async function describedModel(name: string, task: SygraTask): Promise<Part | undefined> {
  for (const path of modelFiles) {
    const file = join(task.home, path);
    const text = await task.tools.readText(file);
    const parsed = text === undefined ? undefined : task.tools.parse(text, path);
    if (parsed === undefined) continue;
    const found = at({ ...parsed, path: [] }, name);
    if (objectOf(found) !== undefined) return found;
  }
  return undefined;
}

interface Server {
  readonly provider: JsonObject;
  readonly model: string;
}

/** The model's server. As in SyGra, its address is in the description or in an environment variable. */
function serverOf(
  name: string,
  described: Part | undefined,
  { named, task }: { readonly named: Part; readonly task: SygraTask },
): Server | undefined {
  const variable = `SYGRA_${name.toUpperCase()}`;
  const { environment } = task.tools;
  const kind = described && textOf(at(described, "model_type"));
  if (kind !== undefined && ownValue(chatServers, kind) === undefined) {
    const found = { name, kind, known: Object.keys(chatServers) };
    return task.refuse(problem("sygra_model_kind", found, placeOf(named)));
  }
  const written = (described && textOf(at(described, "url"))) ?? environment[`${variable}_URL`];
  if (written === undefined || written === "")
    return task.refuse(problem("sygra_model_unknown", { name, variable }, placeOf(named)));
  const address = written.replace(/\/+(?:chat\/completions\/*)?$/, "");
  const ending = ownValue(chatServers, kind ?? "vllm") ?? "";
  const base_url = address.endsWith(ending) ? address : `${address}${ending}`;
  const token = `${variable}_TOKEN`;
  const hasToken = environment[token] !== undefined && environment[token] !== "";
  const model = (described && textOf(at(described, "model"))) ?? name;
  return { model, provider: { base_url, api: "chat", ...(hasToken && { api_key_env: token }) } };
}

/** Translates `structured_output` to a format for the model's answer, and lists the fields of that format. */
export function readStructured(
  node: Part,
  task: SygraTask,
): { readonly fields: readonly string[]; readonly text: Traced | undefined } {
  const structured = at(at(node, "model"), "structured_output");
  const isOff = at(structured, "enabled").value === false;
  if (!isPresent(structured) || isOff) return { fields: [], text: undefined };
  const schema = at(structured, "schema");
  const fields = fieldsOf(at(schema, "fields"));
  if (fields.length === 0) {
    task.refuse(problem("sygra_schema_unsupported", undefined, placeOf(schema)));
    return { fields: [], text: undefined };
  }
  const names = fields.map(([name]) => name);
  const properties = Object.fromEntries(fields.map(([name, part]) => [name, propertyOf(part)]));
  const format: Json = {
    type: "json_schema",
    name: "answer",
    schema: { type: "object", properties, required: names, additionalProperties: false },
  };
  return { fields: names, text: traced({ format }, placeOf(structured)) };
}

const types: Readonly<Record<string, Json>> = {
  str: "string",
  string: "string",
  int: "integer",
  float: "number",
  bool: "boolean",
  list: "array",
  dict: "object",
};

function propertyOf(part: Part): Json {
  const type = ownValue(types, textOf(at(part, "type")) ?? textOf(part) ?? "str");
  const description = textOf(at(part, "description"));
  return { ...(type !== undefined && { type }), ...(description !== undefined && { description }) };
}
