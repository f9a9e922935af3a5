import { execFileSync } from "node:child_process";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { contextOfJudged } from "../../src/github/steps/judged-commit.ts";
import { readContext } from "../../src/github/runner/context.ts";
import { readInputs } from "../../src/github/runner/inputs.ts";
import { createLog } from "../../src/github/runner/log.ts";
import { openSecrets } from "../../src/wiring.ts";

/** Commits of a checkout: the base's, the head's, and their merge as GitHub makes it. */
function history(folder: string) {
  const git = (...args: readonly string[]): string => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    return execFileSync("git", [...who, ...args], { cwd: folder })
      .toString()
      .trim();
  };
  git("init", "--quiet", "--initial-branch=main");
  git("commit", "--quiet", "--allow-empty", "--message=base");
  const base = git("rev-parse", "HEAD");
  const child = (name: string, ...parents: readonly string[]): string =>
    git("commit-tree", "HEAD^{tree}", ...parents.flatMap((each) => ["-p", each]), "-m", name);
  const head = child("head", base);
  return { git, base, head, merge: child("merge", base, head) };
}

type Sha = "base" | "head" | "merge" | "other";

interface Row {
  readonly event: "pull_request" | "pull_request_target";
  /** The commit that is checked out. */
  readonly at: Sha;
  /** The head by the event's payload. Default: the pull request's. */
  readonly head?: Sha;
  readonly code?: string;
}

it.each<Row>([
  { event: "pull_request", at: "merge" },
  { event: "pull_request", at: "head" },
  { event: "pull_request", at: "merge", head: "other", code: "event_of_other_commit" },
  { event: "pull_request", at: "base", code: "change_not_checked_out" },
  { event: "pull_request_target", at: "head" },
  { event: "pull_request_target", at: "merge" },
  { event: "pull_request_target", at: "base", code: "change_not_checked_out" },
])("$event in a checkout of its $at: $code", async ({ event, at, head = "head", code }) => {
  await using folder = await createFixture({});
  const { git, ...known } = history(folder.path);
  const commits = { ...known, other: "f".repeat(40) };
  git("checkout", "--quiet", "--detach", commits[at]);
  const env = {
    GITHUB_WORKSPACE: folder.path,
    GITHUB_REPOSITORY: "owner/app",
    GITHUB_EVENT_NAME: event,
    GITHUB_SHA: event === "pull_request" ? commits.merge : commits.base,
  };
  const pull_request = {
    number: 7,
    head: { sha: commits[head], ref: "change", repo: { id: 1 } },
    base: { sha: commits.base, ref: "main", repo: { id: 1 } },
  };
  const context = readContext(env, { repository: { id: 1 }, pull_request });
  const read = readInputs({});
  if (read.kind === "problems") throw new Error("the defaults are refused");
  const access = { github: undefined, tellFailure: () => undefined, calls: () => 0 };
  const log = createLog({ escape: (text) => text, workspace: folder.path });
  const { signal } = new AbortController();
  const step = { context, env, log, secrets: openSecrets(env), signal };
  const judged = contextOfJudged({ settings: read.settings, access }, step);
  if (code === undefined) expect((await judged).pull?.number).toBe(7);
  else await expect(judged).rejects.toMatchObject({ problems: [{ code }] });
});
