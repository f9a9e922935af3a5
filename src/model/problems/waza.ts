import type { Said } from "./said.ts";

const page = "docs/waza.md lists the keys of a waza file.";

function listed(words: readonly string[]): string {
  return words.length === 0 ? "there is none" : `there are ${words.join(", ")}`;
}

interface UnknownKey {
  readonly key: string;
  readonly what: string;
  readonly known: readonly string[];
  readonly suggestion: string | undefined;
}

/** Problems with an eval file of waza, and features of it that Regrade can't run. */
export const wazaTexts = {
  waza_value: ({ key, expected }: { key: string; expected: string }): Said => ({
    message: `\`${key}\` must be ${expected}`,
    hint: page,
  }),
  waza_key_unknown: ({ key, what, known, suggestion }: UnknownKey): Said => ({
    message: `${what} has no key \`${key}\`; ${listed(known)}`,
    hint:
      suggestion === undefined
        ? "Remove it: an unknown key checks nothing."
        : `Did you mean ${suggestion}?`,
  }),
  waza_key_idle: ({ key, why }: { key: string; why: string }): Said => ({
    message: `\`${key}\` changes nothing: ${why}`,
    hint: page,
  }),
  waza_unsupported: ({ what, way }: { what: string; way: string }): Said => ({
    message: `${what} is not run here`,
    hint: way,
  }),
  waza_grader_unknown: ({
    type,
    known,
    suggestion,
  }: {
    type: string;
    known: readonly string[];
    suggestion: string | undefined;
  }): Said => ({
    message: `there is no grader of the type ${JSON.stringify(type)}; ${listed(known)}`,
    hint:
      suggestion === undefined
        ? "A grader of your own is a Python file: docs/waza.md shows how Go's interface becomes grade(sample, item)."
        : `Did you mean ${suggestion}?`,
  }),
  waza_check_empty: ({ grader, keys }: { grader: string; keys: readonly string[] }): Said => ({
    message: `the grader ${JSON.stringify(grader)} checks nothing, and would always pass`,
    hint: `Give its config ${keys.join(", ")}.`,
  }),
  waza_name_taken: ({ name }: { name: string }): Said => ({
    message: `two graders of one task are called ${JSON.stringify(name)}: waza keeps the result of the last one alone`,
    hint: "Give each a name of its own; names that differ in other characters than letters, digits, _ and - are one.",
  }),
  waza_tasks_missing: ({ patterns }: { patterns: readonly string[] }): Said => ({
    message: `no task file matches ${patterns.map((each) => JSON.stringify(each)).join(", ")}`,
    hint: "The patterns of `tasks` start at this file's folder; ** means one folder, as in waza.",
  }),
  waza_tasks_none: (): Said => ({
    message: "there is no task to run: all are switched off, or the list is empty",
    hint: "Give a task `enabled: true`.",
  }),
  waza_task_ungraded: ({ task }: { task: string }): Said => ({
    message: `the task ${JSON.stringify(task)} has no grader: nothing of its answer is checked`,
    hint: "Give the file, or the task, `graders`.",
  }),
  waza_task_twice: ({ id, renamed }: { id: string; renamed: string }): Said => ({
    message: `two tasks have the id ${JSON.stringify(id)}; this one is ${JSON.stringify(renamed)} here`,
    hint: "Give each task an id of its own, so that runs can be compared.",
  }),
  waza_file_missing: ({ path, reason }: { path: string; reason: string }): Said => ({
    message: `the file ${JSON.stringify(path)} is left out: ${reason}`,
    hint: "waza leaves it out, too, and reports it only in its log. Files belong in `fixtures` next to the eval file.",
  }),
  waza_file_unusable: ({ path, reason }: { path: string; reason: string }): Said => ({
    message: `${path} can't be used: ${reason}`,
    hint: page,
  }),
  waza_csv: ({ reason }: { reason: string }): Said => ({
    message: `the CSV file of \`tasks_from\` can't be used: ${reason}`,
    hint: "Its first row names the columns; id, name and prompt have a meaning.",
  }),
  waza_template: ({ template, reason }: { template: string; reason: string }): Said => ({
    message: `the template ${JSON.stringify(template)} can't be filled: ${reason}`,
    hint: "There are {{.Vars.NAME}} for columns and inputs, {{.TaskName}}, {{.Iteration}} and {{.Attempt}}.",
  }),
  waza_era: ({ era, why }: { era: string; why: string }): Said => ({
    message: `the file is read as one for waza ${era}: ${why}`,
    hint: "docs/waza.md says what each version means by the same keys.",
  }),
  waza_metrics_idle: ({ names }: { names: readonly string[] }): Said => ({
    message: `waza computes no metric but trigger_accuracy: ${names.join(", ")} changes nothing`,
    hint: "Every grader of every task must pass; for other rules write a manifest with `uses:` this file and a `gate`.",
  }),
  waza_skills_missing: ({
    names,
    found,
  }: {
    names: readonly string[];
    found: readonly string[];
  }): Said => ({
    message: `required skills are not found: ${names.join(", ")}; in skill_directories ${listed(found)}`,
    hint: "Each folder of `skill_directories` holds a SKILL.md itself, whose front matter has the skill's name.",
  }),
  waza_vally: (): Said => ({
    message: "the file is Vally's: it has `stimuli`, and Vally's suites are not read",
    hint: "Write a manifest for it (docs/suite.md), or gate what Vally recorded as CSV or JSON lines.",
  }),
};
