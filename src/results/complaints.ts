import { problem, Refusal, type Problem } from "../model/refusal.ts";

/** What is wrong with a file, gathered while it is read: people want to mend it at one go. */
export interface Complaints {
  readonly add: (found: readonly Problem[]) => void;
  readonly any: () => boolean;
  /** Throws one Refusal of all, if there are any. */
  readonly refuse: () => void;
}

/** So many problems of a file are told; nobody reads more. */
const toldAtMost = 20;

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
