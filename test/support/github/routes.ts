import { createHash } from "node:crypto";
import type { Services } from "./server.ts";
import type {
  Archive,
  CheckRun,
  Comment,
  Commit,
  Pull,
  Right,
  State,
  User,
  WorkflowRun,
} from "./state.ts";
import { makeZip } from "./zip.ts";

/** Content of one request. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly state: State;
  readonly services: Services;
}

/** Any one of these is enough; none: the repository's metadata, which every token reads. */
export type Permission = readonly (readonly [name: string, right: Right])[];

export interface Answered {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly needs: Permission;
  readonly answer: (call: Call) => Answered;
}

const readsCode: Permission = [["contents", "read"]];
const readsRuns: Permission = [["actions", "read"]];
const readsPulls: Permission = [["pull-requests", "read"]];
const readsComments: Permission = [
  ["pull-requests", "read"],
  ["issues", "read"],
];
const writesComments: Permission = [
  ["pull-requests", "write"],
  ["issues", "write"],
];
const repo = "/repos/{owner}/{repo}";

/** Every route that the stand-in serves; scripts/slice-openapi.ts cuts their description. */
export const routes: Readonly<Record<string, Route>> = {
  [`GET ${repo}`]: { needs: [], answer: ({ state }) => ok(describeRepository(state)) },
  "GET /user": { needs: [], answer: getUser },
  [`GET ${repo}/issues/{issue_number}/comments`]: { needs: readsComments, answer: listComments },
  [`POST ${repo}/issues/{issue_number}/comments`]: { needs: writesComments, answer: addComment },
  [`GET ${repo}/issues/comments/{comment_id}`]: { needs: readsComments, answer: getComment },
  [`PATCH ${repo}/issues/comments/{comment_id}`]: { needs: writesComments, answer: changeComment },
  [`DELETE ${repo}/issues/comments/{comment_id}`]: { needs: writesComments, answer: deleteComment },
  [`POST ${repo}/check-runs`]: { needs: [["checks", "write"]], answer: addCheck },
  [`PATCH ${repo}/check-runs/{check_run_id}`]: {
    needs: [["checks", "write"]],
    answer: changeCheck,
  },
  [`GET ${repo}/commits/{ref}/check-runs`]: { needs: [["checks", "read"]], answer: listChecks },
  [`GET ${repo}/pulls`]: { needs: readsPulls, answer: listPulls },
  [`GET ${repo}/pulls/{pull_number}`]: { needs: readsPulls, answer: getPull },
  [`GET ${repo}/commits/{commit_sha}/pulls`]: { needs: readsPulls, answer: listPullsOf },
  [`GET ${repo}/issues/{issue_number}/timeline`]: { needs: readsComments, answer: getTimeline },
  [`GET ${repo}/issues/{issue_number}/labels`]: { needs: readsComments, answer: getLabels },
  [`GET ${repo}/collaborators/{username}/permission`]: { needs: [], answer: getPermission },
  [`GET ${repo}/activity`]: { needs: readsCode, answer: listActivities },
  [`GET ${repo}/commits`]: { needs: readsCode, answer: listCommits },
  [`GET ${repo}/commits/{ref}`]: { needs: readsCode, answer: getCommit },
  [`GET ${repo}/compare/{basehead}`]: { needs: readsCode, answer: compare },
  [`GET ${repo}/git/trees/{tree_sha}`]: { needs: readsCode, answer: getTree },
  [`GET ${repo}/git/blobs/{file_sha}`]: { needs: readsCode, answer: getBlob },
  [`GET ${repo}/contents/{path}`]: { needs: readsCode, answer: getContents },
  [`GET ${repo}/zipball/{ref}`]: { needs: readsCode, answer: getZipball },
  [`GET ${repo}/actions/runs/{run_id}`]: { needs: readsRuns, answer: getRun },
  [`GET ${repo}/actions/runs`]: { needs: readsRuns, answer: listRuns },
  [`GET ${repo}/actions/workflows/{workflow_id}/runs`]: { needs: readsRuns, answer: listRuns },
  [`GET ${repo}/actions/runs/{run_id}/artifacts`]: { needs: readsRuns, answer: listArtifacts },
  [`GET ${repo}/actions/artifacts`]: { needs: readsRuns, answer: listArtifacts },
  [`GET ${repo}/actions/artifacts/{artifact_id}`]: { needs: readsRuns, answer: getArtifact },
  [`GET ${repo}/actions/artifacts/{artifact_id}/{archive_format}`]: {
    needs: readsRuns,
    answer: getArchive,
  },
};

