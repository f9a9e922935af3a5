import type { Said } from "./said.ts";

/** The system's messages for EMFILE, ENFILE, EAGAIN and ENOMEM. */
const scarcities =
  /^(?:too many open files|file table overflow|resource temporarily unavailable|not enough memory)$/;

/** Problems with the run directory and its environment. */
export const runTexts = {
  import_no_suite: (): Said => ({
    message:
      "this is no suite of the hosted product: it has no `manifest` with `tasks`, and no `tasks` itself",
    hint: "Export a suite version as JSON; the manifest alone will do.",
  }),
  import_no_sample: (): Said => ({
    message: "the line is no sample of the hosted product: it needs task_id, model and dataset_row",
    hint: "Export the run's samples as JSON lines, an object a line.",
  }),
  import_files: ({ ids }: { ids: readonly string[] }): Said => ({
    message: `the suite names uploaded files, and their paths here are unknown: ${ids.join(", ")}`,
    hint: `Put them into the repository, and say where, relative to the manifest: ${ids.map((id) => `--file ${id}=PATH`).join(" ")}.`,
  }),
  import_exists: ({ path }: { path: string }): Said => ({
    message: `${path} is there already, and is not written over`,
    hint: "Choose another --out, or move it away.",
  }),
  rerun_other_input: ({ out }: { out: string }): Said => ({
    message: `the run in ${out} was made from other inputs than there are now: data, graders, candidates or settings have changed since`,
    hint: "Put them back as they were, or run the suite anew: two halves of different runs are no run.",
  }),
  rerun_policy: ({ directory }: { directory: string }): Said => ({
    message: `the run in ${directory} was judged by the policy of another tree (--policy-from), which is not kept with it`,
    hint: "Run the suite anew with --policy-from; answers that are in the cache are not asked for again.",
  }),
  rerun_part: ({ directory }: { directory: string }): Said => ({
    message: `the run in ${directory} is a shard, or reuses another run: its samples are incomplete`,
    hint: "Run the shard's job again, or the suite.",
  }),
  rerun_attempts: ({ directory }: { directory: string }): Said => ({
    message: `the run in ${directory} holds the samples of several attempts at a workflow run`,
    hint: "Re-run the job on GitHub: it asks again for what has no grade, and adds one more sample of every other case.",
  }),
  no_latest_run: ({ folder, suite, isWhole }: NoLatestRun): Said => ({
    message: `${folder}/runs has no ${isWhole ? "completed run of all cases" : "finished run"}${suite === undefined ? "" : ` of the suite '${suite}'`}`,
    hint: "Runs with --out are not looked for: name their directory.",
  }),
  history_empty: ({ folder, suites, nearest, known }: HistoryEmpty): Said => ({
    message: `${folder} has no finished run of a suite called ${suites.map((name) => `'${name}'`).join(" or ")}, and no folder has that name`,
    hint:
      nearest === undefined
        ? known.length === 0
          ? "It has no finished run at all. Name a folder that holds runs."
          : `It has runs of ${firstOf(known)}.`
        : `Did you mean '${nearest}'?`,
  }),
  out_in_use: ({ out }: { out: string }): Said => ({
    message: `the output directory ${out} is not empty`,
    hint: "Choose another --out, empty this one, or add --resume to continue the run in it.",
  }),
  stopped_early: (): Said => ({
    message: "stopped before the first sample: nothing was run, and nothing is left behind",
  }),
  out_is_file: ({ out }: { out: string }): Said => ({
    message: `the output directory ${out} can't be made: a file has that name`,
    hint: "Choose another --out.",
  }),
  resume_other_input: ({ out }: { out: string }): Said => ({
    message: `the run in ${out} was started with other inputs (suite, data, graders or candidates changed since)`,
    hint: "Start a new run in another --out; a resumed run must answer the same question.",
  }),
  resume_none: ({ folder }: { folder: string }): Said => ({
    message: `no run with these inputs was interrupted in ${folder}/runs`,
    hint: "Name the directory of an interrupted run with --out, or leave --resume out to start one. A run can't be resumed if its suite, data, graders or candidates have changed.",
  }),
  resume_nothing: ({ out }: { out: string }): Said => ({
    message: `there is no run in ${out} to resume`,
    hint: "Name the directory of an interrupted run with --out, or leave --resume out to start one.",
  }),
  out_busy: ({ out, pid }: { out: string; pid: number }): Said => ({
    message: `${pid === 0 ? "another process" : `process ${pid}`} is running in ${out}`,
    hint: "Wait for it to end, or choose another --out.",
  }),
  journal_damaged: ({ reason }: { reason: string }): Said => ({
    message: `not a sample of Regrade: ${reason}`,
    hint: "A torn last line is dropped on its own; a damaged line before it is not ours to guess. Mend or remove the line.",
  }),
  run_encrypted: (): Said => ({
    message:
      "the run has not ended, and its samples are encrypted until then, because its candidates could read the answers in them",
    hint: "Wait for its end. If it was killed, the same command with --resume continues it.",
  }),
  decryption_failed: (): Said => ({
    message:
      "the line can't be decrypted: the data sets that its key is made from have changed, or the line was edited",
    hint: "Put the data sets back as they were, or start a new run in another --out.",
  }),
  resume_finished: ({ out }: { out: string }): Said => ({
    message: `the run in ${out} is complete`,
    hint: "Read it with 'regrade report', or start a new run in another --out.",
  }),
  write_failed: ({ file, reason }: { file: string; reason: string }): Said => ({
    message: `can't write ${file}: ${reason}`,
    hint: "Free some space or choose another --out. What was written before is kept; --resume continues from it.",
  }),
  working_directory_gone: (): Said => ({
    message: "the folder that Regrade was started in is no longer there",
    hint: "Change to a folder that is there, and start it again.",
  }),
  temporary_failed: ({
    folder,
    variable = "TMPDIR",
    reason,
  }: {
    folder: string;
    variable?: string;
    reason: string;
  }): Said => ({
    message: `can't write temporary files in ${folder}: ${reason}`,
    hint: `Free some space there, or set ${variable} to a folder that you can write to.`,
  }),
  output_failed: ({ reason }: { reason: string }): Said => ({
    message: `can't write to standard output: ${reason}`,
    hint: "Free some space, or send the output elsewhere. A run that ended is whole in its directory: 'regrade report' prints it.",
  }),
  budget_blind: ({ unit, candidates }: { unit: string; candidates: readonly string[] }): Said => ({
    message: `\`budget.${unit}\` does not end the run for what ${candidates.join(", ")} may spend: it reports no ${unit === "usd" ? "dollars" : "tokens"} to Regrade`,
    hint: "Give `budget.minutes` too, or for an agent `budget.tokens`; a worker may report its `usage`.",
  }),
  budget_price_unknown: (found: { model: string; name: string; provider: string }): Said => ({
    message: `no price is known for ${found.model}, so that a budget in dollars can't hold`,
    hint: `Add its price in dollars per million tokens, providers: { ${found.provider}: { prices: { "${found.name}": { input: …, output: … } } } }, or give the budget in tokens.`,
  }),
  manifest_missing: ({ path }: { path: string }): Said => ({
    message: `no such suite: ${path}`,
    hint: "Check the path; a relative one starts at the folder that Regrade was started in (in the action: at its input 'working-directory').",
  }),
  manifest_is_directory: ({ path }: { path: string }): Said => ({
    message: `${path} is a directory; a suite is a YAML or JSON file`,
    hint: "Name the file in it.",
  }),
  file_missing: ({ file }: { file: string }): Said => ({
    message: `no such file: ${file}`,
  }),
  read_failed: ({ file, reason }: { file: string; reason: string }): Said => ({
    message: `can't read ${file}: ${reason}`,
  }),
  run_missing: ({
    directory,
    inside,
    nowhere,
  }: {
    directory: string;
    inside?: readonly string[];
    /** There is no such folder: its nearest name, or null if none is near. */
    nowhere?: string | null | undefined;
  }): Said => ({
    message:
      nowhere === undefined
        ? `${directory} holds no run: it has no run.json`
        : `there is no folder ${directory}`,
    hint: nowhere
      ? `Did you mean '${nowhere}'?`
      : inside === undefined || inside.length === 0
        ? "Name a directory that 'regrade run --out' wrote; a run that was interrupted is ended with --resume."
        : `It holds runs in folders of their own. Name one of these: ${firstOf(inside)}.`,
  }),
  run_unreadable: ({ reason }: { reason: string }): Said => ({
    message: `not a run that Regrade can read: ${reason}`,
    hint: "Make it again with 'regrade run --out'.",
  }),
  baseline_missing: ({ suite, path }: { suite: string; path: string }): Said => ({
    message: "the baseline that gate.baseline.path names does not exist",
    hint: `Make it from a version that you trust: regrade run ${suite} --baseline none --out ${path}`,
  }),
  baseline_selected: ({ source }: { source: string }): Said => ({
    message: `the run ${source} is no baseline: only some of its cases were run (--case, --failed)`,
    hint: "Name a run of all cases; make one with 'regrade run SUITE'.",
  }),
  baseline_unfinished: ({ source, status }: { source: string; status: string }): Said => ({
    message: `the run ${source} is no baseline: it was stopped before its end (status ${status})`,
    hint: "Finish it with --resume, or name a run that is complete.",
  }),
  pool_same_run: ({ one, other, id }: { one: string; other: string; id: string }): Said => ({
    message: `${one} and ${other} are the same run (${id}): together they tell no more than one of them`,
    hint: "Name runs that were made one after the other.",
  }),
  pool_other_input: ({ one, other }: { one: string; other: string }): Said => ({
    message: `${one} and ${other} are no repetitions of one run: their tasks, candidates or settings differ`,
    hint: "Runs that are taken together as a baseline have the same input_hash in run.json; name only such, or one of them.",
  }),
  run_other_format: ({ found, known }: { found: string; known: string }): Said => ({
    message: `this run has the format ${found}; this version of Regrade reads ${known}`,
    hint: "Make the run again with this version, or compare with the version that made it.",
  }),
  run_of_other_suite: ({
    directory,
    suite,
    name,
  }: {
    directory: string;
    suite: string;
    name: string;
  }): Said => ({
    message: `${directory} is a run of the suite ${name}, not of ${suite}`,
    hint: `Leave --suite out, or give --suite ${name}.`,
  }),
  python_missing: ({ python, reason }: { python: string; reason: string }): Said => ({
    message: `can't start Python (${python}): ${reason}`,
    hint: scarcities.test(reason)
      ? "The machine allows no more: raise the limit (`ulimit -n` for open files, `ulimit -u` for processes), or end other programs."
      : "Install Python 3.10 or newer, or name an interpreter with --python (the action's input 'python').",
  }),
  python_old: ({ python, version }: { python: string; version: string }): Said => ({
    message: `${python} is Python ${version}; Regrade needs 3.10 or newer`,
    hint: "Name a newer interpreter with --python (the action's input 'python').",
  }),
  grader_runs_text: ({ where }: { where: string }): Said => ({
    message: `the grader can run text (${where}), so each sample is graded in its own process: an answer can't change another one's scores`,
    hint: "This takes some milliseconds per sample. Write 'isolation: sample' to confirm it, or 'isolation: chunk' if no answer is ever executed.",
  }),
  grader_runs_text_together: ({ where }: { where: string }): Said => ({
    message: `the grader can run text (${where}), and 'isolation: chunk' grades up to 256 samples in one process: an answer that is run can forge the scores of the others`,
    hint: "Remove 'isolation: chunk', or write 'isolation: sample'; keep it only if no answer is ever executed.",
  }),
  batch_runs_text: ({ where }: { where: string }): Said => ({
    message: `the batch grader can run text (${where}), and sees all samples of a task in one process: an answer that is run can forge the scores of the others`,
    hint: "Grade what runs answers with 'contract: sample', each in a process of its own.",
  }),
  cache_left_over: ({ path, folder }: { path: string; folder: string }): Said => ({
    message: `${path} holds answers that an earlier version of Regrade kept: they are not read any more, as a change could bring such a folder with it`,
    hint: `Delete it. Answers are cached in ${folder}; --cache-path (the input cache-path) changes that.`,
  }),
  sandbox_partial: ({ level, missing }: { level: string; missing: string }): Said => ({
    message: `graders are not fully held here (sandbox: ${level}): ${missing}`,
    hint: "'regrade doctor' lists this machine's protections; --sandbox required refuses to run with fewer.",
  }),
} satisfies Record<string, (found: never) => Said>;

const directoriesNamed = 8;

function firstOf(directories: readonly string[]): string {
  const more = directories.length - directoriesNamed;
  const named = directories.slice(0, directoriesNamed).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}

interface NoLatestRun {
  readonly folder: string;
  /** undefined: any suite. */
  readonly suite: string | undefined;
  /** True if only a run of all cases serves. */
  readonly isWhole: boolean;
}

interface HistoryEmpty {
  /** The folder in which runs were searched. */
  readonly folder: string;
  readonly suites: readonly string[];
  readonly nearest: string | undefined;
  /** Names of the suites that have runs. */
  readonly known: readonly string[];
}
