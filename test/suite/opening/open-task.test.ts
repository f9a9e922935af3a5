import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { ProgramRefused } from "../../../src/model/ports/programs.ts";
import { formatProblem } from "../../../src/model/refusal.ts";
import type { Tools } from "../../../src/tools.ts";
import { gave, runFixture, validateFixture } from "../../support/run-fixture.ts";

const python = { gradeBatch: () => gave({}) };

function files(more: readonly string[], grader = "{ type: python, contract: batch, file: g.py }") {
  return {
    "suite.yaml": [
      "name: rows",
      "dataset: data.jsonl",
      'prompt_template: "{{asked}}"',
      'target_template: "{{answer}}"',
      `grader: ${grader}`,
      "candidates: { app: { replay: outputs.jsonl } }",
      "gate: none",
      ...more,
    ].join("\n"),
    "data.jsonl": '{"id":"a","asked":"x","answer":"1","language":"de","meta":{"lang":"de"}}\n',
    "outputs.jsonl": '{"case_id":"a","output_text":"x"}\n',
    "g.py": "",
  };
}

/** What is said of a task's slices. */
async function warned(slices: string): Promise<readonly string[]> {
  await using fixture = await createFixture(files([`slices: ${slices}`]));
  const { warnings } = await runFixture(fixture, { python });
  const found = warnings.filter(({ code }) => code === "slice_field_unknown");
  return found.map((each) => formatProblem(each).replace(/^.*suite\.yaml/, "suite.yaml"));
}

describe("slices of a field that no row has", () => {
  it("are told with their place and the nearest field", async () => {
    expect(await warned("[language, lnguage]")).toEqual([
      "suite.yaml:8:20: slices[1]: `slices` names \"lnguage\", which is no field of the dataset: all cases are in one slice, without a value\n  Did you mean 'language'?",
    ]);
    expect(await warned("[mta.lang]")).toEqual([
      expect.stringContaining("Did you mean 'meta.lang'?"),
    ]);
  });

  it("are told with all fields where none is near", async () => {
    const [text] = await warned("[banana]");
    expect(text).toContain("Its fields are id, asked, answer, language, meta.");
  });

  it("are not told of a field, or of what is in one", async () => {
    expect(await warned("[language, meta.lang]")).toEqual([]);
  });
});

/** Python that refuses to open any grader. */
function refusing(tools: Tools, refused: ProgramRefused): Tools {
  return {
    ...tools,
    startPython: async () => ({
      ...(await tools.startPython()),
      openProgram: () => Promise.resolve({ refused }),
    }),
  };
}

it("options that a built-in does not take are placed where the task declares its grader", async () => {
  const nowhere = { line: undefined, column: undefined, text: undefined, traceback: undefined };
  const refused = { reason: "options" as const, message: "two are the same", ...nowhere };
  await using fixture = await createFixture(files([], "numeric"));
  await expect(
    validateFixture(fixture, { python, tools: (tools) => refusing(tools, refused) }),
  ).rejects.toThrow(
    /suite\.yaml:5:\d+: grader: the built-in grader numeric does not take these options: two are the same\n {2}Correct them/,
  );
});
