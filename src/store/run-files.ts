import { join } from "node:path";

/** The names of the files in a run directory: fixed, because other tools read them. */
export const runFiles = {
  run: "run.json",
  samples: "samples.jsonl",
  scores: "scores.jsonl",
  /** The baseline's scores by this run's grader, if that differs from the baseline's. */
  regraded: "regraded.jsonl",
  generated: "generated.jsonl",
  summary: "summary.md",
  /** Present only while a process works in the directory. */
  lock: "run.lock",
} as const;

/** Paths of a run's files. */
export function pathsIn(directory: string): Readonly<Record<keyof typeof runFiles, string>> {
  return {
    run: join(directory, runFiles.run),
    samples: join(directory, runFiles.samples),
    scores: join(directory, runFiles.scores),
    regraded: join(directory, runFiles.regraded),
    generated: join(directory, runFiles.generated),
    summary: join(directory, runFiles.summary),
    lock: join(directory, runFiles.lock),
  };
}
