import { describe, expect, it } from "vitest";
import { hashText } from "../../../src/io/files/files.ts";
import type { Candidate } from "../../../src/model/models/candidate.ts";
import type { Case } from "../../../src/model/outcomes/sample.ts";
import { planSamples, sampleIdFor } from "../../../src/run/plan.ts";

const makeId = sampleIdFor(hashText);

const candidate = (id: string, recorded: boolean): Candidate => ({
  id,
  generate: () => Promise.reject(new Error("nobody asks")),
  concurrency: 1,
  costly: false,
  recorded,
  close: async () => undefined,
});

const cases: readonly Case[] = ["a", "b"].map((caseId, index) => ({
  caseId,
  content: caseId,
  row: {},
  index,
}));

/** What is planned of cases a and b, as `case.repeat`, by what earlier attempts made. */
async function planned(
  made: readonly string[],
  { repeats, recorded = false }: { readonly repeats: number; readonly recorded?: boolean },
): Promise<readonly string[]> {
  const dataset = {
    hash: "",
    size: cases.length,
    fields: new Set<string>(),
    cases: async function* () {
      yield cases;
    },
  };
  const earlier = new Set(
    made.map((one) => {
      const [caseId = "", repeat] = one.split(".");
      return makeId(["qa", "app", caseId, Number(repeat)]);
    }),
  );
  const found: string[] = [];
  const task = { id: "qa", repeats, dataset, earlier };
  for await (const batch of planSamples(task, [candidate("app", recorded)], makeId))
    for (const each of batch) {
      expect(each.sequence).toBe(found.length);
      found.push(`${each.case.caseId}.${each.repeat}`);
    }
  return found;
}

describe("the plan of a further attempt", () => {
  it.each<{
    name: string;
    made: readonly string[];
    repeats: number;
    recorded?: boolean;
    plan: string;
  }>([
    { name: "of the first, each case once", made: [], repeats: 1, plan: "a.0 b.0" },
    { name: "each once more", made: ["a.0", "b.0"], repeats: 1, plan: "a.0 a.1 b.0 b.1" },
    {
      name: "what has no grade again, and no more",
      made: ["a.0"],
      repeats: 1,
      plan: "a.0 a.1 b.0",
    },
    {
      name: "each as often as the task declares",
      made: ["a.0", "a.1", "b.0", "b.1"],
      repeats: 2,
      plan: "a.0 a.1 a.2 a.3 b.0 b.1 b.2 b.3",
    },
    {
      name: "one repeat that has no grade, and none beside it",
      made: ["a.0", "b.0", "b.1"],
      repeats: 2,
      plan: "a.0 a.1 b.0 b.1 b.2 b.3",
    },
    {
      name: "of the third, the hole that the second left",
      made: ["a.0", "a.1", "b.0"],
      repeats: 1,
      plan: "a.0 a.1 a.2 b.0 b.1",
    },
    {
      name: "a recording once, however often",
      made: ["a.0", "b.0"],
      repeats: 1,
      recorded: true,
      plan: "a.0 b.0",
    },
  ])("is $name", async ({ made, plan, ...how }) => {
    expect((await planned(made, how)).join(" ")).toBe(plan);
  });
});
