import type { BatchGraded, Graded, WithModelCalls } from "../model/grading.ts";
import type { GraderCalls } from "../model/ports/programs.ts";
import type { Bridge, SessionEnd } from "./bridge.ts";

/**
 * Wraps a program's calls: requests to models are stored with the result. If a request had no answer through no fault of
 * the grader's, the result is discarded: an unreachable judge gives no verdict on the answer.
 */
export function bridged({ grade, gradeBatch }: GraderCalls, bridge: Bridge): GraderCalls {
  const within = async <Result extends Graded | BatchGraded>(
    subject: string,
    run: () => Promise<Result>,
  ): Promise<Result | Ungraded> => {
    const session = bridge.open(subject);
    try {
      const result = await run();
      return withCalls(result, session.close());
    } catch (error) {
      session.close();
      throw error;
    }
  };
  return {
    grade: (sample, ...rest) =>
      bridge.inTurn(() => within(sample.sample_id, () => grade(sample, ...rest))),
    gradeBatch: (about, samples) =>
      bridge.inTurn(() =>
        within(`${about.task}/${about.candidate}`, () => gradeBatch(about, samples)),
      ),
  };
}

type Ungraded = WithModelCalls & {
  readonly kind: "ungraded";
  readonly type: string;
  readonly message: string;
};

function withCalls<Result extends Graded | BatchGraded>(
  result: Result,
  { calls, trouble, waiting }: SessionEnd,
): Result | Ungraded {
  if (calls.length === 0) return result;
  if (trouble !== undefined) {
    const { type, message } = trouble;
    return { kind: "ungraded", type, message, modelCalls: calls };
  }
  if (waiting && result.kind === "invalid" && result.type === "timeout") {
    const message = `${result.message}; it was waiting for a model that had not answered`;
    return { kind: "ungraded", type: "model_timeout", message, modelCalls: calls };
  }
  return { ...result, modelCalls: calls };
}
