import type { SampleMetricId } from "../definition/metric.ts";

/** Average effort per case, in this run and the baseline: seconds, tokens or dollars. For information only. */
export interface Effort {
  readonly task: string;
  readonly candidate: string;
  readonly metric: SampleMetricId;
  readonly baseline: number;
  readonly value: number;
  /** Cases that both sides answered and measured. */
  readonly n: number;
}
