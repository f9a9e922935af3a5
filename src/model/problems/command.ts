import type { Said } from "./said.ts";

/** Problems with the command line. */
export const commandTexts = {
  no_suite: ({ patterns }: { patterns: string }): Said => ({
    message: `no suite manifest at ${patterns}`,
    hint: "Name the manifest's path, as in: regrade run evals/suite.yaml",
  }),
  same_name: ({ name, paths }: { name: string; paths: string }): Said => ({
    message: `two suites are called '${name}': ${paths}`,
    hint: "Each suite has a folder of its own in --out, named after it: give one of them another 'name'.",
  }),
  glob_refused: ({ glob, reason }: { glob: string; reason: string }): Said => ({
    message: `the glob '${glob}' can't be used: ${reason}`,
    hint: "Write several shorter globs instead.",
  }),
  glob_too_many_folders: ({ glob, folders }: { glob: string; folders: number }): Said => ({
    message: `the glob '${glob}' leads into more than ${folders} folders`,
    hint: "Begin it with the folder that is meant, and look for links that lead into each other.",
  }),
  selects_nothing: ({
    flag,
    glob,
    known,
  }: {
    flag: string;
    glob: string;
    known: string;
  }): Said => ({
    message: `${flag} ${glob} selects nothing`,
    hint: `There is: ${known}.`,
  }),
  slice_unreadable: ({ text }: { text: string }): Said => ({
    message: `--slice ${text} is no slice`,
    hint: "Write FIELD=VALUE, as in: --slice kind=hard",
  }),
  filter_unknown: ({ flag, name, nearest, known }: FilterUnknown): Said => ({
    message: `${flag}${flag.endsWith("=") ? "" : " "}${name}: the run has no such ${kindOf(flag)}`,
    hint:
      nearest === undefined
        ? known.length === 0
          ? "It has none."
          : `It has ${known.join(", ")}.`
        : `Did you mean '${nearest}'?`,
  }),
  case_selects_nothing: (found: {
    glob: string;
    nearest: string | undefined;
    first: string | undefined;
  }): Said => ({
    message: `--case ${found.glob} matches no case of the suite`,
    hint:
      found.nearest === undefined
        ? `Give an id, or a glob of ids, as ${found.first ?? "run.json"} is one.`
        : `Did you mean ${found.nearest}?`,
  }),
  where_malformed: ({ where }: { where: string }): Said => ({
    message: `--where ${where} is not FIELD=GLOB`,
    hint: "Name a field of the rows and the value that it must have: --where kind=hard, --where 'tags=smoke*'.",
  }),
  where_selects_nothing: ({
    where,
    globs,
  }: {
    where: readonly string[];
    globs: readonly string[];
  }): Said => ({
    message: `no case of the suite has a row with ${where.join(", ")}${globs.length === 0 ? "" : " and such an id"}`,
    hint: "Values are compared whole, letter for letter; * stands for any text.",
  }),
  case_unknown: (found: {
    directory: string;
    caseId: string;
    task: string | undefined;
    candidate: string | undefined;
    /** Whether the run has the case in another task or of another candidate. */
    isThere: boolean;
    nearest: string | undefined;
  }): Said => {
    const of = [
      ...(found.task === undefined ? [] : [`in the task ${found.task}`]),
      ...(found.candidate === undefined ? [] : [`of the candidate ${found.candidate}`]),
    ];
    const like = found.nearest === undefined ? "" : `Did you mean ${found.nearest}? `;
    return {
      message: [`the run in ${found.directory} has no case ${found.caseId}`, ...of].join(" "),
      hint: found.isThere
        ? "Leave --task and --candidate out to see where it is."
        : `${like}The ids are in its scores.jsonl (case_id).`,
    };
  },
  ci_run_no_token: (): Said => ({
    message:
      "a CI run's artifact can't be fetched without a token: neither GITHUB_TOKEN nor GH_TOKEN is set",
    hint: "For example: GH_TOKEN=$(gh auth token) regrade show RUN CASE. It needs to read Actions.",
  }),
  ci_run_no_repository: (): Said => ({
    message: "it is not known which repository the CI run is of",
    hint: "Name it with --repository OWNER/NAME, or start Regrade in a clone of it.",
  }),
  ci_run_no_artifact: ({ runId, found }: { runId: string; found: readonly string[] }): Said => ({
    message: `the CI run ${runId} has no artifact of Regrade's${found.length === 0 ? "" : ` that is still kept: ${found.join(", ")}`}`,
    hint: "Artifacts are kept for 'retention-days' (14). Is it the number in the address of the workflow run?",
  }),
  ci_run_failed: ({ runId, reason }: { runId: string; reason: string }): Said => ({
    message: `the artifact of the CI run ${runId} can't be fetched: ${reason}`,
    hint: "Download it from the run's page, unzip it, and name the folder instead of the number.",
  }),
} satisfies Record<string, (found: never) => Said>;

interface FilterUnknown {
  /** The flag; with the field, of a value of a slice. */
  readonly flag: string;
  readonly name: string;
  readonly nearest: string | undefined;
  readonly known: readonly string[];
}

function kindOf(flag: string): string {
  if (flag.endsWith("=")) return "slice";
  return flag === "--slice" ? "field of slices" : flag.slice(2);
}
