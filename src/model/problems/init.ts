import type { Said } from "./said.ts";

/** Problems with `regrade init`. */
export const initTexts = {
  init_exists: ({ file }: { file: string }): Said => ({
    message: `${file} exists already, and init overwrites nothing`,
    hint: file.endsWith("evals.yml")
      ? "Leave the workflow out with --no-workflow, and add a step that runs the action to one of yours."
      : "Choose another --name, or remove the file.",
  }),
  init_one_field: ({ field }: { field: string }): Said => ({
    message: `the data has no two fields to ask and to answer with, but ${JSON.stringify(field)} alone`,
    hint: "A CSV file's columns are separated by commas. Where the question has no answer, name it with --prompt and --target.",
  }),
  init_template_without_data: ({ flag }: { flag: string }): Said => ({
    message: `${flag} is about your own data, and none is named`,
    hint: "Name it with --dataset, or leave the flag out.",
  }),
  init_write_failed: ({ file, reason }: { file: string; reason: string }): Said => ({
    message: `can't write ${file}: ${reason}`,
    hint: "Mend that, or choose another folder. What is written already stays, and is never overwritten.",
  }),
  init_name: ({ name }: { name: string }): Said => ({
    message: `found the name ${JSON.stringify(name)}; a suite's name is letters, digits, _, . and -, the first a letter or a digit, at most 100`,
  }),
  init_grader: ({ grader, known, nearest }: InitGrader): Said => ({
    message: `there is no grader ${JSON.stringify(grader)} to begin with; there are ${known.join(", ")}`,
    hint:
      nearest === undefined
        ? "A grader of your own goes into the manifest later: grader: { type: python, file: … }."
        : `Did you mean ${nearest}?`,
  }),
  init_grader_numbers: (): Said => ({
    message: "the grader numeric compares numbers, and the answers of the example data are words",
    hint: "Name your own data with --dataset, or choose exact_match.",
  }),
  init_candidate: ({ candidate }: { candidate: string }): Said => ({
    message: `found the candidate ${JSON.stringify(candidate)}; it is 'command', or a model written provider:model`,
    hint: "Such as command, openai:gpt-5.4-mini or ollama:llama3.2.",
  }),
  init_provider: ({ provider, known, nearest }: InitProvider): Said => ({
    message: `there is no built-in provider ${JSON.stringify(provider)}; there are ${known.join(", ")}`,
    hint:
      nearest === undefined
        ? "Begin with one of them or with 'command'; a provider of your own goes into the manifest later, under `providers`."
        : `Did you mean ${nearest}?`,
  }),
  init_dataset_name: ({ path }: { path: string }): Said => ({
    message: `the dataset ${path} is neither .jsonl nor .csv by its name`,
    hint: "Name a JSONL file (an object a line) or a CSV file with a header.",
  }),
  init_dataset_outside: ({ path, root }: { path: string; root: string }): Said => ({
    message: `the dataset ${path} is outside of ${root}, where the suite's files must be`,
    hint: "Copy it into the repository.",
  }),
  init_template_empty: ({ flag }: { flag: string }): Said => ({
    message: `${flag} is empty`,
    hint: "A template holds the fields of a row, such as {{question}}.",
  }),
  init_field_unknown: ({ field, known, nearest }: InitField): Said => ({
    message: `the dataset has no field ${JSON.stringify(field)}; it has ${known.join(", ")}`,
    ...(nearest !== undefined && { hint: `Did you mean {{${nearest}}}?` }),
  }),
} satisfies Record<string, (found: never) => Said>;

interface InitGrader {
  readonly grader: string;
  readonly known: readonly string[];
  readonly nearest: string | undefined;
}

interface InitProvider {
  readonly provider: string;
  readonly known: readonly string[];
  readonly nearest: string | undefined;
}

interface InitField {
  readonly field: string;
  readonly known: readonly string[];
  readonly nearest: string | undefined;
}
