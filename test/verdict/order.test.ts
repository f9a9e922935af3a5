import { expect, it } from "vitest";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { findCrashes } from "../../src/verdict/crashes.ts";
import { createErrorGroups } from "../../src/verdict/error-groups.ts";
import { findLossMessages } from "../../src/verdict/loss-messages.ts";
import { createEvidence } from "../../src/verdict/evidence.ts";
import { sample, task } from "../support/evidence-samples.ts";

const indices = Array.from({ length: 12 }, (_, i) => i);

/** Samples end in any order, which must change no word of a verdict. */
const orders = [indices, indices.toReversed(), [...indices.slice(5), ...indices.slice(0, 5)]];

function failedAt(i: number): Sample {
  const error = { stage: "generate", fault: "candidate", type: "exit_code" } as const;
  const message = `Traceback:\n  File "app.py", line 5\nValueError: bad ${i}`;
  return { ...sample, ...at(i), output_text: null, scores: {}, error: { ...error, message } };
}

function at(i: number) {
  return { case_id: `c${i}`, sample_index: i };
}

function ungradedAt(i: number): Sample {
  const error = { stage: "grade", fault: "grader", type: "exception" } as const;
  return { ...sample, ...at(i), scores: {}, error: { ...error, message: `KeyError: ${i}` } };
}

function graded(i: number): Sample {
  return { ...sample, ...at(i), judge: { reason: i < 6 ? `order ${i} is lost` : "fine" } };
}

async function* inOrder(samples: readonly Sample[]): AsyncGenerator<Sample> {
  yield* samples;
}

it("quotes the same crash whichever sample ended first", async () => {
  const ids = new Set(indices.map((i) => `c${i}`));
  const told = await Promise.all(
    orders.map((order) =>
      findCrashes(
        [{ task: "qa", candidate: "main", of: 12, ids }],
        inOrder(order.map((i) => failedAt(i))),
      ),
    ),
  );
  expect(told[0]?.[0]?.detail).toContain("bad 0");
  for (const other of told) expect(other).toEqual(told[0]);
});

it("names the same cases and error in a summary whichever sample ended first", () => {
  const groups = orders.map((order) => {
    const found = createErrorGroups();
    for (const i of order) found.add(failedAt(i));
    return found.groups();
  });
  expect(groups[0]).toMatchObject([{ count: 12, caseIds: ["c0", "c1", "c2", "c3", "c4"] }]);
  for (const other of groups) expect(other).toEqual(groups[0]);
});

it("quotes the same words of a grader whichever sample ended first", async () => {
  const ids = indices.map((i) => `c${i}`);
  const loss = {
    task: "qa",
    candidate: "main",
    metric: "exact_match",
    alpha: 0.05,
    broken: new Set(ids.slice(0, 6)),
    compared: ids,
  };
  const told = await Promise.all(
    orders.map((order) => findLossMessages([loss], inOrder(order.map((i) => graded(i))))),
  );
  expect(told[0]?.[0]?.detail).toContain("order 0 is lost");
  for (const other of told) expect(other).toEqual(told[0]);
});

it("says the same of a suite's set-up whichever sample ended first", () => {
  const told = orders.map((order) => {
    const evidence = createEvidence([task]);
    for (const i of order) evidence.add(i < 6 ? failedAt(i) : ungradedAt(i));
    return evidence.of("qa", "main");
  });
  expect(told[0]).toMatchObject({
    unanswered: { count: 6, message: expect.stringContaining("bad 0") },
    failures: [{ count: 6, message: "KeyError: 6" }],
  });
  for (const other of told) expect(other).toEqual(told[0]);
});
