import type { SampleDigest, Usage, Tokens } from "../model/outcomes/sample.ts";
import type { Run } from "../model/outcomes/run.ts";

/** Sums over the samples of a run. */
export interface RunTotals {
  readonly add: (sample: SampleDigest) => void;
  /**
   * Adds a sample that an earlier attempt of the workflow run made: it belongs to the run, and cost this attempt
   * nothing.
   */
  readonly addEarlier: (sample: SampleDigest) => void;
  /** Adds samples that were counted as completed although their batch grader could not grade them. */
  readonly addUngraded: (samples: number) => void;
  /** Counts a sample that was interrupted by the run's end and is kept because it was paid for. */
  readonly addCutShort: () => void;
  /** Number of samples that were not interrupted. */
  readonly ended: () => number;
  readonly addGradeMs: (milliseconds: number) => void;
  /** Adds usage of graders' model calls outside of any sample: for a whole task. */
  readonly addJudgeUsage: (usage: Usage | null) => void;
  readonly totals: () => Pick<Run, "request_counts" | "usage"> & {
    readonly generateSeconds: number;
    readonly gradeSeconds: number;
  };
}

/** Prices are summed in whole units, so that the sum does not depend on the order in which samples finish. */
const unitsPerUsd = 1e10;

/** Totals without samples. */
export function createRunTotals(): RunTotals {
  let [completed, failed, cutShort, cached] = [0, 0, 0, 0];
  let earlier = 0;
  let [generateMs, gradeMs] = [0, 0];
  const [answers, judges] = [createUsageSum(), createUsageSum()];
  const count = ({ outcome }: SampleDigest): void => {
    if (outcome === "failed" || outcome === "ungraded") failed += 1;
    else completed += 1;
  };
  return {
    addJudgeUsage: judges.add,
    addUngraded: (samples) => {
      completed -= samples;
      failed += samples;
    },
    addCutShort: () => {
      cutShort += 1;
    },
    addEarlier: (sample) => {
      earlier += 1;
      count(sample);
    },
    ended: () => completed + failed - cutShort - earlier,
    addGradeMs: (milliseconds) => {
      gradeMs += milliseconds;
    },
    add: (sample) => {
      count(sample);
      judges.add(sample.judgeUsage);
      if (sample.cached) {
        // A cached answer's usage belongs to the run that it comes from: this run neither waited nor paid.
        cached += 1;
        return;
      }
      generateMs += sample.latencyMs ?? 0;
      answers.add(sample.usage);
    },
    totals: () => ({
      request_counts: { total: completed + failed, completed, failed },
      usage: {
        ...answers.total(),
        ...ofJudges(judges.total()),
        ...((answers.isUnpriced() || judges.isUnpriced()) && { unpriced: true }),
        cached,
      },
      generateSeconds: seconds(generateMs),
      gradeSeconds: seconds(gradeMs),
    }),
  };
}

interface UsageSum {
  readonly add: (usage: Usage | null) => void;
  readonly total: () => UsageTotal;
  /** Whether some usage has no known price. */
  readonly isUnpriced: () => boolean;
}

type UsageTotal = Tokens & { readonly usd: number };

function createUsageSum(): UsageSum {
  let [inputTokens, outputTokens, usdUnits] = [0, 0, 0];
  let isUnpriced = false;
  return {
    isUnpriced: () => isUnpriced,
    add: (usage) => {
      inputTokens += usage?.input_tokens ?? 0;
      outputTokens += usage?.output_tokens ?? 0;
      usdUnits += Math.round((usage?.usd ?? 0) * unitsPerUsd);
      isUnpriced ||= usage?.usd === null && usage.input_tokens + usage.output_tokens > 0;
    },
    total: () => ({
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      usd: usdUnits / unitsPerUsd,
    }),
  };
}

function ofJudges({
  usd,
  input_tokens,
  output_tokens,
}: UsageTotal): Pick<Run["usage"], "judge_usd" | "judge_input_tokens" | "judge_output_tokens"> {
  return {
    judge_usd: usd,
    judge_input_tokens: input_tokens,
    judge_output_tokens: output_tokens,
  };
}

/** Converts milliseconds to seconds with three decimals. */
function seconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1000;
}
