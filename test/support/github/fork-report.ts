import { recordPush, workflowPath, type Project } from "./project.ts";
import { checkOut } from "./repository.ts";
import { runAction, type ActionEnd, type ActionRun } from "./run-action.ts";

export const reportFiles = {
  [workflowPath]: "name: Evals\n",
  ".github/workflows/report.yml":
    "name: Report\non: { workflow_run: { workflows: [Evals], types: [completed] } }\n",
};

/** When the fork's run began; labels count from then on. */
export const forkRunBegan = "2026-11-20T12:10:00Z";

/** The fork's own run of the branch `change`, with a fork's permissions. */
export async function runFork(project: Project): Promise<void> {
  const { token } = project.github.rest.state;
  const { permissions } = token;
  token.permissions = { contents: "read", actions: "read", "pull-requests": "read" };
  await project.pull("change", { fork: true, runId: 300 });
  token.permissions = permissions;
  await listFork(project);
}

/** It is listed as run 300, with pull request 7. */
export async function listFork(project: Project): Promise<void> {
  const { state } = project.github.rest;
  const head = await project.sha("change");
  const repo = { id: 2, full_name: "stranger/app" };
  state.runs.push({
    id: 300,
    event: "pull_request",
    conclusion: "failure",
    head_branch: "patch",
    head_sha: head,
    path: workflowPath,
    head_repository: repo,
    created_at: forkRunBegan,
  });
  recordPush(state, "patch", { repository: repo.full_name, after: head, by: "stranger" });
  state.pulls.splice(0, state.pulls.length, {
    number: 7,
    state: "open",
    head: { sha: head, ref: "patch", repo },
    base: { sha: await project.sha("main"), ref: "main" },
  });
}

/** The `workflow_run` that follows: in a checkout of the default branch, with a token that writes. */
export async function runReport(
  project: Project,
  inputs: ActionRun["inputs"] = {},
): Promise<ActionEnd> {
  const main = await project.sha("main");
  const head = await project.sha("change");
  await using workspace = await checkOut(project.origin.path, main);
  return await runAction({
    workspace: workspace.path,
    github: project.github,
    inputs: { mode: "report", comment: "always", ...inputs },
    event: {
      name: "workflow_run",
      payload: {
        action: "completed",
        repository: { id: 1, full_name: "owner/app", default_branch: "main", visibility: "public" },
        workflow_run: { id: 300, event: "pull_request", head_sha: head, head_branch: "patch" },
      },
      env: {
        GITHUB_SERVER_URL: project.git.url.replace("127.0.0.1", "github.localhost"),
        GITHUB_RUN_ID: "400",
        GITHUB_SHA: main,
        GITHUB_WORKFLOW: "Report",
        GITHUB_WORKFLOW_REF: "owner/app/.github/workflows/report.yml@refs/heads/main",
      },
    },
  });
}
