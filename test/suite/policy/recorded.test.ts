import { describe, expect, it } from "vitest";
import type { CandidateSpec } from "../../../src/model/definition/candidate-spec.ts";
import { inPlaceOfAsking } from "../../../src/suite/policy/recorded.ts";
import { slot, suiteOf } from "./suites.ts";

const answer = {
  id: "app",
  kind: "answer",
  answer: "2",
  transcript: undefined,
  files: undefined,
} as const;
const replay: CandidateSpec = {
  id: "app",
  kind: "replay",
  file: { path: "outputs.jsonl", absolute: "/head/evals/outputs.jsonl" },
  model: undefined,
  output_field: "output_text",
  id_field: "case_id",
};

describe("a change may not bring the answers of a candidate that the base asks", () => {
  it.each<readonly [string, CandidateSpec, CandidateSpec, readonly string[]]>([
    ["a recording", slot("app"), replay, ["app"]],
    ["an answer in the manifest", slot("app"), answer, ["app"]],
    ["an answer under another name", slot("app"), { ...answer, id: "mock" }, ["mock"]],
    ["another program", slot("app"), slot("app", "other"), []],
    ["a program, where the base has an answer", answer, slot("app"), []],
    ["a recording, where the base has an answer", answer, replay, []],
  ])("%s", (...[, before, after, replaced]) => {
    const found = inPlaceOfAsking(
      suiteOf({ candidates: [before] }),
      suiteOf({ candidates: [after] }),
    );
    expect(found.map(({ field }) => field)).toEqual(replaced);
  });
});
