import { expect, it } from "vitest";
import { startProject, workflowPath } from "../support/github/project.ts";
import { suiteFiles } from "../support/suite-files.ts";

const { "evals/qa.yaml": mild = "" } = suiteFiles({ gate: "none", name: "easy" });
const elsewhere = Object.fromEntries(
  Object.entries(suiteFiles({ gate: "none", name: "easy" })).map(([path, text]) => [
    `easy/${path}`,
    text,
  ]),
);

it("tells reviewers that a change edits the workflow that judges it, and blocks nothing", async () => {
  const workflow = "on: pull_request\n";
  await using project = await startProject({ ...suiteFiles(), [workflowPath]: workflow });
  await project.commit("change", { "notes.txt": "x" });
  const told = "`.github/workflows/evals.yml`: whether this step runs, what runs before it";
  const untouched = await project.pull("change");
  expect(untouched.summary).not.toContain(told);
  await project.commit("change", { [workflowPath]: `${workflow}# edited\n` });
  const end = await project.pull("change");
  expect(end.outputs["verdict"], end.stdout).toBe("pass");
  expect(end.summary).toContain("the workflow changed, and not judged");
  expect(end.summary).toContain(told);
});

it("tells reviewers that a change edits an action of the repository that the workflow uses", async () => {
  const setup = "runs: { using: composite, steps: [{ uses: ./.github/actions/more }] }\n";
  await using project = await startProject({
    ...suiteFiles(),
    [workflowPath]: "jobs: { evals: { steps: [{ uses: './.github/actions/setup' }] } }\n",
    ".github/actions/setup/action.yml": setup,
    ".github/actions/more/action.yaml": "name: more\n",
    ".github/actions/other/action.yml": "name: other\n",
  });
  await project.commit("change", {
    ".github/actions/more/action.yaml": "name: less\n",
    ".github/actions/other/action.yml": "name: another\n",
  });
  const { summary } = await project.pull("change");
  expect(summary).toContain("`.github/actions/more/action.yaml`: whether this step runs");
  expect(summary).not.toContain("actions/setup");
  expect(summary).not.toContain("actions/other");
});

const steps = (inputs: string): string =>
  `on: pull_request\njobs:\n  evals:\n    steps:\n      - uses: owner/regrade@v1\n        with: ${inputs}\n`;

it.each([
  ["nothing fails it", { "fail-on": "never" }, {}],
  ["its own rules judge", { "policy-from": "none" }, { "evals/qa.yaml": mild }],
  ["another folder has the suites", { "working-directory": "easy" }, elsewhere],
  ["a milder suite stands in", { suite: "evals/easy.yaml" }, { "evals/easy.yaml": mild }],
])("is red where the change's workflow says that %s", async (_, inputs, files) => {
  const before = { ...suiteFiles(), [workflowPath]: steps("{ suite: evals/qa.yaml }") };
  await using project = await startProject(before);
  project.github.rest.state.trees.set(await project.sha("main"), before);
  const { "evals/outputs.jsonl": outputs = "" } = suiteFiles({ answer: () => "wrong" });
  const workflow = steps(JSON.stringify(inputs));
  await project.commit("change", {
    ...files,
    "evals/outputs.jsonl": outputs,
    [workflowPath]: workflow,
  });
  const end = await project.pull("change", { inputs });
  expect(end.code, end.stdout).toBe(1);
  expect(end.stdout).toContain("does not choose by that how it is judged");
});
