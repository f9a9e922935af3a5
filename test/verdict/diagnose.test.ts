import { expect, it } from "vitest";
import { createLedger } from "../../src/ledger/ledger.ts";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import type { Task } from "../../src/model/definition/suite.ts";
import { diagnose } from "../../src/verdict/diagnose.ts";
import { sample, task } from "../support/evidence-samples.ts";

const cases = {
  declared: 4,
  scored: 4,
  invalid: 0,
  failed: 0,
  ungraded: 0,
  paired: 0,
  new: 0,
  missing: 0,
  renamed: 0,
};

it.each([
  [[1, 0, 3, 3], undefined, "`exact_match` was 3 in 2 samples, outside its range [0, 1]: "],
  [[1, 0, 0.5, 1], undefined, "`exact_match` was 0.5 in 1 sample, neither 0 nor 1 as "],
  [[1, 0, 3, 3], 2, "`exact_match` is 2 for all samples together, outside its range [0, 1]: "],
  [[1, 0, 3, 3], 0.5, undefined],
  [[1, 0, 0, 1], undefined, undefined],
])("tells of scores that the declaration rules out: %j, %j", async (scores, given, expected) => {
  const told = await diagnosed(scores, given);
  expect(told.map(({ symptom }) => symptom)).toEqual(
    expected === undefined ? [] : ["score_out_of_bounds"],
  );
  expect(told[0]?.message.slice(0, expected?.length)).toBe(expected);
});

async function diagnosed(
  scores: readonly number[],
  given: number | undefined,
): ReturnType<typeof diagnose> {
  const ledger = createLedger();
  const at = { task: "qa", candidate: "main" };
  const samples = scores.map((score, i): Sample => {
    const own = { case_id: `case-${i}`, scores: { exact_match: score } };
    const row = { ...at, ...own, content: `content-${i}`, cluster: null, slices: {}, repeat: 0 };
    ledger.add({ ...row, outcome: "scored" });
    return { ...sample, ...own };
  });
  if (given !== undefined) ledger.give({ ...at, metrics: { exact_match: given }, dropped: [] });
  const tasks: readonly Task[] = [{ ...task, prompt_template: "{{question}}" }];
  const visitSamples = async function* (): AsyncGenerator<Sample> {
    yield* samples;
  };
  const sources = { directory: "/run", tasks, ledger, visitSamples };
  return diagnose({ status: "completed", cases }, sources);
}
