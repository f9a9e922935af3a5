import { describe, expect, it } from "vitest";
import { select } from "../../../src/suite/selection/select.ts";

const tasks = [{ id: "qa-en" }, { id: "qa-de" }, { id: "maths" }];

describe("choosing tasks and candidates by globs", () => {
  it.each([
    { globs: [], chosen: ["qa-en", "qa-de", "maths"], leftOut: [] },
    { globs: ["qa-*"], chosen: ["qa-en", "qa-de"], leftOut: ["maths"] },
    { globs: ["maths", "qa-en"], chosen: ["qa-en", "maths"], leftOut: ["qa-de"] },
  ])("$globs chooses $chosen", ({ globs, chosen, leftOut }) => {
    const selection = select(tasks, globs, "--task");
    expect(selection.chosen.map((each) => each.id)).toEqual(chosen);
    expect(selection.leftOut).toEqual(leftOut);
    expect(selection.problems).toEqual([]);
  });

  it("says which glob selects nothing, and what there is", () => {
    const { problems } = select(tasks, ["qa-*", "math"], "--task");
    expect(problems.map((each) => each.code)).toEqual(["selects_nothing"]);
    expect(problems[0]?.message).toContain("--task math");
    expect(problems[0]?.hint).toContain("qa-en, qa-de, maths");
  });
});
