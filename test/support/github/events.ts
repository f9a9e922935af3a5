import type { ActionEvent } from "./run-action.ts";
import type { State, User } from "./state.ts";

/** Commits of the little history that the events are about. */
export const shas = {
  base: "b".repeat(40),
  head: "a".repeat(40),
  merge: "c".repeat(40),
  group: "d".repeat(40),
} as const;

export const pullNumber = 7;

export interface EventOptions {
  readonly runId?: number;
  readonly attempt?: number;
  readonly headSha?: string;
  readonly labels?: readonly string[];
  readonly isPrivate?: boolean;
}

/** Author of the pull request: each has another token. */
export type Author = "same repository" | "fork" | "dependabot";

const dependabot: User = { login: "dependabot[bot]", id: 49_699_333, type: "Bot" };

/**
 * A pull request as GitHub sends it, with the stand-in's state: the pull request, its commits, the token's permissions.
 */
export function pullRequest(
  state: State,
  author: Author = "same repository",
  options: EventOptions = {},
): ActionEvent {
  const { headSha = shas.head, labels = [] } = options;
  const { owner, repo, id } = state.repository;
  const fork = { id: 99, full_name: "stranger/app" };
  const ours = { id, full_name: `${owner}/${repo}` };
  const user =
    author === "dependabot" ? dependabot : { login: "someone", id: 11, type: "User" as const };
  if (author !== "same repository") {
    const rights = state.token.permissions;
    for (const name of Object.keys(rights)) rights[name] = "read";
  }
  const head = { sha: headSha, ref: "feature", repo: author === "fork" ? fork : ours };
  const base = { sha: shas.base, ref: "main" };
  const known = state.pulls.findIndex(({ number }) => number === pullNumber);
  if (known >= 0) state.pulls.splice(known, 1);
  state.pulls.push({ number: pullNumber, head, base, state: "open", labels, user });
  state.branches.set("main", shas.base);
  addCommits(state, [
    { sha: shas.base, parents: [] },
    { sha: headSha, parents: [shas.base] },
    { sha: shas.merge, parents: [shas.base, headSha] },
  ]);
  const login =
    author === "dependabot" ? dependabot.login : author === "fork" ? "stranger" : "someone";
  return {
    name: "pull_request",
    payload: {
      action: "synchronize",
      number: pullNumber,
      pull_request: {
        number: pullNumber,
        draft: false,
        user,
        labels: labels.map((name) => ({ name })),
        head: { ...head, repo: head.repo },
        base: { ...base, repo: ours },
      },
      repository: repositoryOf(state, options),
    },
    env: {
      ...runEnv(options),
      GITHUB_ACTOR: login,
      GITHUB_SHA: shas.merge,
      GITHUB_REF: `refs/pull/${pullNumber}/merge`,
      GITHUB_WORKFLOW_REF: `owner/app/.github/workflows/evals.yml@refs/pull/${pullNumber}/merge`,
    },
  };
}

export function push(
  state: State,
  options: EventOptions & { readonly before?: string } = {},
): ActionEvent {
  const sha = options.headSha ?? shas.base;
  const before = options.before ?? "0".repeat(40);
  addCommits(state, [{ sha, parents: before.startsWith("00") ? [] : [before] }]);
  state.branches.set("main", sha);
  return {
    name: "push",
    payload: {
      before,
      after: sha,
      ref: "refs/heads/main",
      repository: repositoryOf(state, options),
    },
    env: { ...runEnv(options), GITHUB_SHA: sha, GITHUB_REF: "refs/heads/main" },
  };
}

export function mergeGroup(state: State, options: EventOptions = {}): ActionEvent {
  addCommits(state, [
    { sha: shas.base, parents: [] },
    { sha: shas.group, parents: [shas.base] },
  ]);
  state.branches.set("main", shas.base);
  const ref = `refs/heads/gh-readonly-queue/main/pr-${pullNumber}-${shas.base}`;
  return {
    name: "merge_group",
    payload: {
      action: "checks_requested",
      merge_group: {
        head_sha: shas.group,
        head_ref: ref,
        base_sha: shas.base,
        base_ref: "refs/heads/main",
      },
      repository: repositoryOf(state, options),
    },
    env: { ...runEnv(options), GITHUB_SHA: shas.group, GITHUB_REF: ref },
  };
}

/** `schedule` and `workflow_dispatch` run on the default branch's tip. */
export function onBranch(
  name: "schedule" | "workflow_dispatch",
  state: State,
  options: EventOptions = {},
): ActionEvent {
  addCommits(state, [{ sha: shas.base, parents: [] }]);
  state.branches.set("main", shas.base);
  return {
    name,
    payload: { repository: repositoryOf(state, options) },
    env: { ...runEnv(options), GITHUB_SHA: shas.base, GITHUB_REF: "refs/heads/main" },
  };
}

function runEnv({ runId = 77, attempt = 1 }: EventOptions): Record<string, string> {
  return { GITHUB_RUN_ID: String(runId), GITHUB_RUN_ATTEMPT: String(attempt) };
}

function repositoryOf({ repository }: State, { isPrivate = false }: EventOptions): object {
  const { owner, repo: name, id, defaultBranch } = repository;
  return {
    id,
    name,
    full_name: `${owner}/${name}`,
    default_branch: defaultBranch,
    private: isPrivate,
    visibility: isPrivate ? "private" : "public",
  };
}

function addCommits(state: State, commits: State["commits"]): void {
  for (const commit of commits)
    if (state.commits.every(({ sha }) => sha !== commit.sha)) state.commits.push(commit);
}
