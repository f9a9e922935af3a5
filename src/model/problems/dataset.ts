import { plural } from "../number-words.ts";
import type { Said } from "./said.ts";

/** Problems with data sets, and with the templates that read them. */
export const datasetTexts = {
  dataset_bad_row: ({ reason }: { reason: string }): Said => ({
    message: `the row can't be read: ${reason}`,
  }),
  dataset_row_not_object: ({ found }: { found: string }): Said => ({
    message: `the row is ${found}; each line must be an object`,
    hint: 'Give the values names: {"question": "2+2?", "answer": "4"}; of a file that is one list of objects write format: json.',
  }),
  dataset_no_row_read: ({ rows, first }: { rows: number; first: string }): Said => ({
    message: `${rows} rows, and not one of them can be used; the first: ${first}`,
    hint: "The ending of the name tells the format: name the file .jsonl, .json, .csv or .tsv, or write format: jsonl, json or csv beside its path.",
  }),
  cluster_field_unknown: ({ field, known }: ClusterField): Said => ({
    message: `\`cluster_by: ${field}\` is no field of the dataset: every case counts as independent`,
    hint: `Its fields are ${known.join(", ")}.`,
  }),
  slice_field_unknown: ({ field, known, nearest }: SliceField): Said => ({
    message: `\`slices\` names ${JSON.stringify(field)}, which is no field of the dataset: all cases are in one slice, without a value`,
    hint:
      nearest === undefined ? `Its fields are ${known.join(", ")}.` : `Did you mean '${nearest}'?`,
  }),
  dataset_header: ({ reason }: { reason: string }): Said => ({
    message: `the header can't be used: ${reason}`,
    hint: "The first row of a CSV file names its columns, each once.",
  }),
  dataset_ragged: ({ found, expected }: { found: number; expected: number }): Said => ({
    message: `the row has ${found} ${plural(found, "field")}, the header has ${expected}`,
    hint: "Put a field that holds a comma or a line break in double quotes.",
  }),
  dataset_id_missing: ({ field }: { field: string }): Said => ({
    message: `the row has no '${field}', which is the case's id`,
    hint: `Give every row a '${field}', name another field with id_field, or set id_field: null to make ids from the rows' content.`,
  }),
  dataset_id_kind: ({ field, found }: { field: string; found: string }): Said => ({
    message: `the case's id '${field}' is ${found}; it must be a text that is not empty, or a number`,
    hint: "Name another field with id_field, or set id_field: null to make ids from the rows' content.",
  }),
  dataset_id_duplicate: (found: { field: string; id: string; firstLine: number }): Said => ({
    message: `the case id '${found.id}' (field '${found.field}') is taken: line ${found.firstLine} has it too`,
    hint: "An id names one case from run to run. Mend the data, name another field with id_field, or set id_field: null.",
  }),
  dataset_token: ({ key }: { key: string }): Said => ({
    message: `\`${key}\` is in the manifest, which everybody with access to the repository can read`,
    hint: "Remove it, and revoke it if it was committed. Set HF_TOKEN where Regrade runs; in a workflow: env: { HF_TOKEN: ${{ secrets.HF_TOKEN }} }.",
  }),
  dataset_empty: (): Said => ({
    message: "the file is empty",
    hint: "Put a row for each case in it.",
  }),
  dataset_no_rows: (): Said => ({
    message: "the file has no rows",
    hint: "Put a row for each case in it: without cases nothing is measured.",
  }),
  dataset_more_problems: ({ count }: { count: number }): Said => ({
    message: `and ${count} more ${plural(count, "problem")} in this file`,
    more: count,
  }),
  dataset_changed: (): Said => ({
    message: "the file was changed while the run was reading it",
    hint: "Run again when nothing writes to it.",
  }),
  fewshot_without_target: (): Said => ({
    message:
      "the examples show no answer: `example_template` has {{target}}, and nothing says what that is",
    hint: "Add a target_template to the task or to `fewshot`, or an example_template without {{target}}.",
  }),
  fewshot_joined: ({ key }: { key: string }): Said => ({
    message: `\`${key}\` joins texts, and with \`messages_template\` each example is two messages`,
    hint: "Leave it out: an example's question is the user's message, its target the assistant's.",
  }),
  fewshot_answer_missing: (): Said => ({
    message: "the examples have no answer for the assistant's message",
    hint: "Add a target_template to the task or to `fewshot`.",
  }),
  fewshot_question_missing: (): Said => ({
    message: "a task with turns has no one question that an example could ask",
    hint: "Add a prompt_template to `fewshot`: it is the user's message of each example.",
  }),
  messages_bad_row: ({ caseId, row, reason }: BadMessages): Said => ({
    message: `the case '${caseId}' (row ${row}) can't be asked: ${reason}`,
  }),
  messages_changed_row: ({ reason }: { reason: string }): Said => ({
    message: `a row can't be asked any more: ${reason}`,
    hint: "Run again when nothing writes to the data.",
  }),
  messages_more_rows: ({ count }: { count: number }): Said => ({
    message: `and ${count} more ${count === 1 ? "row that" : "rows that"} can't be asked`,
    more: count,
    hint: "Mend the data, or have a preprocessor drop or complete such rows.",
  }),
  template_list_of_messages: ({ field }: { field: string }): Said => ({
    message: `'{{${field}}}' is a list of messages in the first row: in a prompt it is one text of JSON`,
    hint: `To ask it as messages, write messages_template: "{{${field}}}" instead of prompt_template.`,
  }),
  fewshot_too_many: ({ count, rows, isOwn }: FewshotTooMany): Said => ({
    message: isOwn
      ? `${count} examples are to go before each prompt, and beside the case that is asked the dataset has ${rows} different ${plural(rows, "row")}`
      : `${count} examples are to go before each prompt, and their dataset has ${rows} ${plural(rows, "row")}`,
    hint:
      rows === 0
        ? "Name a dataset with more rows under `fewshot.dataset`."
        : `Ask for ${rows} or fewer, or name a dataset with more rows under \`fewshot.dataset\`.`,
  }),
  template_unknown_field: ({ field, nearest, known }: UnknownField): Said => ({
    message: `the template reads '{{${field}}}', and no row has such a field: it renders as nothing`,
    hint: unknownFieldHint({ field, nearest, known }),
  }),
  template_field_empty: ({ field, count, rows, first }: EmptyField): Said => ({
    message: `'${field}' is missing or empty in ${count} of ${rows} ${plural(rows, "row")}: the template renders it as nothing there; the first is row ${first.row} (case ${first.id})`,
    hint: "Fill it in, or leave these rows out. Where nothing is meant, write a word for it, such as (none).",
  }),
  target_not_a_label: ({ id, found, count, read, nearest: meant }: StrayLabel): Said => ({
    message: `the target of ${count} of ${read} ${plural(read, "case")} is none of the labels of \`output_extraction\`, so that no answer can equal it; the first is ${JSON.stringify(found)} (case ${id})`,
    hint:
      meant === undefined
        ? "Add the label, or correct the data."
        : `Did you mean ${JSON.stringify(meant)}? Correct the data, or add the label.`,
  }),
  template_choices_missing: ({ name }: { name: string }): Said => ({
    message: `the template reads '{{${name}}}', and neither the task nor any row has \`choices\`: it renders as nothing`,
    hint: "Declare them in the task, such as choices: [A, B, C, D], or give each row a field `choices` with a list.",
  }),
  grader_choices_missing: (): Said => ({
    message:
      "the grader choice has nothing to choose from: neither the task nor any row has `choices`",
    hint: "Declare them in the task, such as choices: [A, B, C, D], or give each row a field `choices` with a list.",
  }),
  grader_field_unknown: ({ grader, field, nearest, known }: GraderField): Said => ({
    message: `the grader ${grader} reads the row's field '${field}', and no row has such a field`,
    hint: nearest === undefined ? fieldsOfRows(known) : `Did you mean '${nearest}'?`,
  }),
  handed_field_unknown: ({ field, nearest, known }: UnknownField): Said => ({
    message: `the candidate is to be given the field '${field}', and no row has such a field: it is given nothing`,
    hint: nearest === undefined ? fieldsOfRows(known) : `Did you mean '${nearest}'?`,
  }),
  template_empty: ({ key }: { key: string }): Said => ({
    message: `\`${key}\` is empty: ${key === "target_template" ? "every answer is compared with nothing" : "the candidate is asked nothing"}`,
    hint: "Write a text with fields of a row, such as {{question}}.",
  }),
  template_unclosed: ({ found }: { found: string }): Said => ({
    message: `the template has '${found}' without closing braces: it is sent as it stands`,
    hint: "A field is written {{field}}.",
  }),
  braces_single: ({ found, field }: { found: string; field: string }): Said => ({
    message: `the template has no field: '${found}' is sent as it stands`,
    hint: `A field is written {{${field}}}.`,
  }),
  template_hidden_field: ({ field }: { field: string }): Said => ({
    message: `'{{${field}}}' has a meaning of its own in templates, so the rows' field '${field}' can't be read with it`,
    hint: "Rename the field in the data to read it alone.",
  }),
  template_shows_target: ({ fields }: { fields: string }): Said => ({
    message: `the prompt shows the candidate the whole row, with what the target is made of: ${fields}`,
    hint: "Name the fields that the candidate may see instead of {{row}}.",
  }),
} satisfies Record<string, (found: never) => Said>;

