import { expect, it } from "vitest";
import { startProject, workflowPath } from "../support/github/project.ts";
import { suiteFiles } from "../support/suite-files.ts";

it("tells reviewers that a change edits the workflow that judges it, and blocks nothing", async () => {
  const workflow = "on: pull_request\n";
  await using project = await startProject({ ...suiteFiles(), [workflowPath]: workflow });
  await project.commit("change", { "notes.txt": "x" });
  const told = "`.github/workflows/evals.yml`: which suites it names, and which verdicts fail it";
  const untouched = await project.pull("change");
  expect(untouched.summary).not.toContain(told);
  await project.commit("change", { [workflowPath]: `${workflow}# edited\n` });
  const end = await project.pull("change");
  expect(end.outputs["verdict"], end.stdout).toBe("pass");
  expect(end.summary).toContain("the workflow changed, and not judged");
  expect(end.summary).toContain(told);
});
