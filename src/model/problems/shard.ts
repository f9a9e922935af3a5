import { plural } from "../number-words.ts";
import type { Said } from "./said.ts";

/** Problems with parts of a run, and with merging them. */
export const shardTexts = {
  shard_invalid: ({ name, found, most }: { name: string; found: string; most: number }): Said => ({
    message: `${name} is ${JSON.stringify(found)}, and not a shard`,
    hint: `Write I/N, counted from 1: 2/4 is the second of four. N is at most ${most}.`,
  }),
  baseline_is_shard: ({ source, shard }: { source: string; shard: string }): Said => ({
    message: `the run ${source} is no baseline: it is shard ${shard} of a run, and lacks the other cases`,
    hint: "Join the shards with 'regrade merge', and name the run that it writes.",
  }),
  merge_no_shard: ({ directory }: { directory: string }): Said => ({
    message: `${directory} is a whole run, and no shard of one`,
    hint: "Name the directories that 'regrade run --shard I/N' wrote.",
  }),
  merge_unfinished: (found: { directory: string; shard: string; status: string }): Said => ({
    message: `shard ${found.shard} (${found.directory}) was stopped before its end (status ${found.status})`,
    hint: "Finish it (on GitHub: re-run the failed jobs; on a terminal: --resume), then merge again.",
  }),
  merge_missing: ({ missing, of }: { missing: readonly number[]; of: number }): Said => ({
    message: `${plural(missing.length, "shard")} ${missing.join(", ")} of ${of} ${missing.length === 1 ? "is" : "are"} missing: without ${missing.length === 1 ? "it" : "them"} nothing is judged`,
    hint: "Run it, or name its directory too. On GitHub: re-run the failed jobs.",
  }),
  merge_twice: (found: { shard: string; directories: readonly string[] }): Said => ({
    message: `shard ${found.shard} is there twice: ${found.directories.join(" and ")}`,
    hint: "Name each shard once. In a matrix with another dimension, give each of its rows a suite name or a merge of its own.",
  }),
  merge_other: (found: {
    what: string;
    one: string;
    other: string;
    directories: readonly [string, string];
  }): Said => ({
    message: `the shards are not of one run: the ${found.what} is ${found.one} in ${found.directories[0]} and ${found.other} in ${found.directories[1]}`,
    hint: "Run all shards on the same commit with the same inputs, and merge those.",
  }),
  merge_other_suite: ({ what, suite }: { what: string; suite: string }): Said => ({
    message: `${suite} is not the suite that the shards ran: ${what} differ`,
    hint: "Check out the commit that the shards ran on, and merge in the folder where they were started.",
  }),
  merge_sample_missing: (found: {
    directory: string;
    shard: string;
    task: string;
    caseId: string;
    candidate: string;
  }): Said => ({
    message: `shard ${found.shard} (${found.directory}) lacks a sample of its part of the plan: ${found.task}, case ${found.caseId}, candidate ${found.candidate}`,
    hint: "Run that shard again: a run with a hole in it is not judged.",
  }),
  merge_too_many: (found: {
    directory: string;
    shard: string;
    found: number;
    planned: number;
  }): Said => ({
    message: `shard ${found.shard} (${found.directory}) has ${found.found} samples, and its part of the plan ${found.planned}`,
    hint: "Run that shard again.",
  }),
  merge_policy_needed: ({ source }: { source: string }): Said => ({
    message: `the shards are to be judged by the policy of ${source} too, and no policy was named for the merge`,
    hint: `Merge with --policy-from ${source}.`,
  }),
  merge_policy_not_run: ({ source }: { source: string }): Said => ({
    message: `the shards were run without --policy-from, and can't be judged by the policy of ${source} now`,
    hint: "Run the shards with the same --policy-from, or merge without it.",
  }),
  shards_no_service: (): Said => ({
    message:
      "mode 'merge' needs the artifacts of the shards, and this machine offers no artifact service",
    hint: "GitHub Enterprise Server and act without a server have none: pass on the run directories by other means and use 'regrade merge'.",
  }),
  shards_not_fetched: ({ reason }: { reason: string }): Said => ({
    message: `the shards of this workflow run can't be fetched, and nothing is judged without them: ${reason}`,
    hint: "Re-run the failed jobs.",
  }),
  shards_missing: ({
    manifest,
    others,
  }: {
    manifest: string;
    others: readonly string[];
  }): Said => ({
    message: `no job of this workflow run has uploaded a shard of ${manifest}${others.length === 0 ? "" : `; there are shards of ${others.join(", ")}`}`,
    hint: "The jobs of the matrix need the same 'suite' and 'working-directory' as this one, and 'shard: I/N'. If they failed, re-run them.",
  }),
  shard_and_mode: ({ mode }: { mode: string }): Said => ({
    message: `the input 'shard' and 'mode: ${mode}' exclude each other`,
    hint: "The jobs of the matrix have 'shard: I/N' and no mode; the one that joins them has 'mode: merge'.",
  }),
  merge_chooses_nothing: (): Said => ({
    message:
      "the inputs that choose what is run ('candidates', 'tasks', 'max-samples', 'model' and the like) choose nothing in 'mode: merge'",
    hint: "The shards have chosen. Take them out here.",
  }),
  resume_not_noted: ({ reason }: { reason: string }): Said => ({
    message: `the step's state was not written: ${reason}`,
    hint: "A re-run of this job begins anew: it does not know what this attempt showed.",
  }),
  attempts_unread: ({ manifest, reason }: { manifest: string; reason: string }): Said => ({
    message: `${manifest}: what earlier attempts of this workflow run showed is not known: ${reason}`,
    hint: "The run begins anew, and does not pass: a re-run adds to them. Re-run again, or push a commit.",
  }),
} satisfies Record<string, (found: never) => Said>;
