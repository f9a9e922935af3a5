import { formatComment } from "../../../src/model/comment.ts";
import { pullNumber } from "./events.ts";
import { actionsBot, type State } from "./state.ts";

export const workflow = ".github/workflows/evals.yml";

/** Calls of a step that tell a pull request how its suites ended. */
export const writeRoutes = {
  beginCheck: "POST /repos/{owner}/{repo}/check-runs",
  completeCheck: "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}",
  listComments: "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
  addComment: "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
  changeComment: "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}",
  identity: "POST /graphql",
} as const;

export type WriteName = keyof typeof writeRoutes;
export const writeNames: readonly WriteName[] = [
  "beginCheck",
  "completeCheck",
  "listComments",
  "addComment",
  "changeComment",
  "identity",
];

/**
 * Prepares the state so that a step makes this call: some need a comment of an earlier run, one needs that no check
 * showed the token's identity.
 */
export function prepareFor(name: WriteName, state: State): { readonly "check-run": string } {
  if (name === "changeComment" || name === "identity") addExistingComment(state);
  return { "check-run": name === "identity" ? "false" : "auto" };
}

/** The workflow's comment, as an earlier run left it. */
function addExistingComment(state: State): void {
  const sections = [
    { suite: "old", runId: "9", attempt: 1, sha: "f", verdict: "fail", body: "old" },
  ] as const;
  const body = formatComment({ workflow, sections }, 60_000);
  state.comments.push({
    id: 1,
    issue: pullNumber,
    user: actionsBot,
    app: undefined,
    body,
    updates: 0,
  });
}
