import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll } from "vitest";
import { startGitServer, type GitServer } from "./git-server.ts";
import { checkOut, initialize, openRepository } from "./repository.ts";
import { runAction, type ActionEnd, type ActionRun } from "./run-action.ts";
import { startGitHub, type GitHub } from "./server.ts";
import { copyState, type Activity, type State, type WorkflowRun } from "./state.ts";

export type Files = Readonly<Record<string, string | null>>;

/** A repository on the stand-in: pushes are in git and in the API, and the action runs on it as in a workflow. */
export interface Project extends AsyncDisposable {
  readonly github: GitHub;
  readonly git: GitServer;
  readonly origin: FsFixture;
  /** Commits files on a branch, and moves the branch, as a push. Nothing is run. */
  readonly commit: (branch: string, files: Files, by?: string) => Promise<string>;
  /** Runs the action on a push of the branch's tip, and lists that workflow run, unless it is not to be. */
  readonly push: (branch: string, more?: Partial<PushOptions>) => Promise<ActionEnd>;
  /** Runs it on a pull request of the branch to main: on the merge commit, in a checkout of depth 1. */
  readonly pull: (branch: string, more?: Partial<PullOptions>) => Promise<ActionEnd>;
  /** The id of the workflow run that comes next. */
  readonly nextRun: () => number;
  /** Checks a branch out in `origin`, and commits what is there from now on. */
  readonly workTree: (branch: string) => Promise<string>;
  /** The sha of a commit, by a branch's name. */
  readonly sha: (ref: string) => Promise<string>;
}

export interface RunOptions {
  readonly inputs: ActionRun["inputs"];
  readonly env: Readonly<Record<string, string>>;
  readonly runId: number;
}

export interface PushOptions extends RunOptions {
  /** Properties that the API reports differently; null: it is not listed. */
  readonly listed: Partial<WorkflowRun> | null;
}

export interface PullOptions extends RunOptions {
  readonly event: string;
  readonly fork: boolean;
  readonly author: string;
  /** Checks out the branch itself, not GitHub's merge commit. */
  readonly headOnly: boolean;
  /** The base's commit in the event, where it is no longer the branch's tip. */
  readonly baseSha: string;
  /** The branch that GitHub's merge commit merges into, where it is not yet the base's. */
  readonly into: string;
  /** The event's payload besides the pull request: its action, the label. */
  readonly payload: object;
  /** On the pull request. */
  readonly labels: readonly string[];
  /** The ended run as the API lists it; undefined: it is not listed. */
  readonly listed: Partial<WorkflowRun> | undefined;
}

const token = "ghs_token-of-the-test";
export const workflowPath = ".github/workflows/evals.yml";

/** Starts the stand-in with a repository whose main branch has these files. */
export async function startProject(files: Files): Promise<Project> {
  const github = await startGitHub();
  const origin = await createFixture({});
  await initialize(origin.path);
  const project = await openProject({ github, origin, nextRun: 100 });
  await project.commit("main", files);
  return project;
}

/**
 * Makes a project once for all tests of a file, and gives each test a copy: commits, runs, artifacts and all other state
 * of GitHub. `prepare` does the steps that the tests share.
 */
export function recordProject(
  files: Files,
  prepare: (project: Project) => Promise<unknown>,
): () => Promise<Project> {
  let recorded: Promise<Project> | undefined;
  afterAll(async () => (await recorded)?.[Symbol.asyncDispose]());
  const record = async (): Promise<Project> => {
    const project = await startProject(files);
    await prepare(project);
    return project;
  };
  return async () => {
    const first = await (recorded ??= record());
    const github = await startGitHub(first.github.artifacts.all);
    copyState(first.github.rest.state, github.rest.state);
    const origin = await createFixture(first.origin.path);
    return await openProject({ github, origin, nextRun: first.nextRun() });
  };
}

interface Opened {
  readonly github: GitHub;
  readonly origin: FsFixture;
  readonly nextRun: number;
}

