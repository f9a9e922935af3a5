import { git } from "../change.ts";
import { recordPush, workflowPath, type Project } from "./project.ts";
import type { State } from "./state.ts";

export interface Labelled {
  readonly label: string;
  readonly minute: number;
  readonly by?: string;
  readonly type?: string;
  /** The pull request is a fork's. */
  readonly isFork?: boolean;
}

/** A label on a pull request, as its timeline has it. The user `ann`, who adds it by default, has write access. */
export function putLabel(state: State, number: number, one: Labelled): void {
  const { label, minute, by = "ann", type = "User" } = one;
  state.collaborators.set("ann", "write");
  state.timelines.set(number, [
    {
      event: "labeled",
      id: number,
      node_id: "x",
      url: "https://api.github.com/x",
      commit_id: null,
      commit_url: null,
      performed_via_github_app: null,
      label: { name: label, color: "ffffff" },
      actor: { login: by, id: 5, type },
      created_at: `2026-11-20T12:${minute}:00Z`,
    },
  ]);
}

/** A label on pull request 7, whose head's first run began in minute 10. */
export async function labelPull({ github, sha }: Project, one: Labelled): Promise<void> {
  const { state } = github.rest;
  putLabel(state, 7, one);
  state.runs.push({
    id: 90,
    event: "pull_request",
    status: "in_progress",
    conclusion: null,
    head_branch: "change",
    head_sha: await sha("change"),
    path: workflowPath,
    ...(one.isFork === true && { head_repository: { id: 2, full_name: "stranger/app" } }),
    created_at: "2026-11-20T12:10:00Z",
  });
}

export interface Merged {
  readonly from: string;
  readonly by: string;
  /** GitHub has made and signed the merge, as "Update branch" does. */
  readonly isGitHubs: boolean;
  /** Files that the merge adds to the two sides. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Merges a branch into `change`, as somebody's push. */
export async function mergeInto(project: Project, merged: Merged): Promise<void> {
  const { origin, github, sha } = project;
  const { state } = github.rest;
  const before = await sha("change");
  const second = await sha(merged.from);
  await project.workTree("change");
  git(origin.path, "merge", "--quiet", "--no-ff", "--no-commit", second);
  for (const [path, text] of Object.entries(merged.files ?? {})) {
    await origin.writeFile(path, text);
    git(origin.path, "add", path);
  }
  git(origin.path, "commit", "--quiet", "--message=merge");
  const after = await sha("change");
  recordPush(state, "change", { after, by: merged.by });
  state.commits.push({ sha: after, parents: [before, second], isGitHubs: merged.isGitHubs });
  state.branches.set("change", after);
  for (const commit of [before, second, after]) {
    const lines = git(origin.path, "ls-tree", "-r", commit).split("\n");
    // A blob's id identifies its text.
    const files = lines.map((line) => /^\S+ \S+ (\S+)\t(.*)$/.exec(line)?.slice(1) ?? []);
    state.trees.set(commit, Object.fromEntries(files.map(([id, path]) => [path ?? "", id ?? ""])));
  }
}
