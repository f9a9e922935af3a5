import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { readWorkflows } from "../../src/github/runner/workflow-file.ts";

const path = ".github/workflows/a.yml";

describe("a workflow's file", () => {
  it.each([
    ["name: Evals\non: [push]", "Evals", []],
    ["on:\n  workflow_run:\n    workflows: [Evals, 'evals 2']\n", path, ["Evals", "evals 2"]],
    ["name: R\non: { workflow_run: { workflows: Evals } }", "R", ["Evals"]],
    ["name: ''\n", path, []],
    ["name: [x", path, []],
    ["- 1", path, []],
    ["", path, []],
    ["name: 7\non: { workflow_run: { workflows: [1, ok] } }", path, ["ok"]],
  ])("%j", async (text, name, listensTo) => {
    await using fixture = await createFixture({ [path]: text });
    expect(await readWorkflows(fixture.path)).toEqual([{ path, name, listensTo }]);
  });

  it("is one of the folder's own, of no other kind", async () => {
    await using fixture = await createFixture({
      ".github/workflows/b.yaml": "name: B",
      ".github/workflows/a.yml": "name: A",
      ".github/workflows/notes.md": "name: N",
      ".github/workflows/deeper/c.yml": "name: C",
      "elsewhere.yml": "name: E",
    });
    const found = await readWorkflows(fixture.path);
    expect(found.map(({ name }) => name)).toEqual(["A", "B"]);
    expect(await readWorkflows(fixture.getPath("nowhere"))).toEqual([]);
  });
});
