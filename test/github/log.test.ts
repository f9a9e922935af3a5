import { describe, expect, it } from "vitest";
import { annotationPlace } from "../../src/github/runner/log.ts";

describe("annotationPlace", () => {
  const workspace = process.cwd();

  it.each([
    [
      { file: "evals/a.yaml", line: 3, column: 5 },
      { file: "evals/a.yaml", startLine: 3, startColumn: 5 },
    ],
    [{ file: `${workspace}/evals/a.yaml` }, { file: "evals/a.yaml" }],
    [
      { file: "./evals/../b.yaml", line: 1 },
      { file: "b.yaml", startLine: 1 },
    ],
    [{ file: "..hidden/a.yaml" }, { file: "..hidden/a.yaml" }],
    [{ file: "../outside.yaml", line: 3 }, {}],
    [{ file: "/etc/passwd" }, {}],
    [{ file: "." }, {}],
    [undefined, {}],
  ])("shows %j in the pull request's files", (place, expected) => {
    expect(annotationPlace(place, workspace)).toEqual(expected);
  });
});
