import { describe, expect, it } from "vitest";
import { readInputs } from "../../src/github/runner/inputs.ts";

function settings(inputs: Record<string, string>) {
  const read = readInputs(variables(inputs), "linux");
  if (read.kind === "problems") throw new Error(JSON.stringify(read.problems));
  return read.settings;
}

function codes(inputs: Record<string, string>): readonly string[] {
  const read = readInputs(variables(inputs), "linux");
  return read.kind === "problems" ? read.problems.map(({ code }) => code) : [];
}

function variables(inputs: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  );
}

describe("readInputs", () => {
  it("needs no input at all", () => {
    expect(settings({})).toMatchObject({
      mode: "run",
      token: "",
      comment: "changes",
      checkRun: "auto",
      suites: ["evals/*.{yaml,yml,json}"],
      baseline: undefined,
      failOn: ["fail", "error", "inconclusive"],
      candidates: [],
      tasks: [],
      python: "python3",
      sandbox: "auto",
      cache: true,
      retentionDays: undefined,
      workingDirectory: ".",
    });
  });

  it("does not open the gate for an empty fail-on, such as an unset variable gives", () => {
    expect(settings({ "fail-on": "  " }).failOn).toEqual(["fail", "error", "inconclusive"]);
  });

  it.each([
    ["fail", ["fail"]],
    ["error, fail,\ninconclusive", ["fail", "error", "inconclusive"]],
    ["neutral", ["neutral"]],
    ["never", []],
  ])("reads fail-on: %j", (text, expected) => {
    expect(settings({ "fail-on": text }).failOn).toEqual(expected);
  });

  it.each([
    ["fail-on", "failure"],
    ["fail-on", "pass"],
    ["fail-on", "fail, never"],
    ["fail-on", "Fail"],
    ["sandbox", "yes"],
    ["sandbox", "AUTO"],
    ["cache", "off"],
    ["mode", "compare"],
    ["comment", "yes"],
    ["check-run", "maybe"],
  ])("refuses a word that %s does not know: %s", (name, text) => {
    expect(codes({ [name]: text })).toEqual(["input_unknown_word"]);
  });

  it.each(["0", "-1", "401", "1.5", "14 days", "1e2", "0x10"])(
    "refuses retention-days: %s",
    (text) => {
      expect(codes({ "retention-days": text })).toEqual(["input_not_a_number"]);
    },
  );

  it.each(["0", "-5", "1000001", "many"])("refuses max-samples: %s", (text) => {
    expect(codes({ "max-samples": text })).toEqual(["input_not_a_number"]);
  });

  it("reads what goes before the manifest's models and settings", () => {
    expect(settings({}).overrides).toBeUndefined();
    expect(
      settings({
        model: "openai:a, openai:b",
        "judge-model": "openai:j",
        "embedding-model": "openai:e",
        concurrency: "auto",
        generation: 'stop=["a,b"]\n\n temperature=0 \n',
      }).overrides,
    ).toEqual({
      models: ["openai:a", "openai:b"],
      judge_model: "openai:j",
      embedding_model: "openai:e",
      concurrency: "auto",
      generation: { stop: ["a,b"], temperature: 0 },
    });
  });

  it.each(["0", "26", "1.5", "all"])("refuses concurrency: %s", (text) => {
    expect(codes({ concurrency: text })).toEqual(["input_not_a_number"]);
  });

  it.each(["temperature", "=1", "a b=1", "temperature=0\n1=2"])(
    "refuses generation: %j",
    (text) => {
      expect(codes({ generation: text })).toEqual(["input_not_a_setting"]);
    },
  );

  it("refuses what asks models beside results, which ask none", () => {
    expect(codes({ results: "out.json", model: "openai:a" })).toEqual(["results_input_idle"]);
  });

  it("asks models anew where the cache is switched off", () => {
    expect(settings({ cache: "false" }).cache).toBe(false);
  });

  it("tells all problems at once", () => {
    expect(
      codes({ "fail-on": "a,b", sandbox: "c", "retention-days": "d", mode: "all", comment: "no" }),
    ).toEqual([
      "input_unknown_word",
      "input_unknown_word",
      "input_unknown_word",
      "input_unknown_word",
      "input_unknown_word",
      "input_not_a_number",
    ]);
  });

  it.each([
    ["", undefined],
    ["none", { kind: "none" }],
    ["auto", { kind: "auto" }],
    ["runs/base", { kind: "path", path: "runs/base" }],
  ])("reads baseline: %j", (text, expected) => {
    expect(settings({ baseline: text }).baseline).toEqual(expected);
  });

  it("looks for Python under the name it has on Windows", () => {
    const read = readInputs({}, "win32");
    expect(read).toMatchObject({ settings: { python: "python" } });
  });
});

describe("a list", () => {
  it.each([
    ["", []],
    [" , \n ,", []],
    ["a", ["a"]],
    ["a, b\nc\r\nd", ["a", "b", "c", "d"]],
    ["evals/*.{yaml,yml,json}", ["evals/*.{yaml,yml,json}"]],
    ["{a,{b,c}}.yaml,d.json", ["{a,{b,c}}.yaml", "d.json"]],
    ["a{b\nc,d", ["a{b", "c", "d"]],
    ["a},b", ["a}", "b"]],
  ])("is split: %j", (text, expected) => {
    expect(settings({ tasks: text }).tasks).toEqual(expected);
  });
});
