import type { SampleMetricId } from "./metric.ts";

/** What a case took on average, here and in the baseline: seconds, tokens or dollars. Informs only. */
export interface Effort {
  readonly task: string;
  readonly candidate: string;
  readonly metric: SampleMetricId;
  readonly baseline: number;
  readonly value: number;
  /** Cases that both sides measured, and answered. */
  readonly n: number;
}