async function openProject({ github, origin, nextRun: firstRun }: Opened): Promise<Project> {
  const server = await startGitServer({ repository: origin.path, token });
  const { state } = github.rest;
  let nextRun = firstRun;
  const repository = openRepository(origin.path);
  const { sha } = repository;
  const list = (commit: string, ref: string, parents: readonly string[]): void => {
    if (!state.commits.some((one) => one.sha === commit))
      state.commits.push({ sha: commit, parents });
    state.branches.set(ref, commit);
  };
  const listRun = (end: ActionEnd, ran: Omit<WorkflowRun, "conclusion" | "path">): void => {
    const conclusion = end.code === 0 ? "success" : "failure";
    state.runs.push({ conclusion, path: workflowPath, ...ran });
  };
  const commit: Project["commit"] = async (branch, changed, by = "someone") => {
    const { after, parents } = await repository.commit(branch, changed);
    recordPush(state, branch, { after, by });
    list(after, branch, parents);
    return after;
  };
  const shared = {
    // Its name ends so: the artifact library takes any other address for an old GitHub Enterprise Server.
    GITHUB_SERVER_URL: server.url.replace("127.0.0.1", "github.localhost"),
    // As another job of the runner would have it: none of ours.
    GIT_CONFIG_NOSYSTEM: "1",
  };
  return {
    github,
    nextRun: () => nextRun,
    git: server,
    origin,
    commit,
    sha,
    workTree: repository.workTree,
    push: async (branch, more = {}) => {
      const { inputs = {}, env = {}, listed = {}, runId = nextRun++ } = more;
      const head = await sha(branch);
      const before = parentOf(state, head) ?? "0".repeat(40);
      await using workspace = await checkOut(origin.path, head);
      const end = await runAction({
        workspace: workspace.path,
        github,
        inputs,
        event: {
          name: "push",
          payload: { before, after: head, repository: repositoryOf(github) },
          env: {
            ...shared,
            GITHUB_RUN_ID: String(runId),
            GITHUB_SHA: head,
            GITHUB_REF: `refs/heads/${branch}`,
          },
        },
        env,
      });
      const ran = { id: runId, event: "push", head_branch: branch, head_sha: head };
      if (listed !== null) listRun(end, { ...ran, ...listed });
      return end;
    },
    pull: async (branch, more = {}) => {
      const { inputs = {}, env = {}, runId = nextRun++, event = "pull_request" } = more;
      const { fork = false, author = "someone", headOnly = false } = more;
      const { payload = {}, labels = [], listed } = more;
      const [head, tip] = [await sha(branch), await sha("main")];
      const sides = [await sha(mergedInto(more)), head] as const;
      const merge = knownMerge(state, sides) ?? (await repository.merge(...sides));
      list(merge, "refs/pull/7/merge", sides);
      await using workspace = await checkOut(origin.path, headOnly ? head : merge);
      const own = repositoryOf(github);
      const repo = fork ? { id: 2, full_name: "stranger/app" } : own;
      const known = { number: 7, state: "open" as const, base: { sha: tip, ref: "main" } };
      copyActivities(state, repo.full_name);
      state.pulls.splice(0, state.pulls.length, {
        ...known,
        head: { sha: head, ref: branch, repo },
      });
      // Awaited here, because the workspace is deleted when this function returns.
      const end = await runAction({
        workspace: workspace.path,
        github,
        inputs,
        event: {
          name: event,
          payload: {
            ...payload,
            number: 7,
            repository: own,
            pull_request: {
              number: 7,
              head: { sha: head, ref: branch, repo },
              base: { sha: tip, ref: "main", repo: own, ...basedOn(more) },
              user: { login: author },
              labels: labels.map((name) => ({ name })),
            },
          },
          env: {
            ...shared,
            GITHUB_RUN_ID: String(runId),
            GITHUB_SHA: merge,
            GITHUB_REF: "refs/pull/7/merge",
            GITHUB_ACTOR: author,
            GITHUB_WORKFLOW_REF: `owner/app/${workflowPath}@refs/pull/7/merge`,
          },
        },
        env,
      });
      const ran = { id: runId, event, head_branch: branch, head_sha: head };
      if (listed !== undefined) listRun(end, { ...ran, ...listed });
      return end;
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await origin.rm();
      await github[Symbol.asyncDispose]();
    },
  };
}

export interface Pushed extends Omit<Partial<Activity>, "by"> {
  readonly after: string;
  readonly by: string;
  /** Default: the base's. */
  readonly repository?: string;
}

/** Records a push like GitHub. */
export function recordPush({ activities }: State, branch: string, pushed: Pushed): void {
  const { by, repository = "owner/app", ...more } = pushed;
  const branches = activities.get(repository) ?? new Map<string, readonly Activity[]>();
  activities.set(repository, branches);
  const known = branches.get(branch) ?? [];
  const type = by.endsWith("[bot]") ? "Bot" : "User";
  const kind = known.length === 0 ? "branch_creation" : "push";
  const before = known[0]?.after ?? "0".repeat(40);
  branches.set(branch, [{ kind, before, ...more, by: { login: by, type } }, ...known]);
}

/** A fork's branches have been pushed to by the same people. */
function copyActivities({ activities }: State, name: string): void {
  activities.set(name, new Map(activities.get("owner/app")));
}

function basedOn({ baseSha }: Partial<PullOptions>): { readonly sha?: string } {
  return baseSha === undefined ? {} : { sha: baseSha };
}

function mergedInto({ into = "main" }: Partial<PullOptions>): string {
  return into;
}

function parentOf({ commits }: State, sha: string): string | undefined {
  return commits.find((one) => one.sha === sha)?.parents[0];
}

/** The same two sides are always the same commit. */
function knownMerge({ commits }: State, sides: readonly [string, string]): string | undefined {
  return commits.find(({ parents }) => parents.join(" ") === sides.join(" "))?.sha;
}

function repositoryOf({ rest: { state } }: GitHub): {
  id: number;
  full_name: string;
  default_branch: string;
  private: boolean;
  visibility: string;
} {
  const { owner, repo, id, defaultBranch, isPrivate } = state.repository;
  return {
    id,
    full_name: `${owner}/${repo}`,
    default_branch: defaultBranch,
    private: isPrivate,
    visibility: isPrivate ? "private" : "public",
  };
}
