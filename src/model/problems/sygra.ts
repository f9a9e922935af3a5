import type { Said } from "./said.ts";

/** Advice for features that Regrade can't run. */
const runThere =
  "Run the task with SyGra, and gate what it recorded: regrade run --results output.json --format sygra.";

function oneOf(words: readonly string[]): string {
  return words.length === 0 ? "there is none" : `there are ${words.join(", ")}`;
}

interface Unknown {
  readonly what: string;
  readonly name: string;
  readonly known: readonly string[];
  readonly suggestion: string | undefined;
}

interface UnknownResults {
  readonly field: string;
  readonly keys: readonly string[];
  readonly suggestion: string | undefined;
}

function suggestionOr(suggestion: string | undefined, otherwise: string): string {
  return suggestion === undefined ? otherwise : `Did you mean ${suggestion}?`;
}

/** Problems with a task of SyGra, and features of it that Regrade can't run. */
export const sygraTexts = {
  sygra_text_missing: ({ key }: { key: string }): Said => ({
    message: `\`${key}\` is missing, or is not a text`,
    hint: "SyGra needs it too: docs/sygra.md shows a whole task.",
  }),
  sygra_key_unsupported: ({
    key,
    what,
    known,
  }: {
    key: string;
    what: string;
    known: readonly string[];
  }): Said => ({
    message: `\`${key}\` of ${what} is not taken here; ${oneOf(known)}`,
    hint: `Leave it out, or: ${runThere}`,
  }),
  sygra_node_unsupported: ({ name, what }: { name: string; what: string }): Said => ({
    message: `the node ${JSON.stringify(name)} is ${what}: a task that is run here asks one model, and judges its answer in lambda nodes`,
    hint: runThere,
  }),
  sygra_node_missing: ({ type }: { type: string }): Said => ({
    message: `the graph has no node with node_type: ${type}`,
    hint: runThere,
  }),
  sygra_edge_branches: ({ name }: { name: string }): Said => ({
    message: `the graph branches after the node ${JSON.stringify(name)}: a task that is run here goes from one node to the next`,
    hint: runThere,
  }),
  sygra_llm_code: ({ key }: { key: string }): Said => ({
    message: `\`${key}\` of the model's node is not run here`,
    hint: `Let the model answer in a structured_output, whose field is taken by its name; or: ${runThere}`,
  }),
  sygra_outputs_of_model: ({ count }: { count: number }): Said => ({
    message: `\`output_keys\` of the model's node names ${count} fields; its answer is one`,
    hint: runThere,
  }),
  sygra_output_not_in_answer: ({
    field,
    fields,
  }: {
    field: string;
    fields: readonly string[];
  }): Said => ({
    message: `\`output_keys\` names ${field}, and structured_output has no such field; ${oneOf(fields)}`,
    hint: "Give the field of the answer the name of the output key.",
  }),
  sygra_output_missing: ({
    name,
    keys,
    suggestion,
  }: {
    name: string;
    keys: readonly string[];
    suggestion: string | undefined;
  }): Said => ({
    message: `the result of ${name} is lost: \`output_keys\` does not name it; ${oneOf(keys)}`,
    hint: suggestionOr(suggestion, `Add ${name} to output_keys.`),
  }),
  sygra_unit_twice: ({ name }: { name: string }): Said => ({
    message: `the unit metric ${name} is there twice, and its result is one field`,
    hint: "Keep one of them (SyGra keeps the last).",
  }),
  sygra_registered_twice: ({ name, files }: { name: string; files: readonly string[] }): Said => ({
    message: `several files register ${name}: ${files.join(", ")}; the first is used`,
    hint: "Give each class a name of its own in its decorator.",
  }),
  sygra_file_missing: ({ path }: { path: string }): Said => ({
    message: `no such file: ${path}`,
    hint: "The path starts at the folder that holds `tasks`.",
  }),
  sygra_column_missing: ({
    field,
    columns,
  }: {
    field: string;
    columns: readonly string[];
  }): Said => ({
    message: `'${field}' not found in output columns: output_config.output_map does not map it; ${oneOf(columns)}`,
    hint: `Add to output_map: ${field}: { from: ${field} }.`,
  }),
  sygra_results_unknown: ({ field, keys, suggestion }: UnknownResults): Said => ({
    message: `unit_metrics_results field '${field}' not found: no lambda node has it among its output_keys; ${oneOf(keys)}`,
    hint: suggestionOr(suggestion, "Name one of the output_keys."),
  }),
  sygra_name_unknown: ({ what, name, known, suggestion }: Unknown): Said => ({
    message: `there is no ${what} ${JSON.stringify(name)}; ${oneOf(known)}`,
    hint: suggestionOr(
      suggestion,
      "One of your own is found by its decorator: beside the task, or in SyGra's folder of metrics.",
    ),
  }),
  sygra_class_missing: ({ path, file }: { path: string; file: string }): Said => ({
    message: `${path} is not there: there is no file ${file}`,
    hint: "The path is that of the module and the class, from the folder that holds `tasks`.",
  }),
  sygra_previous_output: (): Said => ({
    message:
      "`use_previous_output` is not run here: every post-processor is given the records of the run",
    hint: runThere,
  }),
  sygra_sources_several: (): Said => ({
    message: "a task with several data sources is not run here",
    hint: `Write one file with all rows, or: ${runThere}`,
  }),
  sygra_splits_several: (): Said => ({
    message: "a data source with several splits is not run here",
    hint: "Name one split.",
  }),
  sygra_source_unknown: ({ type, known }: { type: string; known: readonly string[] }): Said => ({
    message: `a data source of type ${JSON.stringify(type)} is not run here; ${oneOf(known)}`,
    hint: runThere,
  }),
  sygra_format_unknown: ({
    format,
    known,
  }: {
    format: string;
    known: readonly string[];
  }): Said => ({
    message: `files of the format ${JSON.stringify(format)} are not read; ${oneOf(known)}`,
    hint: "Convert the file to JSON lines.",
  }),
  sygra_transform_unsupported: ({ name }: { name: string }): Said => ({
    message: `the transformation ${JSON.stringify(name)} is not run here; there are RenameFieldsTransform and AddNewFieldTransform`,
    hint: `Change the data set beforehand, or: ${runThere}`,
  }),
  sygra_prompt_unsupported: ({ what }: { what: string }): Said => ({
    message: `the prompt holds ${what}: here it is one text of the user, and one of the system without fields`,
    hint: runThere,
  }),
  sygra_schema_unsupported: (): Said => ({
    message: "`structured_output.schema` is supported only with `fields`, not as a class",
    hint: "Write the fields with their types, or leave structured_output out.",
  }),
  sygra_parameter_unknown: ({ key, known }: { key: string; known: readonly string[] }): Said => ({
    message: `the parameter \`${key}\` of a model is not taken here; ${oneOf(known)}`,
    hint: "Leave it out, or give the candidate yourself under `regrade: { candidates: … }`.",
  }),
  sygra_model_kind: ({
    name,
    kind,
    known,
  }: {
    name: string;
    kind: string;
    known: readonly string[];
  }): Said => ({
    message: `the model ${name} is of model_type ${kind}, which is not asked here; ${oneOf(known)}`,
    hint: "Give the candidate yourself under `regrade: { candidates: … }`.",
  }),
  sygra_model_unknown: ({ name, variable }: { name: string; variable: string }): Said => ({
    message: `no address is given for the model ${name}`,
    hint: `Set ${variable}_URL (and ${variable}_TOKEN), as SyGra has it; or give the candidate yourself: regrade: { candidates: { model: "openai:gpt-5.4-mini" } }.`,
    missing: `${variable}_URL`,
  }),
};