interface EmptyField {
  readonly field: string;
  /** Number of rows that lack it, among those that were read. */
  readonly count: number;
  readonly rows: number;
  readonly first: { readonly id: string; readonly row: number };
}

interface StrayLabel {
  /** The first case whose target is no label. */
  readonly id: string;
  readonly found: string;
  /** Number of such cases among those that were read. */
  readonly count: number;
  readonly read: number;
  readonly nearest: string | undefined;
}

interface UnknownField {
  readonly field: string;
  readonly nearest: string | undefined;
  /** The fields that rows have. */
  readonly known: readonly string[];
}

function unknownFieldHint({ field, nearest, known }: UnknownField): string {
  if (nearest !== undefined) return `Did you mean '{{${nearest}}}'?`;
  if (/\.(?:txt|md|j2|jinja2?|tpl|prompt|ya?ml|json)$/i.test(field))
    return "A template reads fields of the row, never a file: paste the file's text into it.";
  return fieldsOfRows(known);
}

function fieldsOfRows(known: readonly string[]): string {
  if (known.length === 0) return "The rows have no field at all.";
  const shown = known.slice(0, 20).join(", ");
  return `The rows have ${shown}${known.length > 20 ? ", …" : ""}.`;
}

interface GraderField extends UnknownField {
  /** The grader's type. */
  readonly grader: string;
}

interface BadMessages {
  readonly caseId: string;
  /** Counts from 1. */
  readonly row: number;
  readonly reason: string;
}

interface FewshotTooMany {
  readonly count: number;
  readonly rows: number;
  readonly isOwn: boolean;
}

interface ClusterField {
  readonly field: string;
  readonly known: readonly string[];
}

interface SliceField extends ClusterField {
  readonly nearest: string | undefined;
}
