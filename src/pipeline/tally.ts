import type { SampleDigest } from "../domain/sample.ts";
import type { Run, RunUsage } from "../domain/run.ts";

/** What adds up over the samples of a run. */
export interface Tally {
  readonly add: (sample: SampleDigest) => void;
  readonly addGradeMs: (milliseconds: number) => void;
  readonly totals: () => Pick<Run, "request_counts" | "usage"> & {
    readonly generateSeconds: number;
    readonly gradeSeconds: number;
  };
}

/** An empty tally. */
export function createTally(): Tally {
  let [completed, failed, generateMs, gradeMs] = [0, 0, 0, 0];
  let usage: RunUsage = { input_tokens: 0, output_tokens: 0, usd: 0, judge_usd: 0, cached: 0 };
  return {
    addGradeMs: (milliseconds) => {
      gradeMs += milliseconds;
    },
    add: (sample) => {
      if (sample.outcome === "failed" || sample.outcome === "ungraded") failed += 1;
      else completed += 1;
      generateMs += sample.latencyMs ?? 0;
      if (sample.usage) usage = addUsage(usage, sample.usage);
    },
    totals: () => ({
      request_counts: { total: completed + failed, completed, failed },
      usage,
      generateSeconds: seconds(generateMs),
      gradeSeconds: seconds(gradeMs),
    }),
  };
}

function addUsage(total: RunUsage, more: NonNullable<SampleDigest["usage"]>): RunUsage {
  return {
    ...total,
    input_tokens: total.input_tokens + more.input_tokens,
    output_tokens: total.output_tokens + more.output_tokens,
    usd: total.usd + more.usd,
  };
}

/** Milliseconds as seconds, to the millisecond. */
export function seconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1000;
}