export function ok(body: unknown): Answered {
  return { status: 200, body };
}

const notFound: Answered = { status: 404, body: { message: "Not Found" } };

function unprocessable(message: string): Answered {
  return { status: 422, body: { message: "Validation Failed", errors: [{ message }] } };
}

function describeUser({ login, id, type }: User): object {
  return { login, id, type, site_admin: false };
}

function describeRepository({ repository }: State): object {
  const { owner, repo: name, id, defaultBranch, isPrivate } = repository;
  return {
    id,
    name,
    full_name: `${owner}/${name}`,
    default_branch: defaultBranch,
    private: isPrivate,
    visibility: isPrivate ? "private" : "public",
  };
}

/** GITHUB_TOKEN is of no user. */
function getUser({ state }: Call): Answered {
  const { user, app } = state.token;
  if (app !== undefined) {
    return { status: 403, body: { message: "Resource not accessible by integration" } };
  }
  return ok(describeUser(user));
}

// Comments

function listComments({ params, state }: Call): Answered {
  const number = Number(params["issue_number"]);
  const shown = state.comments.filter(({ hiddenFor = 0 }) => hiddenFor === 0);
  for (const comment of state.comments)
    comment.hiddenFor = Math.max(0, (comment.hiddenFor ?? 0) - 1);
  return ok(
    shown
      .filter(({ issue }) => issue === number)
      .toSorted((a, b) => a.id - b.id)
      .map((comment) => describeComment(comment, state)),
  );
}

/** The documented limit, in characters. */
const longestComment = 65_536;

function addComment({ params, body, state }: Call): Answered {
  const { body: text } = body as { body: string };
  if (text.length > longestComment)
    return unprocessable("body is too long (maximum is 65536 characters)");
  const issue = Number(params["issue_number"]);
  if (!state.pulls.some((pull) => pull.number === issue)) return notFound;
  const { user, app } = state.token;
  const id = (state.nextId += 1);
  const hiddenFor = state.commentLag;
  const comment: Comment = { id, issue, user, app, body: text, updates: 0, hiddenFor };
  state.comments.push(comment);
  return { status: 201, body: describeComment(comment, state) };
}

function getComment({ params, state }: Call): Answered {
  const comment = state.comments.find(({ id }) => id === Number(params["comment_id"]));
  return comment === undefined ? notFound : ok(describeComment(comment, state));
}

function changeComment({ params, body, state }: Call): Answered {
  const comment = state.comments.find(({ id }) => id === Number(params["comment_id"]));
  const { body: text } = body as { body: string };
  if (comment === undefined) return notFound;
  if (text.length > longestComment)
    return unprocessable("body is too long (maximum is 65536 characters)");
  comment.body = text;
  comment.updates += 1;
  return ok(describeComment(comment, state));
}

function deleteComment({ params, state }: Call): Answered {
  const index = state.comments.findIndex(({ id }) => id === Number(params["comment_id"]));
  if (index < 0) return notFound;
  state.comments.splice(index, 1);
  return { status: 204 };
}

function describeComment({ id, issue, user, app, body }: Comment, { repository }: State): object {
  const page = `https://github.com/${repository.owner}/${repository.repo}/pull/${issue}`;
  return {
    id,
    body,
    user: describeUser(user),
    html_url: `${page}#issuecomment-${id}`,
    performed_via_github_app:
      app === undefined ? null : { slug: app, owner: describeUser(user), permissions: {} },
  };
}

// Check runs

interface CheckBody {
  readonly name?: string;
  readonly head_sha?: string;
  readonly status?: string;
  readonly conclusion?: string;
  readonly details_url?: string;
  readonly external_id?: string;
  readonly output?: {
    readonly title?: string;
    readonly summary?: string;
    readonly text?: string;
    readonly annotations?: readonly object[];
  };
}

