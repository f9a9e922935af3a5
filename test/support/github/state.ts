/** GitHub's state of the stand-in's only repository. Tests fill it, and inspect it afterwards. */
export interface State {
  readonly repository: {
    readonly owner: string;
    readonly repo: string;
    readonly id: number;
    defaultBranch: string;
    isPrivate: boolean;
  };
  /** Owner and permissions of the token: `{ "pull-requests": "write" }`. */
  readonly token: { user: User; app: string | undefined; permissions: Record<string, Right> };
  readonly pulls: Pull[];
  readonly comments: Comment[];
  readonly checks: CheckRun[];
  /** Any order; `GET /commits?sha=` walks the parents. */
  readonly commits: Commit[];
  /** Commit of a branch or a tag, by name. */
  readonly branches: Map<string, string>;
  readonly runs: WorkflowRun[];
  /** Artifacts of finished runs. Uploads to the stand-in come in addition. */
  readonly archives: Archive[];
  /** By number of the issue or pull request; oldest first, like the API. */
  readonly timelines: Map<number, readonly object[]>;
  /** By repository, forks too, then by branch: the newest first, like the API. */
  readonly activities: Map<string, Map<string, readonly Activity[]>>;
  /** Permission by login. */
  readonly collaborators: Map<string, "admin" | "maintain" | "write" | "triage" | "read" | "none">;
  /** Files by commit or branch, then by path. */
  readonly trees: Map<string, Readonly<Record<string, string>>>;
  /** Files that archives have otherwise than the trees, or, null, not at all: by attributes of git. */
  archived: Readonly<Record<string, string | null>>;
  nextId: number;
  /** Number of comment lists in which a new comment is still missing. */
  commentLag: number;
}

export type Right = "read" | "write";

export interface User {
  readonly login: string;
  readonly id: number;
  readonly type: "User" | "Bot";
}

export interface Pull {
  readonly number: number;
  readonly head: { readonly sha: string; readonly ref: string; readonly repo: PullRepo | null };
  readonly base: { readonly sha: string; readonly ref: string };
  readonly state: "open" | "closed";
  readonly merge_commit_sha?: string | null;
  /** Number of its commits. Default: 1. */
  readonly commits?: number;
  readonly labels?: readonly string[];
  readonly user?: User;
}

export interface PullRepo {
  readonly id: number;
  readonly full_name: string;
  readonly default_branch?: string;
}

export interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly user: User;
  /** The slug of the app that the token is of. */
  readonly app: string | undefined;
  body: string;
  updates: number;
  /** So many lists don't show it yet. */
  hiddenFor?: number;
}

export interface CheckRun {
  readonly id: number;
  name: string;
  readonly head_sha: string;
  status: string;
  conclusion: string | null;
  details_url: string | null;
  external_id: string | null;
  output: { title: string | null; summary: string | null; text: string | null };
  readonly annotations: object[];
}

export interface Commit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly date?: string;
  /** GitHub has made and signed it. */
  readonly isGitHubs?: boolean;
}

/** A movement of a branch. */
export interface Activity {
  readonly kind:
    | "push"
    | "force_push"
    | "branch_creation"
    | "branch_deletion"
    | "pr_merge"
    | "merge_queue_merge";
  readonly before: string;
  readonly after: string;
  /** undefined: the account was deleted. */
  readonly by: Pick<User, "login" | "type"> | undefined;
}

export interface WorkflowRun {
  readonly id: number;
  readonly attempt?: number;
  readonly event: string;
  readonly status?: string;
  readonly conclusion: string | null;
  readonly head_branch: string;
  readonly head_sha: string;
  /** `.github/workflows/evals.yml` */
  readonly path: string;
  readonly head_repository?: PullRepo & { readonly owner?: string };
  readonly created_at?: string;
}

export interface Archive {
  readonly id: number;
  readonly name: string;
  readonly run: number;
  readonly zip: Buffer;
  readonly expired?: boolean;
  /** Another one than the content's: a forged or broken one. */
  readonly digest?: string;
  /** Another one than the content's. */
  readonly size?: number;
  readonly created_at?: string;
}

/** github-actions[bot], as GITHUB_TOKEN is. */
export const actionsBot: User = { login: "github-actions[bot]", id: 41_898_282, type: "Bot" };

/** Copies one state into another, which is empty. */
export function copyState(from: State, to: State): void {
  to.pulls.push(...from.pulls);
  to.comments.push(...from.comments.map((comment) => ({ ...comment })));
  to.checks.push(...from.checks.map((check) => ({ ...check })));
  to.commits.push(...from.commits);
  to.runs.push(...from.runs);
  to.archives.push(...from.archives);
  for (const [name, sha] of from.branches) to.branches.set(name, sha);
  for (const [number, events] of from.timelines) to.timelines.set(number, events);
  for (const [name, branches] of from.activities) to.activities.set(name, new Map(branches));
  for (const [login, right] of from.collaborators) to.collaborators.set(login, right);
  for (const [ref, files] of from.trees) to.trees.set(ref, files);
  to.nextId = from.nextId;
}

/** The repository `owner/app`, empty, with a token that has the README's permissions. */
export function createState(): State {
  return {
    repository: { owner: "owner", repo: "app", id: 1, defaultBranch: "main", isPrivate: false },
    token: {
      user: actionsBot,
      app: "github-actions",
      permissions: {
        contents: "read",
        actions: "read",
        checks: "write",
        "pull-requests": "write",
        metadata: "read",
      },
    },
    pulls: [],
    comments: [],
    checks: [],
    commits: [],
    branches: new Map(),
    runs: [],
    archives: [],
    timelines: new Map(),
    activities: new Map(),
    collaborators: new Map(),
    trees: new Map(),
    archived: {},
    nextId: 5000,
    commentLag: 0,
  };
}
