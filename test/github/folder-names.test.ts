import { describe, expect, it } from "vitest";
import { folderNames, slug } from "../../src/github/runner/suite-names.ts";

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
