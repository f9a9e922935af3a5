import { expect, it } from "vitest";
import { openRound } from "../../../src/run/confirm/open-round.ts";

type Given = Parameters<typeof openRound>;

it("runs no drop again that a judge saw between two candidates: one alone has no second answer", async () => {
  const also = [{ type: "judge_calls", name: "pair", prompt: "p", against: "base" }];
  for (const grader of [
    { type: "judge_calls", options: { prompt: "p", against: "base" } },
    { type: "row_checks", options: { field: "checks", also } },
  ]) {
    const prepared = {
      tasks: [{ spec: { id: "t", grader }, grader: {} }],
      candidateSpecs: [{ id: "next", kind: "command" }],
    };
    const round = { task: "t", candidate: "next", cases: [], repeats: 1 };
    const opened = await openRound(
      round as unknown as Given[0],
      { prepared } as unknown as Given[1],
      {} as Given[2],
    );
    expect(opened).toMatchObject({ kind: "not_possible", why: { obstacle: "batch_grader" } });
  }
});
