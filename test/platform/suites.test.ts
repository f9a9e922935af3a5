import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { findSuites, folderNames, slug } from "../../src/platform/suites.ts";

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
    expect(await findSuites(patterns, fixture.path.replace(/\/$/, ""))).toEqual(expected);
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

describe("folderNames", () => {
  it("keeps the runs of files with the same name apart", () => {
    expect(folderNames(["a/qa.yaml", "b/qa.json", "b/QA.yml", "b/qa-2.yaml"])).toEqual([
      "qa",
      "qa-2",
      "QA-3",
      "qa-2-2",
    ]);
  });
});

describe("slug", () => {
  it.each([
    ["support-bot", "support-bot"],
    ["a b/c:d", "a-b-c-d"],
    ["..", "suite"],
    ["日本", "suite"],
    ["x".repeat(300), "x".repeat(100)],
  ])("makes %j a name for files and artifacts", (name, expected) => {
    expect(slug(name)).toBe(expected);
  });
});
