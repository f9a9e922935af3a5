import type { Run } from "./run.ts";
import type { Sample } from "./sample.ts";

/** One case, as `regrade show` prints it. */
export interface ShownCase {
  readonly run: Run;
  readonly caseId: string;
  /** The run that "before" is taken from, as people know it; or why there is none. */
  readonly before:
    | { readonly kind: "run"; readonly shown: string }
    | { readonly kind: "none"; readonly reason: string };
  /** By task, candidate and repeat. */
  readonly samples: readonly ShownSample[];
}

/** One of the two is there. */
export interface ShownSample {
  readonly sample: Sample | undefined;
  readonly before: Sample | undefined;
}
