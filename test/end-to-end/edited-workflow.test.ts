import { expect, it } from "vitest";
import { startProject, workflowPath } from "../support/github/project.ts";
import { suiteFiles } from "../support/suite-files.ts";
import { itSome } from "../support/rows.ts";

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
  expect(end.summary).toContain("the workflow changed (for information, not judged)");
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

itSome([
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

const moved = ".github/workflows/other.yml";
const movedTo = { GITHUB_WORKFLOW_REF: `owner/app/${moved}@refs/pull/7/merge` };
const { "evals/outputs.jsonl": wrong = "" } = suiteFiles({ answer: () => "wrong" });

it.each([
  ["moves the workflow to another file, where nothing fails it", { "fail-on": "never" }, "evals"],
  ["brings a workflow by which its own rules judge", { "policy-from": "none" }, "more"],
  ["brings a workflow by which a ref of its own judges", { "policy-from": "HEAD" }, "more"],
])("is red where the change %s", async (_, inputs, job) => {
  const before = { ...suiteFiles(), [workflowPath]: steps("{ suite: evals/qa.yaml }") };
  await using project = await startProject(before);
  const text = steps(JSON.stringify(inputs)).replace("evals:", `${job}:`);
  const files = { [moved]: text, "evals/qa.yaml": mild, "evals/outputs.jsonl": wrong };
  await project.commit("change", job === "evals" ? { ...files, [workflowPath]: null } : files);
  const end = await project.pull("change", { inputs, env: { ...movedTo, GITHUB_JOB: job } });
  expect(end.code, end.stdout).toBe(1);
  expect(end.stdout).toMatch(/does not choose by that how it is judged|this change's own word/);
});

it("is refused where the change takes the token away and names its own rules, and the base can't be had", async () => {
  await using project = await startProject({ ...suiteFiles(), [workflowPath]: steps("{}") });
  const inputs = { token: "", "policy-from": "none" };
  const text = steps(JSON.stringify(inputs));
  await project.commit("change", { [workflowPath]: text, "evals/outputs.jsonl": wrong });
  const end = await project.pull("change", { inputs });
  expect(end.code, end.stdout).toBe(4);
  expect(end.stdout).toContain("they say how this change is judged");
});
