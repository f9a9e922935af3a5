import type { Said } from "./said.ts";

/** The action: its inputs, and what GitHub's services refused. */
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
  }: {
    input: string;
    found: string;
    min: number;
    max: number;
  }): Said => ({
    message: `the input '${input}' is ${JSON.stringify(found)}, not a whole number`,
    hint: `Allowed: ${min} to ${max}.`,
  }),
  input_baseline_auto: (): Said => ({
    message: "the input 'baseline' is 'auto', which this version does not support yet",
    hint: "Name a run directory in the repository, or 'none'; left out, the manifest's gate.baseline.path counts.",
  }),
  input_directory_missing: ({ directory }: { directory: string }): Said => ({
    message: `the input 'working-directory' names ${directory}, and there is no such directory`,
    hint: "Name a folder of the repository, relative to its root. Was the repository checked out before this step?",
  }),
  suites_not_found: ({
    patterns,
    directory,
    skipped = [],
  }: {
    patterns: readonly string[];
    directory: string;
    /** JSON files that match and are no suite. */
    skipped?: readonly string[];
  }): Said => ({
    message: `no suite found: nothing in ${directory} matches ${patterns.join(", ")}${skipped.length === 0 ? "" : ` but JSON that is no suite (${skipped.join(", ")})`}`,
    hint: "Name the suite's file with the input 'suite'. Was the repository checked out before this step (actions/checkout)?",
  }),
  artifact_failed: ({ name, reason }: { name: string; reason: string }): Said => ({
    message: `the artifact ${name} was not uploaded: ${reason}`,
    hint: "The verdict does not depend on it. The run is in the output 'run-path' until the job ends.",
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
  interrupted: (): Said => ({
    message: "cancelled: what was finished is kept, and nothing was judged",
    hint: "The run is in the output 'run-path' until the job ends. Run the job again for a verdict.",
  }),
} satisfies Record<string, (found: never) => Said>;