function addCheck({ body, state }: Call): Answered {
  const asked = body as CheckBody;
  const check: CheckRun = {
    id: (state.nextId += 1),
    name: asked.name ?? "",
    head_sha: asked.head_sha ?? "",
    status: "queued",
    conclusion: null,
    details_url: asked.details_url ?? null,
    external_id: asked.external_id ?? null,
    output: { title: null, summary: null, text: null },
    annotations: [],
  };
  const wrong = change(check, asked);
  if (wrong !== undefined) return unprocessable(wrong);
  state.checks.push(check);
  return { status: 201, body: describeCheck(check, state) };
}

function changeCheck({ params, body, state }: Call): Answered {
  const check = state.checks.find(({ id }) => id === Number(params["check_run_id"]));
  if (check === undefined) return notFound;
  const wrong = change(check, body as CheckBody);
  return wrong === undefined ? ok(describeCheck(check, state)) : unprocessable(wrong);
}

/** Rules of GitHub's prose: a conclusion completes the run, a completed one needs one, lines are in order. */
function change(check: CheckRun, body: CheckBody): string | undefined {
  const { status, conclusion, output = {}, details_url } = body;
  if (status === "completed" && conclusion === undefined) return "conclusion is missing";
  const added = output.annotations ?? [];
  const wrong = added.map(wrongIn).find((found) => found !== undefined);
  if (wrong !== undefined) return wrong;
  check.status = conclusion === undefined ? (status ?? check.status) : "completed";
  check.conclusion = conclusion ?? check.conclusion;
  check.details_url = details_url ?? check.details_url;
  check.annotations.push(...added);
  const { title = check.output.title, summary = check.output.summary } = output;
  check.output = { title, summary, text: output.text ?? check.output.text };
  return undefined;
}

function wrongIn(annotation: object): string | undefined {
  const { start_line, end_line, message, title, start_column } = annotation as Record<
    string,
    unknown
  >;
  if (Number(end_line) < Number(start_line)) return "end_line comes before start_line";
  if (String(message).length > 65_536) return "message is too long";
  if (typeof title === "string" && title.length > 255) return "title is too long";
  if (start_column !== undefined && start_line !== end_line) return "columns of several lines";
  return undefined;
}

function listChecks({ params, query, state }: Call): Answered {
  const found = state.checks.filter(
    (check) =>
      check.head_sha === params["ref"] && check.name === (query.get("check_name") ?? check.name),
  );
  return ok({
    total_count: found.length,
    check_runs: found.map((check) => describeCheck(check, state)),
  });
}

function describeCheck(check: CheckRun, { repository, token }: State): object {
  const { id, name, head_sha, status, conclusion, details_url, external_id, annotations } = check;
  const page = `https://github.com/${repository.owner}/${repository.repo}/runs/${id}`;
  return {
    id,
    name,
    head_sha,
    status,
    conclusion,
    details_url,
    external_id,
    html_url: page,
    // Owner of the token.
    app: token.app === undefined ? null : { slug: token.app, permissions: {} },
    output: { ...check.output, annotations_count: annotations.length },
  };
}

// Pull requests

function listPulls({ query, state }: Call): Answered {
  const wanted = query.get("state") ?? "open";
  const head = query.get("head");
  const base = query.get("base");
  const found = state.pulls.filter(
    (pull) =>
      (wanted === "all" || pull.state === wanted) &&
      (base === null || pull.base.ref === base) &&
      (head === null || labelOf(pull) === head),
  );
  return ok(found.map((pull) => describePull(pull, state)));
}

function getPull({ params, state }: Call): Answered {
  const pull = state.pulls.find(({ number }) => number === Number(params["pull_number"]));
  if (pull === undefined) return notFound;
  return ok({ ...describePull(pull, state), commits: pull.commits ?? 1 });
}

/** Only of commits that are in this repository: of a fork's it is empty. */
function listPullsOf({ params, state }: Call): Answered {
  const found = state.pulls.filter(
    ({ head }) => head.sha === params["commit_sha"] && head.repo?.id === state.repository.id,
  );
  return ok(found.map((pull) => describePull(pull, state)));
}

function labelOf({ head }: Pull): string {
  return `${head.repo?.full_name.split("/")[0] ?? "unknown"}:${head.ref}`;
}

