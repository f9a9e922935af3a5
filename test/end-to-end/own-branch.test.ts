import { describe, expect, it, onTestFinished } from "vitest";
import { recordProject, type Project } from "../support/github/project.ts";
import { checkOut } from "../support/github/repository.ts";
import { runAction, type ActionEnd } from "../support/github/run-action.ts";
import type { Pull } from "../support/github/state.ts";
import { suiteFiles } from "../support/suite-files.ts";
import { itSome } from "../support/rows.ts";

/**
 * Runs that put a check of the gate's name on a pull request's head, by events that are not the pull request's: someone with
 * write access starts the workflow on their branch, or the branch has a push run of its own.
 */

const gate = "{ rules: [{ metric: exact_match, min: 0.8 }] }";
const milder = "{ rules: [{ metric: exact_match, min: 0.1 }] }";
const files = suiteFiles({ gate });
const broken = suiteFiles({ gate: milder, answer: (i) => (i % 2 === 0 ? "wrong" : undefined) });

const changed = recordProject(files, async (project) => {
  await project.push("main");
  await project.commit("change", broken);
});

async function open(): Promise<Project> {
  const project = await changed();
  onTestFinished(() => project[Symbol.asyncDispose]());
  return project;
}

const own = { id: 1, full_name: "owner/app" };
const fork = { id: 2, full_name: "stranger/app" };
const pullsOf = "GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls";

interface PullAsked {
  readonly number?: number;
  readonly repo?: typeof own;
  readonly base?: string;
}

async function pullOf(project: Project, asked: PullAsked = {}): Promise<Pull> {
  const { number = 7, repo = own, base = "main" } = asked;
  const head = { sha: await project.sha("change"), ref: "change", repo };
  return { number, state: "open", head, base: { sha: await project.sha("main"), ref: base } };
}

interface Started {
  readonly event?: string;
  readonly ref?: string;
  /** The commit of the event, by its branch. Default: the change. */
  readonly at?: string;
  /** The commit that is checked out. Default: the change. */
  readonly checkedOut?: string;
  readonly payload?: object;
}

async function start(project: Project, started: Started = {}): Promise<ActionEnd> {
  const { event = "workflow_dispatch", ref = "refs/heads/change", payload } = started;
  const { at = "change", checkedOut = "change" } = started;
  await using workspace = await checkOut(project.origin.path, await project.sha(checkedOut));
  return await runAction({
    workspace: workspace.path,
    github: project.github,
    event: {
      name: event,
      payload: { repository: { ...own, default_branch: "main", visibility: "public" }, ...payload },
      env: {
        GITHUB_SERVER_URL: project.git.url.replace("127.0.0.1", "github.localhost"),
        GIT_CONFIG_NOSYSTEM: "1",
        GITHUB_RUN_ID: "500",
        GITHUB_SHA: await project.sha(at),
        GITHUB_REF: ref,
      },
    },
  });
}

const onMain = { ref: "refs/heads/main", at: "main" } as const;

describe("a run on a pull request's head by another event", () => {
  itSome<{ readonly name: string; readonly started: Started; readonly asked?: PullAsked }>([
    { name: "started by hand", started: {} },
    { name: "a push", started: { event: "push", payload: { before: "0".repeat(40) } } },
    { name: "started for a fork on main", started: onMain, asked: { repo: fork } },
  ])("$name: is judged by the base's policy, and tells the pull request", async (each) => {
    const { started, asked } = each;
    const project = await open();
    const { state } = project.github.rest;
    state.pulls.push(await pullOf(project, asked));
    const end = await start(project, started);
    expect(end.outputs["verdict"], end.stdout).toBe("fail");
    expect(end.summary).toContain("against `main`");
    const sha = await project.sha("change");
    expect(state.checks.find(({ head_sha }) => head_sha === sha)?.conclusion).toBe("failure");
    expect(state.comments.map(({ issue }) => issue)).toEqual([7]);
    const names = project.github.artifacts.all.filter(({ run }) => run === "run-500");
    expect(names.filter(({ name }) => name.includes("-inputs-"))).toEqual([]);
  });

  itSome([
    ["a tag", "refs/tags/v1"],
    ["another branch", "refs/heads/other"],
  ])("looks for one where the run is of %s", async (_, ref) => {
    const project = await open();
    for (const [i, base] of ["draft", "next"].entries())
      project.github.rest.state.pulls.push(await pullOf(project, { number: 7 + i, base }));
    const end = await start(project, { ref });
    expect(end.code).toBe(2);
    expect(end.stdout).toContain("draft, next");
  });

  it("is judged by its own policy where none stands there", async () => {
    const project = await open();
    expect((await start(project)).outputs["verdict"]).toBe("pass");
  });

  it("says so where the token may not look", async () => {
    const project = await open();
    delete project.github.rest.state.token.permissions["pull-requests"];
    expect((await start(project)).stdout).toContain(
      "Give the job the permission 'pull-requests: read'",
    );
  });

  it("judges nothing where GitHub does not answer", async () => {
    const project = await open();
    project.github.rest.faults.add({ route: pullsOf, as: 502, times: 50 });
    expect((await start(project)).code).toBe(4);
  });
});

describe("a change that is not what the step judges", () => {
  it("is refused where the base is checked out, as pull_request_target does it", async () => {
    const project = await open();
    const { number, head, base } = await pullOf(project);
    const pull_request = { number, head, base: { ...base, repo: own }, user: { login: "someone" } };
    const target = { event: "pull_request_target", ...onMain, payload: { pull_request } };
    const end = await start(project, { ...target, checkedOut: "main" });
    expect(end.code).toBe(2);
    expect(end.stdout).toContain("the commit that is checked out");
  });

  it("is refused where a step has overwritten the event", async () => {
    const project = await open();
    const end = await start(project, { event: "pull_request", ref: "refs/pull/7/merge" });
    expect(end.code).toBe(4);
    expect(end.stdout).toContain("GITHUB_EVENT_PATH");
  });
});

it(
  "compares with no run that someone started by hand with other inputs",
  { tags: "long" },
  async () => {
    const project = await open();
    project.github.rest.state.runs.splice(0);
    await project.commit("main", suiteFiles({ gate: "{ max_drop: 0.02 }" }));
    const byHand = { GITHUB_EVENT_NAME: "workflow_dispatch" };
    const inputs = { generation: "temperature=2" };
    await project.push("main", { env: byHand, inputs, listed: { event: "workflow_dispatch" } });
    await project.commit("fine", { "notes.txt": "x" });
    const end = await project.pull("fine");
    expect(end.outputs["verdict"], end.stdout).toBe("inconclusive");
    expect(end.stdout).toContain("other inputs than this run has (generation)");
    expect((await project.pull("fine", { inputs })).outputs["verdict"]).toBe("pass");
  },
);
