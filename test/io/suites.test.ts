import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { findSuites } from "../../src/io/files/suites.ts";

const tree = {
  "evals/b.yaml": "",
  "evals/a.yml": "",
  "evals/c.json": "",
  "evals/note.md": "",
  "evals/folder.yaml/x.txt": "",
  "evals/node_modules/p/evil.yaml": "",
  ".regrade/runs/r.json": "",
  "more/z.yaml": "",
};

describe("findSuites", () => {
  it.each([
    [["evals/*.{yaml,yml,json}"], ["evals/a.yml", "evals/b.yaml", "evals/c.json"]],
    [
      ["more/z.yaml", "evals/*.yaml", "evals/b.yaml"],
      ["more/z.yaml", "evals/b.yaml"],
    ],
    [["**/*.yaml"], ["evals/b.yaml", "more/z.yaml"]],
    [["./evals/b.yaml"], ["evals/b.yaml"]],
    [["none/*.yaml", "more/*"], ["more/z.yaml"]],
  ])("finds %j, sorted, each once, files only", async (patterns, expected) => {
    await using fixture = await createFixture(tree);
    const found = await findSuites(patterns, fixture.path.replace(/\/$/, ""));
    expect(found).toEqual({ manifests: expected, skipped: [] });
  });

  const mixed = {
    "evals/array.json": "[{}]",
    "evals/bom.json": '\uFEFF{ "labels": ["a", "b"] }',
    "evals/broken.json": '{ "name": ',
    "evals/suite.json": '{ "name": "s", "tasks": [] }',
    "evals/short.json": '{ "dataset": "d.jsonl" }',
    "data/only.json": "[]",
  };

  it("takes no data in JSON for a suite where a glob matches it, and tells which it left out", async () => {
    await using fixture = await createFixture(mixed);
    expect(await findSuites(["evals/*.json"], fixture.path)).toEqual({
      manifests: ["evals/broken.json", "evals/short.json", "evals/suite.json"],
      skipped: ["evals/array.json", "evals/bom.json"],
    });
    expect(await findSuites(["evals/a*.json", "evals/array.json"], fixture.path)).toEqual({
      manifests: ["evals/array.json"],
      skipped: [],
    });
    await expect(findSuites(["data/*.json"], fixture.path)).rejects.toThrow(
      "matches data/*.json but files that are no suites (data/only.json)\n",
    );
  });

  it("takes what belongs to waza's eval.yaml for no suites where a glob matches it", async () => {
    await using fixture = await createFixture({
      "evals/eval.yaml": "",
      "evals/trigger_tests.yaml": "",
      "evals/tasks/a.yaml": "",
      "evals/fixtures/config.yaml": "",
      "other/tasks/suite.yaml": "",
    });
    const found = await findSuites(["**/*.yaml"], fixture.path);
    expect(found.manifests).toEqual(["evals/eval.yaml", "other/tasks/suite.yaml"]);
    expect(found.skipped).toHaveLength(3);
  });

  it.each([
    [["evals/typo.yaml"], "evals/typo.yaml"],
    [["evals/*.toml", "x/*"], "evals/*.toml, x/*"],
    [["evals/typo.yaml", "evals/*.yaml"], "evals/typo.yaml"],
  ])("refuses %j and names what was looked for", async (patterns, named) => {
    await using fixture = await createFixture(tree);
    await expect(findSuites(patterns, fixture.path)).rejects.toThrow(`matches ${named}\n`);
  });
});
