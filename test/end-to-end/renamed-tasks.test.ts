import { describe, expect, it } from "vitest";
import { startProject, type Files } from "../support/github/project.ts";
import { suiteFiles, type SuiteParts } from "../support/suite-files.ts";

/** A suite of two tasks over the same rows, and a pull request that gives one of them, or the suite, another name. */

function task(id: string, prompt: string): string {
  return `  - { id: ${id}, dataset: { file: data/qa.jsonl, id_field: id }, prompt_template: "${prompt}", target_template: "{{a}}", grader: exact_match }`;
}

function manifest(second: string, prompt: string): string {
  return [
    "name: qa",
    "candidates: { app: { command: [python3, -S, app.py] } }",
    `gate: { rules: [{ metric: one/exact_match, max_drop: 0.02 }, { metric: ${second}/exact_match, max_drop: 0.02 }] }`,
    "tasks:",
    task("one", "What is {{q}}?"),
    task(second, prompt),
    "",
  ].join("\n");
}

const adds = `import re, sys
found = re.search(r"(\\d+)\\+(\\d+)", sys.stdin.read())
print(sum(map(int, found.groups())) if found else "what?")
`;

async function pulled(base: Files, head: Files) {
  await using project = await startProject(base);
  await project.push("main");
  await project.commit("change", head);
  return await project.pull("change");
}

const two = {
  ...suiteFiles({ cases: 12 }),
  "evals/qa.yaml": manifest("two", "Compute {{q}}!"),
  "evals/app.py": adds,
};

describe("another name", () => {
  it("of a task changes nothing, and is told", { tags: "long" }, async () => {
    const end = await pulled(two, { "evals/qa.yaml": manifest("second", "Compute {{q}}!") });
    expect(end.code, end.summary).toBe(0);
    expect(end.outputs["verdict"]).toBe("pass");
    expect(end.summary).toContain("the task `two` is called `second` now");
  });

  it("of a task hides no worse prompt", async () => {
    const end = await pulled(two, { "evals/qa.yaml": manifest("second", "Say something.") });
    expect(end.code).toBe(1);
    expect(end.summary).toContain("12 of 12 cases broke");
  });

  it("of the suite, and so of its only task, changes nothing", { tags: "long" }, async () => {
    const parts: SuiteParts = { cases: 12, gate: "{ max_drop: 0.02 }" };
    const end = await pulled(suiteFiles(parts), suiteFiles({ ...parts, name: "sums" }));
    expect(end.outputs["verdict"], end.summary).toBe("pass");
  });
});
