import type { Run } from "../model/outcomes/run.ts";
import type { Draft } from "./describe.ts";

/** Usage and timing of a run. */
export type Taken = Pick<Run, "usage" | "timing">;

/** A run's draft plus the usage of another run for it: dollars, tokens, the candidates' and the graders' time. */
export function addRunUsage(draft: Draft, { usage, timing }: Taken): Draft {
  const own = draft.usage;
  return {
    ...draft,
    usage: {
      ...own,
      input_tokens: own.input_tokens + usage.input_tokens,
      output_tokens: own.output_tokens + usage.output_tokens,
      usd: own.usd + usage.usd,
      judge_usd: own.judge_usd + usage.judge_usd,
      judge_input_tokens: (own.judge_input_tokens ?? 0) + (usage.judge_input_tokens ?? 0),
      judge_output_tokens: (own.judge_output_tokens ?? 0) + (usage.judge_output_tokens ?? 0),
      ...(usage.unpriced && { unpriced: true }),
    },
    timing: {
      ...draft.timing,
      generate_seconds: draft.timing.generate_seconds + timing.generate_seconds,
      grade_seconds: draft.timing.grade_seconds + timing.grade_seconds,
    },
  };
}

/** Also adds the other run's wall-clock time, if nothing else ran at that time. */
export function addSeconds(draft: Draft, seconds: number): Draft {
  const total = Math.round((draft.timing.seconds + seconds) * 1000) / 1000;
  return { ...draft, timing: { ...draft.timing, seconds: total } };
}
