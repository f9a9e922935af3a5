import type { SampleDigest, Usage } from "../domain/sample.ts";
import type { Run } from "../domain/run.ts";

/** What adds up over the samples of a run. */
export interface Tally {
  readonly add: (sample: SampleDigest) => void;
  /** Samples that were taken for completed, and that their batch grader could not grade. */
  readonly addUngraded: (samples: number) => void;
  readonly addGradeMs: (milliseconds: number) => void;
  /** What graders asked of models outside of any sample: for a whole task. */
  readonly addJudgeUsage: (usage: Usage | null) => void;
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
  let [judgeInputTokens, judgeOutputTokens, judgeUsdUnits] = [0, 0, 0];
  const addJudgeUsage = (usage: Usage | null): void => {
    judgeInputTokens += usage?.input_tokens ?? 0;
    judgeOutputTokens += usage?.output_tokens ?? 0;
    judgeUsdUnits += Math.round((usage?.usd ?? 0) * unitsPerUsd);
  };
  return {
    addJudgeUsage,
    addUngraded: (samples) => {
      completed -= samples;
      failed += samples;
    },
    addGradeMs: (milliseconds) => {
      gradeMs += milliseconds;
    },
    add: (sample) => {
      if (sample.outcome === "failed" || sample.outcome === "ungraded") failed += 1;
      else completed += 1;
      addJudgeUsage(sample.judgeUsage);
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
        judge_usd: judgeUsdUnits / unitsPerUsd,
        judge_input_tokens: judgeInputTokens,
        judge_output_tokens: judgeOutputTokens,
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
