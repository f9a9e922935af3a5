import { parseComment, type ParsedComment } from "../../model/comment.ts";
import type { ConfirmSections } from "./confirmed-sections.ts";
import type { Doing, GitHub } from "../api/github.ts";

/** State of a job that reads the comments repeatedly. */
export interface Reader {
  /** The login of the token, once it is known. */
  identity: string | undefined;
  /** The comment that this job created, as it last wrote it. GitHub's list may not show it yet. */
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

/** The workflow's comments by the token's own identity, the oldest first; reads all pages. */
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
  // If the list lags, a comment that exists must not be posted a second time.
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

/** The current state of the comment that this job created; another job may have written into it. */
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

/** The login behind GITHUB_TOKEN. Names with brackets can't be registered by people. */
const actionsBot = "github-actions[bot]";

/**
 * Asks for the token's login by GraphQL, because REST has no answer for GITHUB_TOKEN (`GET /user` is forbidden to it).
 */
async function readIdentity(github: GitHub): Promise<string> {
  const asked = await github.attempt({ what: "the token's identity", permission: "" }, () =>
    github.graphql<{ readonly viewer: { readonly login: string } }>("{ viewer { login } }"),
  );
  return asked.kind === "done" ? asked.value.viewer.login : actionsBot;
}

/**
 * True if an author is the login. GraphQL sometimes omits the `[bot]` of an app's name. A person with an app's name has
 * another type.
 */
function isLogin(
  { login, type }: { readonly login: string; readonly type: string },
  identity: string,
): boolean {
  return login === identity || (type === "Bot" && login === `${identity}[bot]`);
}
