import { setTimeout as sleep } from "node:timers/promises";
import type { Circumstances } from "../../model/circumstances.ts";
import type { CommentSection } from "../../model/comment.ts";
import type { Verdict } from "../../model/outcomes/verdict.ts";
import { githubPace } from "../api/pace.ts";
import { upsertComment, type Telling } from "../comment/comment.ts";
import type { CommentMode } from "../runner/comment-mode.ts";
import { workspaceRoot } from "../runner/workspace.ts";
import { renderCheck } from "../../report/check.ts";
import { commentSection, verdictOfView } from "../../report/comment.ts";
import type { Checks } from "./checks.ts";
import { circumstancesOf, type Known } from "./circumstances.ts";
import { checkConclusion, isWorthTelling, suiteOf, viewOf, type StepEnd } from "./ends.ts";
import type { GitHubAccess, Step } from "./step.ts";

/** The end of a suite, and the artifact that it left. */
interface Published extends Pick<Known, "artifactId" | "pageId" | "isUploading"> {
  readonly end: StepEnd;
}

interface PublishOptions {
  readonly comment: CommentMode;
  readonly failOn: readonly Verdict[];
  readonly checks: Checks;
  readonly access: GitHubAccess;
  /** The pull request to comment on; undefined: there is none. */
  readonly pull: number | undefined;
}

/**
 * Publishes on the pull request: first the comment, then the checks. Failures are reported and do not change the
 * verdict.
 */
export async function publish(
  all: readonly Published[],
  options: PublishOptions,
  step: Step,
): Promise<{ readonly commentUrl: string; readonly checkUrls: readonly string[] }> {
  const workspace = workspaceRoot(step.env);
  const shared = { workspace, severalSuites: all.length > 1, failOn: options.failOn };
  const told = all.map(({ end, ...artifacts }) => {
    return { end, circumstances: circumstancesOf(end, step.context, { ...artifacts, ...shared }) };
  });
  // The comment comes first, because people who see the check look for it.
  const commentUrl = await tellComment(told, options, step);
  const checkUrls: string[] = [];
  for (const { end, circumstances } of told) {
    const conclusion = checkConclusion(end, options.failOn);
    const output = renderCheck(viewOf(end, circumstances));
    const url = await options.checks.complete(suiteOf(end), { conclusion, output });
    checkUrls.push(url ?? "");
  }
  return { commentUrl, checkUrls: checkUrls.some((url) => url !== "") ? checkUrls : [] };
}

interface Told {
  readonly end: StepEnd;
  readonly circumstances: Circumstances;
}

async function tellComment(
  told: readonly Told[],
  { comment: mode, access, pull, checks }: PublishOptions,
  { context, env, signal, log, secrets }: Step,
): Promise<string> {
  // A cancelled job has only seconds left, so the old comment stays.
  if (pull === undefined || access.github === undefined || mode === "never" || signal.aborted)
    return "";
  const tellings = told.map((each) => tellingOf(each, secrets.redact));
  const github = await access.github();
  const end = await upsertComment({
    github,
    pull,
    workflow: context.workflow.path ?? context.workflow.name,
    mode,
    tellings,
    identity: await checks.author(),
    sleep: async (milliseconds) => {
      const pause = githubPace(env).pauseMilliseconds(milliseconds);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      github.waited(milliseconds / 1000);
    },
    random: Math.random,
  });
  switch (end.kind) {
    case "written":
      return end.url;
    case "superseded":
      log.info("The comment tells of a newer run already, and was left as it is.");
      return end.url;
    case "nothing_to_tell":
      return "";
    case "failed":
      access.tellFailure(end);
      return "";
  }
}

function tellingOf({ end, circumstances }: Told, redact: (text: string) => string): Telling {
  const { runId, attempt } = circumstances;
  const render = (previous: CommentSection | undefined): CommentSection => {
    const before = previous && { verdict: previous.verdict, sha: previous.sha };
    const view = viewOf(end, { ...circumstances, ...(before && { previous: before }) });
    const section = commentSection(view);
    return { ...section, body: redact(section.body) };
  };
  return {
    suite: suiteOf(end),
    runId,
    attempt,
    verdict: verdictOfView(viewOf(end, circumstances)),
    changed: isWorthTelling(end),
    render,
  };
}
