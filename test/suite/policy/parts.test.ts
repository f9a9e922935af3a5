import { describe, expect, it } from "vitest";
import type { Fingerprint } from "../../../src/model/outcomes/run.ts";
import type { Task } from "../../../src/model/definition/suite.ts";
import type { GraderSpec, SingleGrader } from "../../../src/model/definition/graders.ts";
import { changedParts } from "../../../src/suite/policy/parts.ts";
import { modelRef, suiteOf, taskSpec } from "./suites.ts";

const fingerprint: Fingerprint = {
  dataset: "d",
  preprocess: null,
  prompt: "p",
  extraction: "e",
  grader: "g",
  judge: null,
};

interface Side {
  readonly spec?: Partial<Task>;
  readonly fingerprint?: Partial<Fingerprint>;
  readonly grader?: string;
  readonly judge?: ReturnType<typeof modelRef>;
}

function side({ spec, fingerprint: hashes, grader = "code", judge }: Side) {
  return {
    task: {
      spec: taskSpec(spec),
      fingerprint: { ...fingerprint, ...hashes },
      grader: { hash: grader },
    },
    models: suiteOf({ judge_model: judge }),
  };
}

const limits = { max_calls: 1, allow_models: [], allow_tools: false, allow_urls: false };
const judging: GraderSpec = { type: "judge", options: {}, models: limits };
const python: Extract<GraderSpec, { type: "python" }> = {
  type: "python",
  contract: "sample",
  execution: "per_sample",
  metric_id: "m",
  source: { kind: "file", file: { path: "g.py", absolute: "/base/g.py" } },
  timeout_seconds: 5,
  isolation: "chunk",
  allow_read: [{ path: "words.txt", absolute: "/base/words.txt" }],
  models: undefined,
};
const moved: GraderSpec = {
  ...python,
  source: { kind: "file", file: { path: "g.py", absolute: "/head/g.py" } },
  allow_read: [{ path: "words.txt", absolute: "/head/words.txt" }],
};
const described = taskSpec().metrics.map((metric) =>
  Object.assign({}, metric, { description: "share right" }),
);

const several = (weight: number, grader: SingleGrader = python): GraderSpec => ({
  type: "several",
  graders: [
    { name: "a", weight, grader },
    { name: "b", weight: 1, grader: { type: "contains", options: {}, models: undefined } },
  ],
});

describe("a change of policy is seen in", () => {
  const changes: readonly (readonly [string, Side, Side])[] = [
    ["dataset", {}, { fingerprint: { dataset: "other" } }],
    ["grader", { spec: { grader: several(1) } }, { spec: { grader: several(0) } }],
    ["grader", { spec: { grader: python } }, { spec: { grader: several(1) } }],
    [
      "grader",
      { spec: { grader: several(1) } },
      { spec: { grader: several(1, { ...python, isolation: "sample" }) } },
    ],
    [
      "grader",
      { spec: { grader: { ...python, isolation: undefined } } },
      { spec: { grader: { ...python, isolation: "chunk" } } },
    ],
    ["preprocess", {}, { fingerprint: { preprocess: "other" } }],
    ["target_template", {}, { spec: { target_template: "{{b}}" } }],
    ["choices", {}, { spec: { choices: ["a"] } }],
    ["extraction", {}, { fingerprint: { extraction: "other" } }],
    ["grader", {}, { grader: "other" }],
    [
      "grader",
      { spec: { grader: python } },
      { spec: { grader: { ...python, timeout_seconds: 1 } } },
    ],
    ["grader", { spec: { grader: python } }, { spec: { grader: { ...python, allow_read: [] } } }],
    [
      "judge",
      { spec: { grader: judging }, judge: modelRef("a") },
      { spec: { grader: judging }, judge: modelRef("b") },
    ],
    [
      "judge",
      { spec: { grader: judging }, judge: modelRef("a") },
      { spec: { grader: judging }, judge: modelRef("a", "http://127.0.0.1:2/v1") },
    ],
    ["metrics", {}, { spec: { metrics: [] } }],
    ["repeats", {}, { spec: { repeats: 5 } }],
    ["slices", {}, { spec: { slices: ["language"] } }],
    ["clusters", {}, { spec: { cluster_by: "passage" } }],
    ["min_cases", {}, { spec: { min_cases: 5 } }],
  ];
  it.each(changes)("%s", (part, base, head) => {
    expect(changedParts(side(base), side(head))).toEqual([part]);
  });
});

describe("no change of policy is", () => {
  const changes: readonly (readonly [string, Side, Side])[] = [
    ["a prompt", {}, { spec: { prompt_template: "other" }, fingerprint: { prompt: "other" } }],
    ["a path in another tree", { spec: { grader: python } }, { spec: { grader: moved } }],
    ["a description", {}, { spec: { metrics: described } }],
    ["a judging model that no grader asks", {}, { judge: modelRef("b") }],
  ];
  it.each(changes)("%s", (_, base, head) => {
    expect(changedParts(side(base), side(head))).toEqual([]);
  });
});
