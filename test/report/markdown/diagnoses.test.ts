import { expect, it } from "vitest";
import type { Run } from "../../../src/model/outcomes/run.ts";
import { diagnosesBlock } from "../../../src/report/markdown/diagnoses.ts";
import { diagnosisLines } from "../../../src/report/words/diagnoses.ts";
import { passed } from "../examples.ts";

const run: Run = {
  ...passed,
  diagnoses: [
    {
      task: "qa",
      candidate: "<main>",
      symptom: "never_scored",
      message: "the grader scored none of 3 samples: return a `float`",
      detail: "grade returned the text '**SECRET**'",
    },
  ],
};

it("tells what a run noticed, in the log and in sight in the summary", () => {
  expect(diagnosisLines({ ...run, suite: { ...run.suite, publish: "failures" } })).toEqual([
    "qa, <main>: the grader scored none of 3 samples: return a `float` (the first: grade returned the text '**SECRET**')",
  ]);
  expect(diagnosesBlock(run, "full").render(1)).toMatchInlineSnapshot(`
    "**Look at the set-up**

    - \`qa\`, \`<main>\`: the grader scored none of 3 samples: return a \`float\` (the first: grade returned the text '\\*\\*SECRET\\*\\*')."
  `);
});

it("shows no texts of samples where ids alone may be shown", () => {
  expect(diagnosesBlock(run, "ids").render(1)).not.toContain("SECRET");
  expect(diagnosisLines({ ...run, suite: { ...run.suite, publish: "ids" } })[0]).not.toContain(
    "SECRET",
  );
});

it("says nothing where there is nothing, and of runs that don't know of it", () => {
  expect(diagnosesBlock(passed, "full").rows).toBe(0);
  expect(diagnosisLines(passed)).toEqual([]);
});
