import { isMetricId } from "../definition/metric.ts";
import type { Said } from "./said.ts";

/** Problems with loading a grader, before the first sample. */
export const graderTexts = {
  grader_uncounted: ({ name }: { name: string }): Said => ({
    message: `the grader ${JSON.stringify(name)} asks a model for every sample, and \`metrics\` has none of its scores: they count in no figure`,
    hint: `Add { id: ${name} } to \`metrics\`, or leave the grader out.`,
  }),
  row_checks_none: ({ field }: { field: string }): Said => ({
    message: `the row has no checks in \`${field}\``,
    hint: 'Without a check a case can\'t be judged: write [{"type": "contains", "target": "…"}], or give all rows checks by the grader\'s `also`.',
  }),
  row_checks_no_json: ({ field, reason }: { field: string; reason: string }): Said => ({
    message: `the checks in \`${field}\` are text that is not valid JSON: ${reason}`,
    hint: 'A column of a CSV file holds a list as JSON: [{"type": "contains", "target": "…"}].',
  }),
  row_check_name_taken: ({ name }: { name: string }): Said => ({
    message: `two checks of this row are called ${JSON.stringify(name)}`,
    hint: "Give each a `name` of its own: its score is the metric of that name.",
  }),
  row_check_file: ({ type, option }: { type: string; option: string }): Said => ({
    message: `the check ${type} names a file in \`${option}\`, and a check reads none`,
    hint: `Write the content of the file in its place.`,
  }),
  row_check_options: ({ type, reason }: { type: string; reason: string }): Said => ({
    message: `the check ${type} can't be used: ${reason}`,
    hint: `Correct its options; docs/graders.md lists those of ${type}.`,
  }),
  row_check_target: ({ type }: { type: string }): Said => ({
    message: `the check ${type} has nothing to compare the answer with`,
    hint: "Give it a `target`, or the task a `target_template`.",
  }),
  extracted_field_unknown: ({ field, known, nearest }: ExtractedField): Said => ({
    message:
      known.length === 0
        ? `found ${JSON.stringify(field)}, but the task's \`output_extraction\` has no \`fields\``
        : `found ${JSON.stringify(field)}, which is none of the fields of \`output_extraction\`: ${known.join(", ")}`,
    hint:
      nearest === undefined
        ? "Name the part of the answer: output_extraction: { type: json, fields: { answer: /answer } }."
        : `Did you mean ${nearest}?`,
  }),
  judge_has_no_rubric: (): Said => ({
    message: "the judge has neither a `rubric` nor `scales` to judge by",
    hint: "Write what to judge by as `rubric`, or name scales: scales: [factual_adherence, completeness].",
  }),
  judge_key_idle: ({ key, scales }: { key: string; scales: boolean }): Said => ({
    message: scales
      ? `\`${key}\` does nothing beside \`scales\`: a judge gives a verdict off a menu, or scores on scales`
      : `\`${key}\` does nothing without \`scales\``,
    hint: `Remove \`${key}\`, or ${scales ? "use two graders in `graders`" : "give the judge `scales`"}.`,
  }),
  judge_scale_taken: ({ id, by }: { id: string; by: string }): Said => ({
    message: `a scale can't be called ${JSON.stringify(id)}: ${by}`,
    hint: "Give it another `id`: it names the metric, and with _reasoning after it the judge's reason.",
  }),
  grader_file_unreadable: ({ file, reason }: { file: string; reason: string }): Said => ({
    message: `can't read the grader's file ${file}: ${reason}`,
    hint: "Check grader.file; it is relative to the manifest.",
  }),
  grader_syntax: ({ reason, text }: { reason: string; text: string | undefined }): Said => ({
    message: `the grader has a syntax error: ${reason}${text === undefined ? "" : `\n    ${text.trim()}`}`,
    hint: "Correct it; 'python3 -m py_compile' finds such errors in a file.",
  }),
  grader_import_failed: ({ reason, traceback }: { reason: string; traceback: string }): Said => ({
    message: `the grader fails while it is imported: ${reason}${indented(traceback)}`,
    hint: "Its top level must run without an error, in the folder of the grader and without the job's environment variables.",
  }),
  grader_module_missing: ({ reason, traceback }: { reason: string; traceback: string }): Said => ({
    message: `the grader imports a missing module: ${reason}${indented(traceback)}`,
    hint: "Put it beside the grader, or install it in the workflow before Regrade, for the interpreter that Regrade uses (--python, the action's input 'python').",
  }),
  grader_load_timeout: ({ reason }: { reason: string }): Said => ({
    message: `the grader can't be imported: ${reason}`,
    hint: "Move slow work out of its top level, into a function that grade calls when it needs it.",
  }),
  grader_no_grade: ({ functions }: { functions: string }): Said => ({
    message:
      functions === ""
        ? "the grader defines no function grade"
        : `the grader defines no function grade; it defines ${functions}`,
    hint: "Define grade(sample, item) at its top level. It returns a number, or {'scores': {'<metric>': number}}.",
  }),
  grader_batch_function: (): Said => ({
    message:
      "the grader defines grade_batch, which the contract 'batch' calls, and no function grade",
    hint: "Write contract: batch (execution: aggregate for model_backed), or define grade(sample, item), which scores one sample.",
  }),
  grader_no_grade_batch: ({ functions }: { functions: string }): Said => ({
    message: `the grader defines no function grade_batch, which is called once for all samples of a task${functions === "" ? "" : `; it defines ${functions}`}`,
    hint: "Define grade_batch(samples) at its top level, or write contract: sample (execution: per_sample for model_backed) for a function grade.",
  }),
  grader_sandbox: ({ reason }: { reason: string }): Said => ({
    message: `the grader was not started, as it can't be shut in as it must be: ${reason}`,
    hint: "'regrade doctor' lists this machine's protections; --sandbox auto runs graders with those available.",
  }),
  grader_not_callable: ({ found }: { found: string }): Said => ({
    message: `grade is not a function in the grader: it is of type ${found}`,
    hint: "Define grade(sample, item) at its top level.",
  }),
  grader_signature: ({ signature }: { signature: string }): Said => ({
    message: `grade${signature} can't be called as Regrade calls it`,
    hint: "Define grade(sample, item) or grade(sample, item, ctx).",
  }),
  grader_options: ({ grader, reason }: { grader: string; reason: string }): Said => ({
    message: `the built-in grader ${grader} does not take these options: ${reason}`,
    hint: `Correct them in the task's \`grader\`; docs/manifest.md lists the options of ${grader}.`,
  }),
  grader_program: ({ grader, reason }: { grader: string; reason: string }): Said => ({
    message: `the grader ${grader} can't be used: ${reason}`,
    hint: 'docs/graders.md, "A program of any language", says what a program can read and how it is found.',
  }),
  grader_died: ({ reason }: { reason: string }): Said => ({
    message: `the grader ended its own process while it was imported: ${reason}`,
    hint: "Its top level must not call os._exit, crash, or write to open file descriptors.",
  }),
  dry_call_invalid: ({ message }: { message: string }): Said => ({
    message: `called for the first row with the target as the answer, ${message}`,
    hint: "Such a result is invalid and counts as 0: return a finite number, or {'scores': {'<metric>': number}}.",
  }),
  dry_call_key: ({ key, nearest }: { key: string; nearest: string }): Said => ({
    message: `called for the first row, the grader reads ${JSON.stringify(key)}, which is in neither the sample nor the item`,
    hint: `Did you mean ${JSON.stringify(nearest)}?`,
  }),
  dry_call_attribute: ({ key }: { key: string }): Said => ({
    message: `called for the first row, the grader reads .${key}, and sample and item are dicts`,
    hint: `Write ["${key}"].`,
  }),
  dry_call_range: ({ metric, score, least, most }: DryCallRange): Said => ({
    message: `called for the first row with the target as the answer, the grader gives ${score} as ${JSON.stringify(metric)}, outside its range [${least}, ${most}]`,
    hint: "Such a score is invalid: give the metric the range that its scores have, or return others.",
  }),
  dry_call_metric: ({ given, missing }: DryCallMetric): Said => ({
    message: `called for the first row, the grader gives ${quoted(given)} and not the task's metric ${quoted(missing)}`,
    hint: isMetricId(given[0] ?? "")
      ? `Declare metrics: [{ id: ${given[0] ?? ""}, range: [0, 1] }], or return ${quoted(missing)}.`
      : `Return ${quoted(missing)}: an id has letters, digits, _, . and - alone.`,
  }),
  dry_call_unmeasured: ({ given }: Pick<DryCallMetric, "given">): Said => ({
    message: `called for the first row, grade_batch gives its samples ${quoted(given)} and returns no metric: nothing is measured`,
    hint: `Declare metrics: [{ id: ${given[0] ?? ""}, range: [0, 1] }], or return {"metrics": {…}} too.`,
  }),
  helper_model_missing: ({ helper, key }: { helper: string; key: string }): Said => ({
    message: `the grader calls ctx.${helper} without a model of its own, and the run names no \`${key}\``,
    hint: `Write run: { ${key}: openai:${key === "judge_model" ? "gpt-5.4-mini" : "text-embedding-3-small"} }, or name the model in the call.`,
  }),
  python_host_failed: ({ reason }: { reason: string }): Said => ({
    message: `the Python process of Regrade failed: ${reason}`,
    hint: "Check that this Python works (python3 -I -c 'import json, re'), or name another with --python.",
  }),
} satisfies Record<string, (found: never) => Said>;

interface ExtractedField {
  readonly field: string;
  readonly known: readonly string[];
  readonly nearest: string | undefined;
}

interface DryCallRange {
  readonly metric: string;
  readonly score: number;
  readonly least: number;
  readonly most: number;
}

interface DryCallMetric {
  readonly given: readonly string[];
  readonly missing: readonly string[];
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(", ");
}

function indented(traceback: string): string {
  return traceback === "" ? "" : `\n${traceback.replaceAll(/^/gmu, "    ")}`;
}
