import type { SampleDigest } from "../domain/sample.ts";
import type { Run } from "../domain/run.ts";

/** What adds up over the samples of a run. */
export interface Tally {
  readonly add: (sample: SampleDigest) => void;
  readonly addGradeMs: (milliseconds: number) => void;
  readonly totals: () => Pick<Run, "request_counts" | "usage"> & {
    readonly generateSeconds: number;
    readonly gradeSeconds: number;
  };
}

/** Prices add up in whole units, so that the sum does not depend on the order in which samples finish. */
const unitsPerUsd = 1e10;

/** An empty tally. */
export function createTally(): Tally {
  let [completed, failed, generateMs, gradeMs] = [0, 0, 0, 0];
  let [inputTokens, outputTokens, usdUnits, cached] = [0, 0, 0, 0];
  return {
    addGradeMs: (milliseconds) => {
      gradeMs += milliseconds;
    },
    add: (sample) => {
      if (sample.outcome === "failed" || sample.outcome === "ungraded") failed += 1;
      else completed += 1;
      if (sample.cached) {
        // What it took is told by the run that it comes from: this one neither waited nor paid.
        cached += 1;
        return;
      }
      generateMs += sample.latencyMs ?? 0;
      inputTokens += sample.usage?.input_tokens ?? 0;
      outputTokens += sample.usage?.output_tokens ?? 0;
      usdUnits += Math.round((sample.usage?.usd ?? 0) * unitsPerUsd);
    },
    totals: () => ({
      request_counts: { total: completed + failed, completed, failed },
      usage: {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        usd: usdUnits / unitsPerUsd,
        judge_usd: 0,
        cached,
      },
      generateSeconds: seconds(generateMs),
      gradeSeconds: seconds(gradeMs),
    }),
  };
}

/** Milliseconds as seconds, to the millisecond. */
export function seconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1000;
}
