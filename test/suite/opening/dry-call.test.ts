import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import type { Graded } from "../../../src/model/grading.ts";
import { validateFixture } from "../../support/run-fixture.ts";

const graded: Graded = {
  kind: "scored",
  scores: { score: 1 },
  judge: null,
  printed: null,
};

it("waits for nothing once a grader has answered its dry call: the program can end at once", async () => {
  await using fixture = await createFixture({
    "suite.yaml": JSON.stringify({
      name: "qa",
      dataset: "rows.jsonl",
      prompt_template: "{{q}}",
      target_template: "{{q}}",
      grader: { type: "python", file: "grader.py" },
      metrics: [{ id: "score", range: [0, 1] }],
      candidates: { app: { replay: "rows.jsonl" } },
    }),
    "rows.jsonl": '{"case_id": "a", "id": "a", "q": "x", "output_text": "x"}\n',
    "grader.py": "def grade(sample, item):\n    return 1.0\n",
  });
  const waits: AbortSignal[] = [];
  await validateFixture(fixture, {
    python: { grade: () => graded },
    tools: (tools) => {
      const { clock } = tools.candidateTools;
      const sleep: typeof clock.sleep = (milliseconds, signal) => {
        waits.push(signal);
        return clock.sleep(milliseconds, signal);
      };
      return { ...tools, candidateTools: { ...tools.candidateTools, clock: { ...clock, sleep } } };
    },
  });
  expect(waits.map(({ aborted }) => aborted)).toEqual([true]);
});
