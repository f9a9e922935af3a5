import { parseComment, type ParsedComment } from "../../model/comment.ts";
import type { ConfirmSections } from "./confirmed-sections.ts";
import type { Doing, GitHub } from "../api/github.ts";

/** A job's state while it reads the comments again and again. */
export interface Reader {
  /** The login of the token, once it is known. */
  identity: string | undefined;
  /** The comment that this job has created, as it wrote it last: GitHub's list may not show it yet. */
  created: OwnComment | undefined;
  readonly confirm: ConfirmSections;
}

const doing: Doing = {
  what: "reading the comment on the pull request",
  permission: "pull-requests: write",
};

export interface OwnComment {
  readonly id: number;
  readonly url: string;
  readonly parsed: ParsedComment;
}

/** The workflow's comments by the token's own identity, the oldest first; all pages. */
export async function readOwn(
  {
    github,
    pull,
    workflow,
  }: { readonly github: GitHub; readonly pull: number; readonly workflow: string },
  reader: Reader,
): Promise<readonly OwnComment[]> {
  const all = await github.paginate("GET /repos/{owner}/{repo}/issues/{issue_number}/comments", {
    ...github.repository,
    issue_number: pull,
    per_page: 100,
  });
  const marked = all.flatMap(({ id, body, html_url: url, user }) => {
    const parsed = parseComment(body ?? "");
    const isOurs = parsed !== undefined && parsed.workflow === workflow;
    return isOurs ? [{ id, url, parsed, user }] : [];
  });
  if (marked.length > 0) reader.identity ??= await readIdentity(github);
  const own = marked.filter(
    ({ user }) => user !== null && isLogin(user, reader.identity ?? actionsBot),
  );
  const { created } = reader;
  // A list that lags must not make a second comment of one that is there.
  const unlisted =
    created === undefined || own.some(({ id }) => id === created.id)
      ? []
      : [await readAgain(created, github)];
  const found = [...own, ...unlisted].toSorted((a, b) => a.id - b.id);
  return Promise.all(found.map((one) => confirmed(one, reader)));
}

async function confirmed(one: OwnComment, { confirm }: Reader): Promise<OwnComment> {
  return { ...one, parsed: { ...one.parsed, sections: await confirm(one.parsed.sections) } };
}

/** The current state of the comment that this job has created: another job may have written into it. */
async function readAgain(created: OwnComment, github: GitHub): Promise<OwnComment> {
  const read = await github.attempt(doing, () =>
    github.request("GET /repos/{owner}/{repo}/issues/comments/{comment_id}", {
      ...github.repository,
      comment_id: created.id,
    }),
  );
  const parsed = read.kind === "done" ? parseComment(read.value.data.body ?? "") : undefined;
  return parsed === undefined ? created : { ...created, parsed };
}

/** The identity behind GITHUB_TOKEN. Names with brackets can't be registered. */
const actionsBot = "github-actions[bot]";

/** REST has no answer for GITHUB_TOKEN (`GET /user` is forbidden to it); GraphQL has. */
async function readIdentity(github: GitHub): Promise<string> {
  const asked = await github.attempt({ what: "the token's identity", permission: "" }, () =>
    github.graphql<{ readonly viewer: { readonly login: string } }>("{ viewer { login } }"),
  );
  return asked.kind === "done" ? asked.value.viewer.login : actionsBot;
}

/** GraphQL leaves the `[bot]` of an app's name away in places. A person called like an app is of another type. */
function isLogin(
  { login, type }: { readonly login: string; readonly type: string },
  identity: string,
): boolean {
  return login === identity || (type === "Bot" && login === `${identity}[bot]`);
}
