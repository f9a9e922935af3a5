import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { inputsOfBase, takesToken } from "../../src/github/runner/base-inputs.ts";

const step = (inputs: string): string => `      - uses: acme/regrade@v1\n        with: ${inputs}\n`;
const workflow = (...steps: readonly string[]): string =>
  `on: pull_request\njobs:\n  evals:\n    steps:\n${steps.map(step).join("")}`;
const job = { job: "evals", action: "acme/regrade" };

/** What the base's workflow says in the place of the step that runs; `runs`: its `with`, as the change has it. */
function found(base: readonly string[], head: readonly string[], runs = head[0] ?? "{}") {
  const given = parse(runs) as Record<string, unknown>;
  const env = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, String(value)]),
  );
  return inputsOfBase({ base: workflow(...base), head: workflow(...head) }, job, env);
}

const usual = "evals/*.{yaml,yml,json}";
const cases: Readonly<Record<string, readonly [string, string, Readonly<Record<string, string>>]>> =
  {
    "the same": ["{ fail-on: fail }", "{ fail-on: fail }", {}],
    "the default, written out": [
      "{}",
      '{ fail-on: "fail,error,inconclusive", policy-from: auto }',
      {},
    ],
    "no verdict fails it": ["{}", "{ fail-on: never }", { "fail-on": "fail,error,inconclusive" }],
    "more verdicts fail it": [
      "{ fail-on: fail }",
      '{ fail-on: "neutral" }',
      { "fail-on": "fail,neutral" },
    ],
    "its own policy": ["{}", "{ policy-from: none }", { "policy-from": "auto" }],
    "no baseline": ["{}", "{ baseline: none }", { baseline: "" }],
    "a baseline of its own": [
      "{ baseline: base/run }",
      "{ baseline: kind/run }",
      { baseline: "base/run" },
    ],
    "fewer cases": ["{ max-samples: 100 }", "{ max-samples: 2 }", { "max-samples": "100" }],
    "fewer tasks": ["{}", "{ tasks: easy }", { tasks: "" }],
    "fewer candidates": ["{}", "{ candidates: app }", { candidates: "" }],
    "no comment": ["{ comment: always }", "{ comment: never }", { comment: "always" }],
    "no sandbox": ["{ sandbox: required }", "{ sandbox: off }", { sandbox: "required" }],
    "a Python of its own": ["{}", "{ python: ./python }", { python: "" }],
    "answers from a cache": ["{ cache: false }", "{}", { cache: "false" }],
    "left alone": ["{}", "{ changed-only: true }", { "changed-only": "false" }],
    "results in the place of suites": [
      "{}",
      "{ results: made-up.json, max-drop: 1 }",
      { results: "", "max-drop": "" },
    ],
    "a milder drop of results": [
      "{ results: r.json, max-drop: 0.01 }",
      "{ results: r.json, max-drop: 1 }",
      { "max-drop": "0.01" },
    ],
    "another suite": [
      "{ suite: evals/qa.yaml }",
      "{ suite: evals/easy.yaml }",
      { suite: "evals/qa.yaml\nevals/easy.yaml" },
    ],
    "another folder": ["{}", "{ working-directory: easy }", { suite: `../${usual}\n${usual}` }],
    "out of a folder": [
      "{ working-directory: app, suite: q.yaml }",
      "{ suite: q.yaml }",
      { suite: "app/q.yaml\nq.yaml" },
    ],
    "a value that only GitHub knows": ['{ fail-on: "${{ vars.X }}" }', "{ fail-on: never }", {}],
    "an input that judges nothing": ["{}", "{ retention-days: 5, report: false }", {}],
  };

describe("the judging inputs of the base's workflow", () => {
  it.each(Object.entries(cases))("%s", (_, [base, head, expected]) => {
    expect(found([base], [head])).toEqual(expected);
  });

  it("are all given where the change's file is not checked out", () => {
    const env = { "INPUT_FAIL-ON": "never", "INPUT_MAX-SAMPLES": "2" };
    const base = workflow("{ suite: evals/qa.yaml, max-samples: 100 }");
    expect(inputsOfBase({ base, head: undefined }, job, env)).toEqual({
      suite: `evals/qa.yaml\n${usual}`,
      "max-samples": "100",
      "fail-on": "fail,error,inconclusive",
    });
    expect(inputsOfBase({ base: workflow("{}"), head: undefined }, job, {})).toEqual({});
  });

  it("are given where the base's step is still there, beside one of the change's", () => {
    const added = "{ suite: new/*.yaml, fail-on: never }";
    expect(found(["{}"], ["{}", added], added)).toEqual({});
  });

  it("are those of the step that was changed, of several", () => {
    const [one, two, other] = [
      "{ name: a, fail-on: fail }",
      "{ name: b }",
      "{ name: b, fail-on: never }",
    ];
    expect(found([one, two], [one, other], other)).toEqual({
      "fail-on": "fail,error,inconclusive",
    });
    expect(found([one, two], [one, other], one)).toEqual({});
  });
});

it.each([
  ["{}", '{ token: "" }', true],
  ["{}", "{ token: '${{ secrets.T }}' }", false],
  ['{ token: "" }', '{ token: "", fail-on: never }', false],
])("the token of %s is taken away by %s: %s", (base, head, taken) => {
  expect(takesToken({ base: workflow(base), head: workflow(head) }, job)).toBe(taken);
});