export function describePull(pull: Pull, state: State): object {
  const { number, head, base, labels = [], user } = pull;
  const ours = describeRepository(state);
  const { owner } = state.repository;
  return {
    number,
    id: 9000 + number,
    state: pull.state,
    merge_commit_sha: pull.merge_commit_sha ?? null,
    labels: labels.map((name) => ({ id: 1, name, color: "ffffff", default: false })),
    user: describeUser(user ?? { login: "someone", id: 11, type: "User" }),
    head: {
      sha: head.sha,
      ref: head.ref,
      label: labelOf(pull),
      repo: head.repo && { ...head.repo, name: head.repo.full_name.split("/")[1] },
    },
    base: { sha: base.sha, ref: base.ref, label: `${owner}:${base.ref}`, repo: ours },
  };
}

function getTimeline({ params, state }: Call): Answered {
  return ok(state.timelines.get(Number(params["issue_number"])) ?? []);
}

function getLabels({ params, state }: Call): Answered {
  const pull = state.pulls.find(({ number }) => number === Number(params["issue_number"]));
  if (pull === undefined) return notFound;
  return ok((pull.labels ?? []).map((name) => ({ name, default: false })));
}

/** Its pages are found by a cursor, and not by their number. */
function listActivities({ params, query, state }: Call): Answered {
  const name = `${params["owner"]}/${params["repo"]}`;
  const ref = query.get("ref") ?? "";
  const all = state.activities.get(name)?.get(ref.replace(/^refs\/heads\//, "")) ?? [];
  const [from, size] = [Number(query.get("after") ?? 0), Number(query.get("per_page") ?? 30)];
  const page = all.slice(from, from + size).map(({ kind, before, after, by }, i) => ({
    id: from + i + 1,
    node_id: "x",
    before,
    after,
    ref,
    timestamp: "2026-11-20T12:00:00Z",
    activity_type: kind,
    actor: by === undefined ? null : describeUser({ ...by, id: 11 }),
  }));
  const next = `<https://api.github.com/x?after=${from + size}>; rel="next"`;
  return { ...ok(page), headers: from + size < all.length ? { link: next } : {} };
}

function getPermission({ params, state }: Call): Answered {
  const login = params["username"] ?? "";
  const role = state.collaborators.get(login) ?? "read";
  const permission = role === "maintain" ? "write" : role === "triage" ? "read" : role;
  return ok({ permission, role_name: role, user: { login, id: 11, type: "User" } });
}

// Commits

function findCommit(state: State, ref: string | undefined): Commit | undefined {
  const sha = resolveRef(state, ref);
  return state.commits.find((commit) => commit.sha === sha);
}

function resolveRef(state: State, ref: string | undefined): string | undefined {
  const name = (ref ?? state.repository.defaultBranch).replace(/^refs\/heads\/|^heads\//, "");
  return state.branches.get(name) ?? ref;
}

/** As `git log`: first the newest; over all parents, each once. */
function history(state: State, ref: string | undefined): readonly Commit[] {
  const seen = new Map<string, Commit>();
  const open = [resolveRef(state, ref)];
  for (const sha of open) {
    const commit = state.commits.find((one) => one.sha === sha);
    if (commit === undefined || seen.has(commit.sha)) continue;
    seen.set(commit.sha, commit);
    open.push(...commit.parents);
  }
  return [...seen.values()];
}

function listCommits({ query, state }: Call): Answered {
  const found = history(state, query.get("sha") ?? undefined);
  return found.length === 0 ? notFound : ok(found.map(describeCommit));
}

function getCommit({ params, state }: Call): Answered {
  const commit = findCommit(state, params["ref"]);
  if (commit === undefined) return unprocessable(`No commit found for SHA: ${params["ref"]}`);
  return ok(describeCommit(commit));
}

function describeCommit({ sha, parents, date, isGitHubs = false }: Commit): object {
  const on = date ?? "2026-11-20T12:00:00Z";
  const person = { name: "Someone", email: "someone@example.org", date: on };
  const verification = {
    verified: isGitHubs,
    reason: isGitHubs ? "valid" : "unsigned",
    payload: null,
    signature: null,
    verified_at: null,
  };
  const commit = { message: "a change", author: person, committer: person, tree: { sha } };
  return {
    sha,
    commit: { ...commit, verification },
    ...(isGitHubs && { committer: describeUser({ login: "web-flow", id: 19, type: "User" }) }),
    parents: parents.map((parent) => ({ sha: parent })),
  };
}

function compare({ params, state }: Call): Answered {
  const [base = "", head = ""] = (params["basehead"] ?? "").split("...");
  const [mine, theirs] = [history(state, base), history(state, head)];
  const shared = theirs.find(({ sha }) => mine.some((one) => one.sha === sha));
  if (shared === undefined) return notFound;
  const ahead = theirs.filter(({ sha }) => mine.every((one) => one.sha !== sha));
  const behind = mine.filter(({ sha }) => theirs.every((one) => one.sha !== sha));
  const status =
    ahead.length === 0 && behind.length === 0
      ? "identical"
      : ahead.length === 0
        ? "behind"
        : behind.length === 0
          ? "ahead"
          : "diverged";
  return ok({
    status,
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    base_commit: describeCommit(mine[0] ?? shared),
    merge_base_commit: describeCommit(shared),
    commits: ahead.map(describeCommit),
    files: [],
  });
}

/** As git names a blob. */
function blobId(text: string): string {
  const bytes = Buffer.from(text);
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** A file of a tree that begins so is a link. */
export const linkMark = "link: ";
/** One that begins so may be executed. */
export const programMark = "program: ";
/** Marks an entry that is a submodule. */
export const submoduleMark = "submodule: ";

/** git's entry of a file in a tree. */
function entryOf(marked: string): { mode: string; type: string; text: string } {
  const marks = { [linkMark]: "120000", [programMark]: "100755", [submoduleMark]: "160000" };
  const [mark, mode] = Object.entries(marks).find(([each]) => marked.startsWith(each)) ?? [];
  const type = mark === submoduleMark ? "commit" : "blob";
  return { mode: mode ?? "100644", type, text: marked.slice(mark?.length ?? 0) };
}

function getTree({ params, state }: Call): Answered {
  const files = treeOf(state, params["tree_sha"]);
  if (files === undefined) return notFound;
  const tree = Object.entries(files).map(([path, marked]) => {
    const { mode, type, text } = entryOf(marked);
    const size = type === "blob" ? Buffer.byteLength(text) : undefined;
    return { path, mode, type, sha: blobId(text), size };
  });
  return ok({ sha: params["tree_sha"], tree, truncated: false });
}

function getBlob({ params, state }: Call): Answered {
  const sha = params["file_sha"] ?? "";
  const all = [...state.trees.values()].flatMap((files) => Object.values(files));
  const text = all.map((marked) => entryOf(marked).text).find((each) => blobId(each) === sha);
  if (text === undefined) return notFound;
  const content = Buffer.from(text).toString("base64");
  return ok({ sha, content, encoding: "base64", size: Buffer.byteLength(text), node_id: "x" });
}

function getContents({ params, query, state }: Call): Answered {
  const files = treeOf(state, query.get("ref") ?? state.repository.defaultBranch) ?? {};
  const path = params["path"] ?? "";
  const text = files[path];
  if (text === undefined) return notFound;
  return ok({
    type: "file",
    encoding: "base64",
    path,
    name: path.split("/").at(-1),
    size: text.length,
    content: Buffer.from(text).toString("base64"),
    sha: "0".repeat(40),
    url: "https://api.github.com/contents",
    git_url: null,
    html_url: null,
    download_url: null,
    _links: { self: "https://api.github.com/contents", git: null, html: null },
  });
}

function treeOf(
  state: State,
  ref: string | undefined,
): Readonly<Record<string, string>> | undefined {
  return state.trees.get(ref ?? "") ?? state.trees.get(resolveRef(state, ref) ?? "");
}

// Workflow runs and their artifacts

function getRun({ params, state }: Call): Answered {
  const run = state.runs.find(({ id }) => id === Number(params["run_id"]));
  return run === undefined ? notFound : ok(describeRun(run, state));
}

function listRuns({ params, query, state }: Call): Answered {
  const file = params["workflow_id"];
  const is = (name: string, value: string | null): boolean =>
    query.get(name) === null || query.get(name) === value;
  const found = state.runs
    .filter(
      (run) =>
        (file === undefined || run.path === `.github/workflows/${file}`) &&
        is("branch", run.head_branch) &&
        is("event", run.event) &&
        is("head_sha", run.head_sha) &&
        (is("status", run.conclusion) || is("status", run.status ?? "completed")),
    )
    .toSorted((a, b) => b.id - a.id);
  return ok({
    total_count: found.length,
    workflow_runs: found.map((run) => describeRun(run, state)),
  });
}

function describeRun(run: WorkflowRun, state: State): object {
  const { owner, repo: name, id } = state.repository;
  const head = run.head_repository ?? { id, full_name: `${owner}/${name}` };
  return {
    id: run.id,
    run_attempt: run.attempt ?? 1,
    run_number: run.id,
    event: run.event,
    status: run.status ?? "completed",
    conclusion: run.conclusion,
    head_branch: run.head_branch,
    head_sha: run.head_sha,
    path: run.path,
    workflow_id: 1,
    created_at: run.created_at ?? "2026-11-20T12:00:00Z",
    updated_at: run.created_at ?? "2026-11-20T12:00:00Z",
    run_started_at: run.created_at ?? "2026-11-20T12:00:00Z",
    pull_requests: [],
    repository: describeRepository(state),
    head_repository: {
      id: head.id,
      full_name: head.full_name,
      name: head.full_name.split("/")[1],
      owner: { login: head.full_name.split("/")[0], id: 12, type: "User" },
    },
  };
}

function archivesOf({ state, services }: Call): readonly Archive[] {
  const uploaded = services.artifacts.all.flatMap(({ id, name, run, content, createdAt }) =>
    content === undefined
      ? []
      : [{ id, name, run: Number(/\d+$/.exec(run)?.[0]), zip: content, created_at: createdAt }],
  );
  return [...state.archives, ...uploaded];
}

function listArtifacts(call: Call): Answered {
  const { params, query, state } = call;
  const found = archivesOf(call)
    .filter(({ run }) => params["run_id"] === undefined || run === Number(params["run_id"]))
    .filter(({ name }) => name === (query.get("name") ?? name))
    .toSorted((a, b) => (query.get("direction") === "asc" ? a.id - b.id : b.id - a.id));
  return ok({
    total_count: found.length,
    artifacts: found.map((one) => describeArchive(one, state)),
  });
}

function getArtifact(call: Call): Answered {
  const found = archivesOf(call).find(({ id }) => id === Number(call.params["artifact_id"]));
  return found === undefined ? notFound : ok(describeArchive(found, call.state));
}

function describeArchive(archive: Archive, state: State): object {
  const { id, name, zip, expired = false } = archive;
  const run = state.runs.find((one) => one.id === archive.run);
  return {
    id,
    name,
    expired,
    size_in_bytes: archive.size ?? zip.length,
    digest: archive.digest ?? `sha256:${createHash("sha256").update(zip).digest("hex")}`,
    created_at: archive.created_at ?? "2026-11-20T12:00:00Z",
    expires_at: "2027-02-20T12:00:00Z",
    workflow_run: {
      id: archive.run,
      repository_id: state.repository.id,
      head_repository_id: run?.head_repository?.id ?? state.repository.id,
      head_branch: run?.head_branch ?? "main",
      head_sha: run?.head_sha ?? "0".repeat(40),
    },
  };
}

/** As GitHub packs it: all in one folder that is named after repository and commit. */
function getZipball({ params, state, services }: Call): Answered {
  const tree = state.trees.get(params["ref"] ?? "");
  if (tree === undefined) return notFound;
  const { owner, repo: name } = state.repository;
  const folder = `${owner}-${name}-${(params["ref"] ?? "").slice(0, 7)}`;
  const entries = Object.entries({ ...tree, ...state.archived }).flatMap(([path, content]) =>
    content === null || content.startsWith(linkMark)
      ? []
      : [{ name: `${folder}/${path}`, content: entryOf(content).text }],
  );
  return { status: 302, headers: { location: services.blobs.lend(0, makeZip(entries)) } };
}

/** The address lives for a minute, and needs no token. */
function getArchive(call: Call): Answered {
  const found = archivesOf(call).find(({ id }) => id === Number(call.params["artifact_id"]));
  if (found === undefined) return notFound;
  if (found.expired === true) return { status: 410, body: { message: "Artifact has expired" } };
  return { status: 302, headers: { location: call.services.blobs.lend(found.id, found.zip) } };
}
