import { expect, it } from "vitest";

import type { Run } from "../../src/model/outcomes/run.ts";
import { pageVerdict } from "../../src/report/html/run-words.ts";
import { worseCases } from "../../src/report/words/worse-cases.ts";
import { views } from "./comment-examples.ts";

function verdictOf(name: string, changed: Partial<Run> = {}): ReturnType<typeof pageVerdict> {
  const view = views[name];
  if (view?.kind !== "run") throw new Error(`no view ${name}`);
  const run = { ...view.run, ...changed };
  return pageVerdict(run, worseCases(run));
}

it.each([
  ["pass", "pass", "passes"],
  ["pass-grey", "pass", "passes, a loss was seen and is not proven"],
  ["fail", "fail", "18 of 240 cases broke, the gate fails"],
  ["accepted", "unsure", "loss accepted, 18 of 240 cases broke"],
  ["relaxed", "unsure", "passes by relaxed rules, 18 of 240 cases broke"],
  ["inconclusive", "unsure", "inconclusive"],
  ["error", "unsure", "31 of 240 cases could not be graded, no verdict"],
  ["cancelled", "neutral", "cancelled, no verdict"],
  ["first", "neutral", "measured, not compared yet"],
  ["fork", "unsure", "passes, unverified"],
  ["fork-fail", "fail", "18 of 240 cases broke, the gate fails, unverified"],
])("the report of %s has the comment's mark and words", (name, tone, title) => {
  expect(verdictOf(name)).toMatchObject({ tone, title });
});

it("the report names the consequence that the comment names", () => {
  const key = { path: "evals/support-bot.yaml", job: "evals", leg: "" };
  const change = { of_change: true, key } as const;
  expect(verdictOf("fail", change).title).toBe("18 of 240 cases broke, merge blocked");
  expect(verdictOf("inconclusive", change).title).toBe("inconclusive, merge blocked");
  // Judged on a laptop by the base's rules: there is no merge to block.
  expect(verdictOf("fail", { of_change: true }).title).toBe(
    "18 of 240 cases broke, the gate fails",
  );
  const view = views["fail"];
  if (view?.kind !== "run") throw new Error("no view");
  const { title } = pageVerdict({ ...view.run, ...change }, worseCases(view.run), "reported only");
  expect(title).toBe("18 of 240 cases broke, reported only");
});

it("the report says what is wrong with the set-up, and the first error", () => {
  const message = "the candidate gave no answer in all 60 samples";
  const diagnoses = [
    { task: "qa", candidate: "main", symptom: "candidate_failed", message, detail: "refused" },
  ] as const;
  const { lines } = verdictOf("error", { diagnoses });
  expect(
    lines
      .at(-1)
      ?.map(({ text }) => text)
      .join(""),
  ).toBe(`qa, main: ${message} (the first: refused).`);
});

it("the report by the base's rules does not tell the rule that decides twice", () => {
  const view = views["relaxed"];
  if (view?.kind !== "run" || !view.run.policy?.base) throw new Error("no view");
  // As run.json is read: no two of its parts are one.
  const gate = structuredClone(view.run.policy.base);
  const { lines } = verdictOf("relaxed", { gate });
  const texts = lines.map((line) => line.map(({ text }) => text).join(""));
  expect(texts.filter((text) => text.startsWith("fails: "))).toEqual([]);
});
