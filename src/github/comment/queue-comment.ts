import type { CallResult, GitHub } from "../api/github.ts";

const doing = {
  what: "the comment on the pull request that the merge queue ran",
  permission: "pull-requests: write",
};

/**
 * Posts a comment without a retry: after a server's error the comment may exist, and a second would be one too many.
 */
export function postComment(
  github: GitHub,
  pull: number,
  body: string,
): Promise<CallResult<string>> {
  return github.attempt(doing, async () => {
    const route = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments";
    const { data } = await github.request(route, {
      ...github.repository,
      issue_number: pull,
      body,
      request: { retries: 0 },
    });
    return data.html_url;
  });
}
