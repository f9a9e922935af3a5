import type { Said } from "./said.ts";

/** Problems with results of other tools. */
export const resultTexts = {
  /** The file ends early. `at` is the place (`byte 10240`, `line 12`), `of` the thing that is cut off. */
  results_list: (): Said => ({
    message: "the file begins with a list, and JSON lines have an object on each line",
    hint: "Write each object on a line of its own, without brackets and commas around them: `jq -c '.[]' results.json > results.jsonl` does it.",
  }),
  results_truncated: ({ at, of }: { at: string; of?: string }): Said => ({
    message: `the file ends in the middle${of === undefined ? "" : ` of ${of}`}, at ${at}: it was cut off`,
    hint: "Was the tool stopped, or the copy broken off? Results that are not whole can't be judged: let the tool finish, or copy the file again.",
  }),
  /** The text at `at` is not JSON, XML, ZIP or CSV as expected. */
  results_unreadable: ({ at, reason }: { at: string; reason: string }): Said => ({
    message: `the file can't be read at ${at}: ${reason}`,
  }),
  results_version: (found: { tool: string; found: string; known: readonly string[] }): Said => ({
    message: `it is of ${found.tool}'s format ${quoted(found.found)}, which is not known here`,
    hint: `Known are ${found.known.join(", ")}. Write the results with one of those, or map them to JSON lines (format: jsonl).`,
  }),
  /**
   * The file does not have this format; `expected`: the feature that identifies it, such as `an object with "results"`.
   */
  results_not_format: ({ format, expected }: { format: string; expected: string }): Said => ({
    message: `it is no ${format} file: ${expected} was expected`,
    hint: "Name the format that it has, or let `auto` look.",
  }),
  /** A field that can't be mapped; `at` is its row: `line 12`, `results[3]`. */
  results_field: (found: { at: string; field: string; found: string; expected: string }): Said => ({
    message: `${found.at}: '${found.field}' is ${found.found}; ${found.expected} was expected`,
  }),
  results_metric_missing: (found: {
    metric: string;
    known: readonly string[];
    nearest: string | undefined;
  }): Said => ({
    message: `no row has the metric '${found.metric}'`,
    hint:
      found.nearest !== undefined
        ? `Did you mean '${found.nearest}'?`
        : found.known.length === 0
          ? "No row has a score."
          : `There ${found.known.length === 1 ? "is" : "are"} ${found.known.join(", ")}.`,
  }),
  results_limit_outside: (found: {
    limit: string;
    value: number;
    metric: string;
    range: readonly [number, number];
  }): Said => ({
    message:
      found.limit === "min"
        ? `min is ${found.value}, and '${found.metric}' lies between ${found.range.join(" and ")}`
        : `max-drop is ${found.value}, and '${found.metric}' lies between ${found.range.join(" and ")}: no drop can be as large`,
    hint:
      found.range[0] === 0 && found.range[1] === 1
        ? found.limit === "min"
          ? "Write 0.8 for 80 %."
          : "Write 0.02 for 2 percentage points."
        : "Write it in the metric's own unit.",
  }),
  results_candidates_alike: ({ names }: { names: readonly (string | null)[] }): Said => ({
    message: `the candidates ${names.map((name) => (name === null ? "without a name" : quoted(name))).join(" and ")} can't be told apart: blanks at the ends or between words are no difference, and one without a name is called 'recorded'`,
    hint: "Write one name for one candidate.",
  }),
  results_row_too_large: ({ at, most }: { at: string; most: string }): Said => ({
    message: `${at}: the row is larger than ${most}`,
    hint: "Leave attachments and long logs out of the results: the answer, the question and the scores are enough.",
  }),
  results_no_scores: (): Said => ({
    message: "no row has a score that a rule could judge",
    hint: "Give the rows numbers: a column `score`, or name the columns with --metric.",
  }),
  results_unfinished: ({ reason }: { reason: string }): Said => ({
    message: `the eval is not whole: ${reason}`,
    hint: "A part of the results can't be judged: let the tool finish, or mend what stopped it.",
  }),
  results_none: (): Said => ({
    message: "it has no tests: no row was found",
    hint: "Did the tool run? Without cases nothing is measured, and nothing measured is never a pass.",
  }),
  results_empty: (): Said => ({
    message: "the file is empty",
    hint: "Did the tool run, and was its output copied whole?",
  }),
  results_no_files: ({ pattern }: { pattern: string }): Said => ({
    message: `no file matches '${pattern}'`,
    hint: "Does the step that writes the results come before this one? Paths are relative to the working directory, in a manifest to its folder.",
  }),
  results_mixed: ({
    format,
    first,
    other,
  }: {
    format: string;
    first: string;
    other: string;
  }): Said => ({
    message: `it is a file of ${format}, and ${first} is one of ${other}`,
    hint: "Files given together are parts of one run. Gate each tool's results in a step of their own.",
  }),
  results_many: ({ what, count, most }: { what: string; count: number; most: number }): Said => ({
    message: `the results have ${count} ${what}; a run has ${most} at most`,
    hint: "Give fewer files at once, or gate them in several steps.",
  }),
  results_groups: ({
    found,
    known,
  }: {
    found: string | undefined;
    known: readonly string[];
  }): Said => ({
    message:
      found === undefined
        ? `the results have several groups, and the task does not say which one it is: ${known.join(", ")}`
        : `the results have no group '${found}'; they have ${known.join(", ") || "none"}`,
    hint: "Name one of them with `group` under `from`, in a task each.",
  }),
  results_direction: ({ metric }: { metric: string }): Said => ({
    message: `of the metric '${metric}' more is better in one file, and less in another`,
    hint: "Gate these files in steps of their own.",
  }),
  results_flag_idle: ({ flag, why }: { flag: string; why: string }): Said => ({
    message: `${flag} has no meaning with results that were recorded elsewhere: ${why}`,
    hint: "Leave it out.",
  }),
  results_and_suites: (): Said => ({
    message:
      "suites are run, and --results names results of another tool: both at once is no one run",
    hint: "Leave the manifests out, or name the results in a manifest, in a task's `from`.",
  }),
  results_nothing_named: (): Said => ({
    message: "neither a suite nor results are named",
    hint: "Name a manifest, or the results of another tool with --results FILE.",
  }),
  results_flag_alone: ({ flag }: { flag: string }): Said => ({
    message: `${flag} is about results of another tool, and none are named`,
    hint: "Name them with --results FILE; a manifest has its rules under `gate`.",
  }),
  export_folder: ({ file }: { file: string }): Said => ({
    message: `${file} can't be written: its folder does not exist`,
    hint: "Make the folder first, or name another file.",
  }),
  export_directory: ({ file }: { file: string }): Said => ({
    message: `${file} can't be written: it is a folder`,
    hint: "Name a file in it.",
  }),
  export_metrics_missing: ({
    tool,
    missing,
  }: {
    tool: string;
    missing: readonly string[];
  }): Said => ({
    message: `the run can't be written as ${tool}'s files: it has no ${missing.join(", ")}`,
    hint: `${tool}'s files hold these scores and no others. Export a run that was graded with them.`,
  }),
  results_direction_unknown: ({ metric, beside }: { metric: string; beside: string }): Said => ({
    message: `nothing says whether more is better for the metric '${metric}'`,
    hint: `lm-eval says it in ${beside}: keep that file beside this one.`,
  }),
  results_key_idle: ({ key }: { key: string }): Said => ({
    message: `\`${key}\` means nothing to a task with \`from\`: its results are there already, and nothing is run or graded`,
    hint: "Leave it out.",
  }),
  results_mixed_tasks: ({
    recorded,
    run,
  }: {
    recorded: readonly string[];
    run: readonly string[];
  }): Said => ({
    message: `${recorded.join(", ")} ${recorded.length === 1 ? "takes its" : "take their"} results \`from\` another tool, and ${run.join(", ")} ${run.length === 1 ? "is" : "are"} to be run: a suite does one of both`,
    hint: "Put them into suites of their own; the gate's comment shows both.",
  }),
  results_baseline_from: ({ from }: { from: string }): Said => ({
    message: `\`from: ${from}\` runs or pools runs of the same input, and results of another tool can't be made again here`,
    hint: "Leave it out, or say `auto`: the base branch's last results are the baseline.",
  }),
  results_input_alone: ({ input }: { input: string }): Said => ({
    message: `the input '${input}' is about results of another tool, and the input 'results' names none`,
    hint: "Name their files in `results`; a manifest has its rules under `gate`.",
  }),
  results_input_idle: ({ input }: { input: string }): Said => ({
    message: `the input '${input}' means nothing beside 'results': nothing is run, and the rules are those of these inputs`,
    hint: "Leave it out, or name the results in a manifest, in a task's `from`.",
  }),
  results_input_name: ({ found }: { found: string }): Said => ({
    message: `the input 'name' is ${JSON.stringify(found)}: letters, digits, dots, hyphens and underscores are allowed, 100 at most, a letter or digit first`,
  }),
  results_input_limit: ({ input, found }: { input: string; found: string }): Said => ({
    message: `the input '${input}' is ${JSON.stringify(found)}, not a number${input === "min" ? "" : " from 0 on"}`,
    hint: "Write it in the metric's unit: 0.02 of a metric from 0 to 1 is two percentage points.",
  }),
  results_duplicate: (found: { id: string; at: string; first: string }): Said => ({
    message: `${found.at}: the case '${found.id}' is there already, at ${found.first}`,
    hint: "An id names one case from run to run. Give each test its own, or count its repeats.",
  }),
  results_overlap: (found: { id: string; at: string; first: string; count: number }): Said => ({
    message: `${found.at}: the case '${found.id}' is in ${found.first} too${found.count === 1 ? "" : `, and so are ${found.count - 1} more`}`,
    hint: "Files given together are parts of one run. To compare two runs, use `regrade compare BASE HEAD`.",
  }),
  results_unknown: ({ known }: { known: readonly string[] }): Said => ({
    message: "the tool that wrote the file can't be recognized",
    hint: `Name its format: ${known.join(", ")}.`,
  }),
  results_ambiguous: ({ formats }: { formats: readonly string[] }): Said => ({
    message: `it could be ${formats.join(" or ")}`,
    hint: "Name its format.",
  }),
  results_column_missing: ({ key, column, known, nearest }: ColumnMissing): Said => ({
    message: `\`from.columns.${key}\` names the column '${column}', which the file does not have`,
    hint:
      nearest === undefined
        ? `Its columns are ${known.slice(0, 20).join(", ")}${known.length > 20 ? ", …" : ""}.`
        : `Did you mean '${nearest}'?`,
  }),
  results_fields_not_taken: ({ format }: { format: string }): Said => ({
    message: `columns can't be named for ${format}: the tool's own fields are read`,
    hint: "Name columns for jsonl and csv only.",
  }),
};

interface ColumnMissing {
  readonly key: string;
  readonly column: string;
  readonly known: readonly string[];
  readonly nearest: string | undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
