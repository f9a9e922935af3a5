import type { GraderProgramSpec } from "../model/programs.ts";

/** How a kind of grader is run. */
export interface GraderKind {
  /** Whom it may ask is put in where it is opened. */
  readonly program: GraderProgramSpec & { readonly models: undefined };
  /** What of the specification changes scores. Time-outs don't. */
  readonly identity: { readonly kind: string; readonly metricId: string; readonly options: string };
}
