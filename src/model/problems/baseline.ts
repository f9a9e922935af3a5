import type { Said } from "./said.ts";

/** Problems with finding the baseline run. */
export const baselineTexts = {
  rerun_without_base: (): Said => ({
    message: "gate.baseline.from is `rerun`, and no base is named whose candidates could be run",
    hint: "Name it with --policy-from, such as --policy-from origin/main; --baseline none runs without a comparison.",
  }),
  rerun_setup_failed: (found: { candidate: string; reason: string }): Said => ({
    message: `the base's candidate ${JSON.stringify(found.candidate)} can't be run for comparison: ${found.reason}`,
    hint: "A checkout of the base has its files and nothing else: `setup` must make the rest. Run it in a fresh clone to see what it lacks.",
  }),
  rerun_stopped: ({ reason }: { reason: string }): Said => ({
    message: `the base's run did not get to its end: ${reason}`,
    hint: "With --resume and the same --out it goes on from there, then this run does.",
  }),
  rerun_dead: ({ task, candidate }: { task: string; candidate: string }): Said => ({
    message: `the base's candidate ${JSON.stringify(candidate)} failed in every case of ${task}: beside it whatever this change does would look like no loss`,
    hint: "samples.jsonl in the run directory's baseline/ says how it failed. A checkout of the base has its files and nothing else: `setup` must make the rest. Then run into a new --out.",
  }),
  rerun_interrupted: (): Said => ({
    message: "stopped while the base was run for comparison",
    hint: "Its results are kept: --resume with the same --out continues from there.",
  }),
} satisfies Record<string, (found: never) => Said>;
