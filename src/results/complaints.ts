import { problem, Refusal, type Problem } from "../model/refusal.ts";

/** Collects the problems of a file while it is read, so that people can fix them in one go. */
export interface Complaints {
  readonly add: (found: readonly Problem[]) => void;
  readonly any: () => boolean;
  /** Throws one Refusal with all problems, if there are any. */
  readonly refuse: () => void;
}

/** Limit of reported problems per file. */
const toldAtMost = 20;

/** An empty collection of the problems of one file. */
export function createComplaints(file: string): Complaints {
  const told: Problem[] = [];
  let count = 0;
  return {
    add: (found) => {
      count += found.length;
      told.push(...found.slice(0, Math.max(0, toldAtMost - told.length)));
    },
    any: () => count > 0,
    refuse: () => {
      if (count === 0) return;
      const more = count - told.length;
      const last = more > 0 ? [problem("dataset_more_problems", { count: more }, { file })] : [];
      throw new Refusal([...told, ...last]);
    },
  };
}
