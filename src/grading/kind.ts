import type { GraderProgramSpec } from "../domain/ports.ts";

/** How a kind of grader is run. */
export interface GraderKind {
  readonly program: GraderProgramSpec;
  /** What of the specification changes scores. Time-outs don't. */
  readonly identity: { readonly kind: string; readonly metricId: string; readonly options: string };
}
