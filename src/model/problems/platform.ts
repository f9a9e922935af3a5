import type { Said } from "./said.ts";

/** Problems with the action: its inputs, and refusals of GitHub's services. */
export const platformTexts = {
  input_unknown_word: ({
    input,
    found,
    allowed,
  }: {
    input: string;
    found: string;
    allowed: readonly string[];
  }): Said => ({
    message: `the input '${input}' does not know ${JSON.stringify(found)}`,
    hint: `Allowed: ${allowed.join(", ")}.`,
  }),
  input_not_a_number: ({
    input,
    found,
    min,
    max,
    or,
  }: {
    input: string;
    found: string;
    min: number;
    max: number;
    or?: string;
  }): Said => ({
    message: `the input '${input}' is ${JSON.stringify(found)}, not a whole number`,
    hint: `Allowed: ${min} to ${max}${or === undefined ? "" : `, or ${or}`}.`,
  }),
  input_not_a_setting: ({ input, found }: { input: string; found: string }): Said => ({
    message: `the input '${input}' has the line ${JSON.stringify(found)}, which is no setting`,
    hint: "Write KEY=VALUE, a setting a line, such as temperature=0 or reasoning.effort=low.",
  }),
  input_directory_missing: ({ directory }: { directory: string }): Said => ({
    message: `the input 'working-directory' names ${directory}, and there is no such directory`,
    hint: "Name a folder of the repository, relative to its root. Was the repository checked out before this step?",
  }),
  input_directory_linked: ({ directory, real }: { directory: string; real: string }): Said => ({
    message: `the input 'working-directory' names ${directory}, which leads to ${real} here and not in the base: the base's suites in that place would not be judged`,
    hint: `Name the folder itself: working-directory: ${real}; and keep the base's folder, or let its removal be approved.`,
  }),
  suites_not_found: ({
    patterns,
    directory,
    skipped = [],
  }: {
    patterns: readonly string[];
    directory: string;
    /** Matching JSON files that are not suites. */
    skipped?: readonly string[];
  }): Said => ({
    message: `no suite found: nothing in ${directory} matches ${patterns.join(", ")}${skipped.length === 0 ? "" : ` but files that are no suites (${skipped.join(", ")})`}`,
    hint: "Name the suite's file with the input 'suite'. Was the repository checked out before this step (actions/checkout)?",
  }),
  page_failed: ({ suite, reason }: { suite: string; reason: string }): Said => ({
    message: `the report page of ${suite} could not be made: ${reason}`,
    hint: "The verdict stands. `regrade report DIR --html` makes the page from the run's artifact.",
  }),
  artifact_failed: ({ name, reason }: { name: string; reason: string }): Said => ({
    message: `the artifact ${name} was not uploaded: ${reason}`,
    hint: "The verdict does not depend on it. The run is in the output 'run-path' until the job ends.",
  }),
  artifacts_late: ({ names, minutes }: { names: readonly string[]; minutes: number }): Said => ({
    message: `not uploaded within the ${minutes} minutes that all uploads of a step have together: ${names.join(", ")}`,
    hint: "The artifact service is slow or silent. The verdict does not depend on it; later runs have no baseline from this one. The runs are in the output 'run-path' until the job ends.",
  }),
  artifact_no_service: (): Said => ({
    message: "no artifact was uploaded: this machine offers no artifact service",
    hint: "That is normal under act and outside GitHub Actions. The run is in the output 'run-path'.",
  }),
  summary_failed: ({ reason }: { reason: string }): Said => ({
    message: `the job summary was not written: ${reason}`,
    hint: "The verdict does not depend on it. The summary is in the output 'summary-path'.",
  }),
  outputs_failed: ({ reason }: { reason: string }): Said => ({
    message: `the step's outputs were not written: ${reason}`,
    hint: "The step's own conclusion still tells the verdict.",
  }),
  metrics_too_long: ({ kept }: { kept: string }): Said => ({
    message: `the output 'metrics' would be too long for GitHub; it has ${kept}`,
    hint: "All metrics are in run.json, in the output 'run-path'.",
  }),
  github_forbidden: ({
    what,
    permission,
    message,
  }: {
    what: string;
    permission: string;
    message: string;
  }): Said => ({
    message: `${what} failed: the token may not do it (${message})`,
    hint: `Give the job the permission '${permission}'. The verdict does not depend on it. A fork's or Dependabot's token can only read.`,
  }),
  github_missing: ({
    what,
    permission,
    message,
    status,
  }: {
    what: string;
    permission: string;
    message: string;
    status: number | undefined;
  }): Said => ({
    message: `${what} failed: GitHub answers ${status ?? 404} (${message})`,
    hint: `It is not there, or the token may not know of it: the permission is '${permission}'. The verdict does not depend on it.`,
  }),
  github_refused: ({
    what,
    message,
    status,
  }: {
    what: string;
    message: string;
    status: number | undefined;
  }): Said => ({
    message: `${what} failed: GitHub does not take it (${status ?? "no status"}: ${message})`,
    hint: "The verdict does not depend on it. The job summary has the same content.",
  }),
  github_limited: ({ what, message }: { what: string; message: string }): Said => ({
    message: `${what} failed: too many requests to GitHub (${message})`,
    hint: "The verdict does not depend on it. The limit is shared by all workflows of the repository; a later run has it again.",
  }),
  github_down: ({ what, message }: { what: string; message: string }): Said => ({
    message: `${what} failed: GitHub can't be reached or has trouble (${message})`,
    hint: "The verdict does not depend on it. It was tried several times; behind a proxy, set HTTPS_PROXY for the runner.",
  }),
  github_cancelled: ({ what }: { what: string }): Said => ({
    message: `${what}: left undone, the job is cancelled`,
  }),
  comment_crowded: ({ rounds }: { rounds: number }): Said => ({
    message: `the comment on the pull request was written ${rounds} times, and other jobs wrote over it each time`,
    hint: "The verdict does not depend on it. Let one job judge all suites, or join the matrix with 'mode: merge'.",
  }),
  github_waits_no_more: ({ seconds, most }: { seconds: number; most: number }): Said => ({
    message: `GitHub asks for a pause of ${seconds} s before the next request; that is not waited for, as all such calls of a step wait at most ${most} s together`,
  }),
  github_waits: ({ seconds }: { seconds: number }): Said => ({
    message: `GitHub asks for a pause of ${seconds} s before the next request`,
  }),
  baseline_lookup_failed: ({ reason, remedy }: { reason: string; remedy: string }): Said => ({
    message: `looking for a baseline: ${reason}`,
    hint: `Where no older run can be read either, rules that compare are inconclusive. ${remedy}`,
  }),
  baseline_not_here: ({ reason }: { reason: string }): Said => ({
    message: `a baseline is to be looked for among earlier runs, and ${reason}`,
    hint: "Name a run directory (`baseline: path/to/run`, or `gate.baseline.path`), or let the base run in this job: `gate.baseline: { from: rerun }`.",
  }),
  policy_base_unreachable: ({ sha, reason }: { sha: string; reason: string }): Said => ({
    message: `the files of the base commit ${sha.slice(0, 12)} can't be had, and they say how this change is judged: ${reason}`,
    hint: "It takes git or a token, and 'contents: read' where the job names its permissions.",
  }),
  policy_of_new_workflow: ({ path, asked }: { path: string; asked: string }): Said => ({
    message: `the base has no ${path}, so \`policy-from: ${asked}\` is this change's own word: the base's rules judge`,
    hint: "The input counts once the workflow is on the base.",
  }),
  results_without_base: ({ reason }: { reason: string }): Said => ({
    message: `it is not known whether this change edits its results, what judged them, or the workflow: ${reason}`,
    hint: "It takes git or a token, and 'contents: read' where the job names its permissions.",
  }),
  report_without_token: (): Said => ({
    message: "`mode: report` needs a token, and the input 'token' is empty",
    hint: "Leave the input out: the job's own token is its default.",
  }),
  report_wrong_event: ({ event }: { event: string }): Said => ({
    message: `\`mode: report\` works in a workflow that is started by workflow_run, and this one was by ${event || "nothing"}`,
    hint: "Put it into a workflow of its own: on: { workflow_run: { workflows: [Evals], types: [completed] } }.",
  }),
  report_other_workflow: (found: {
    path: string;
    /** The names of the workflows that this workflow listens to. */
    names: readonly string[];
    /** The base's workflows with that name. */
    paths: readonly string[];
  }): Said => ({
    message: `the run was of ${found.path}, and on the base ${found.names.join(", ")} is ${found.paths.length === 0 ? "no workflow" : found.paths.join(", ")}: what ran is the fork's own, or another one that the fork calls so`,
    hint: "Nothing is reported on it. A workflow, and its name, count once they are on the base branch.",
  }),
  report_several_workflows: (found: {
    names: readonly string[];
    paths: readonly string[];
  }): Said => ({
    message: `this workflow listens to several ones (${found.names.join(", ")}: ${found.paths.join(", ")}): a fork could choose by which one's baselines it is judged`,
    hint: "Give each workflow with evals a report workflow of its own, and names that no other has.",
  }),
  report_listens_to_nothing: ({ path }: { path: string }): Said => ({
    message: `the workflow ${path} was not found in the checkout, or names no workflows under on.workflow_run.workflows: which one's runs may be reported on is not known`,
    hint: "Check the default branch out before this step (actions/checkout), with on: { workflow_run: { workflows: [Evals], types: [completed] } }.",
  }),
  same_key: ({ suite, key }: { suite: string; key: string }): Said => ({
    message: `another job or step of this workflow run has run the suite ${suite} as the same one (${key}), so that later runs could not tell their baselines apart`,
    hint: "Give each of them an input `leg` of its own, or the suites different names.",
  }),
  legs_unknown: ({ reason }: { reason: string }): Said => ({
    message: `whether another job or step of this workflow run has run the same suite could not be looked up: ${reason}`,
    hint: "Where one has, later runs say so when they look for their baseline.",
  }),
  report_no_outputs: (found: { suite: string; source: string; reason: string }): Said => ({
    message: `${found.source} has no outputs of the suite ${found.suite} that could be judged: ${found.reason}`,
    hint: "The run's own log says what happened there. Someone with write access can run the change from a branch of this repository.",
  }),
  report_outputs_failed: (found: { suite: string; source: string; reason: string }): Said => ({
    message: `the outputs of the suite ${found.suite} could not be fetched from ${found.source}, so that nothing was judged: ${found.reason}`,
    hint: "Run this job again ('Re-run jobs' on its page). Where it names its permissions, 'actions: read' is one that it needs.",
  }),
  report_check_lost: ({ suite, sha }: { suite: string; sha: string }): Said => ({
    message: `the check of the suite ${suite} could not be written on ${sha.slice(0, 12)}: nobody sees the verdict on the pull request, so this job fails`,
    hint: "Run it again ('Re-run jobs' on its page). Where it names its permissions, 'checks: write' is one that it needs.",
  }),
  report_without_check: (): Said => ({
    message:
      "`mode: report` tells its verdict by a check on the pull request, and `check-run: false` leaves it out",
    hint: "Leave the input `check-run` out, and give the job the permission 'checks: write'.",
  }),
  cache_of_commit: ({ folder }: { folder: string }): Said => ({
    message: `${folder} is not read: git has files of it, or can't be asked, so the change may have brought its answers`,
  }),
  cache_in_git: ({ path }: { path: string }): Said => ({
    message: `${path} is checked in: answers and data cached there would replace those of the run`,
    hint: `Remove it (git rm -r --cached ${path}), and put it into .gitignore.`,
  }),
  merge_into_other_base: ({ base, parent }: { base: string; parent: string }): Said => ({
    message: `this pull request was pointed at ${base}, and the commit that is checked out merges it into ${parent.slice(0, 12)}, which ${base} does not have: GitHub had not made the merge into ${base} yet`,
    hint: "Close the pull request and open it again, or push to it: that starts a run on the right merge. Re-running this one does not.",
  }),
  change_not_checked_out: (found: { event: string; found: string; head: string }): Said => ({
    message: `the commit that is checked out, ${found.found.slice(0, 12)}, is the base's, and not the change (${found.head.slice(0, 12)}): its verdict would be shown as that of the change`,
    hint:
      found.event === "pull_request_target"
        ? "Judge pull requests by the event pull_request, whose checkout is the merge of the change; forks that need secrets by a second workflow (docs/github.md, Forks and Dependabot)."
        : "Leave out the `ref` of actions/checkout: by default it takes the commit that is to be judged.",
  }),
  inputs_of_base: ({
    path,
    inputs,
  }: {
    path: string;
    inputs: Readonly<Record<string, string>>;
  }): Said => ({
    message: `the change edits the inputs of this step in ${path}, and does not choose by that how it is judged. As in the base's file: ${Object.entries(
      inputs,
    )
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join(", ")}`,
    hint: "Its own values count once they are merged. Suites and failing verdicts that it adds count at once.",
  }),
  event_of_other_commit: ({ found, head }: { found: string; head: string }): Said => ({
    message: `the event's payload (GITHUB_EVENT_PATH) is about the head ${head.slice(0, 12)}, which the commit that is checked out, ${found.slice(0, 12)}, does not merge: which change is judged, and by which base's rules, is not certain`,
    hint: "A push meanwhile has a run of its own. If a step before this one writes that file, take that out.",
  }),
  token_of_base: ({ path }: { path: string }): Said => ({
    message: `the change takes the token away from this step in ${path}, and with it every comparison with an earlier run`,
    hint: "Leave the input `token` as the base's file has it.",
  }),
  event_unreadable: ({ event }: { event: string }): Said => ({
    message: `the payload of the event ${event} can't be read (GITHUB_EVENT_PATH): which change is judged, and by which base's rules, is not known`,
    hint: "Run the job again. If a step before this one writes that file, take that out; under act, give the event with --eventpath. `policy-from: none` judges a change by its own rules.",
  }),
  pull_of_head_unknown: ({ reason }: { reason: string }): Said => ({
    message: `whether a pull request stands at this commit is not known, and the verdict is by the commit's own rules: ${reason}`,
    hint: "Give the job the permission 'pull-requests: read', or leave other branches than the default one out of its events: a check of this name may count for a pull request.",
  }),
  pull_of_several_bases: ({ bases }: { bases: readonly string[] }): Said => ({
    message: `this commit is the head of pull requests to several branches (${bases.join(", ")}), and none of them is the default branch: by whose rules it is to be judged is not known`,
    hint: "The runs of the pull requests themselves judge it, each by its base. Let this event start no run for such a commit.",
  }),
  labels_unknown: ({ reason, isDenied }: { reason: string; isDenied: boolean }): Said => ({
    message: `whether a label approves this change is not known: ${reason}`,
    hint: `Without an approval the stricter verdict decides. ${isDenied ? "The job needs the permissions 'contents: read', 'pull-requests: read' and 'actions: read'." : "Run the job again."}`,
  }),
  baseline_artifact_refused: ({ name, reason }: { name: string; reason: string }): Said => ({
    message: `the artifact ${name} of an earlier run is no baseline: ${reason}`,
    hint: "Another run is looked for. A push to the base branch leaves a new one.",
  }),
  interrupted: (): Said => ({
    message: "cancelled: what was finished is kept, and nothing was judged",
    hint: "The run is in the output 'run-path' until the job ends. Run the job again for a verdict.",
  }),
} satisfies Record<string, (found: never) => Said>;
