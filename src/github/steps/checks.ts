import { randomUUID } from "node:crypto";
import type { CheckOutput } from "../../model/check.ts";
import type { Secrets } from "../../model/ports/secrets.ts";
import { checkName, completeCheck, type CheckEnd, type OpenCheck } from "../api/check-run.ts";
import type { WorkflowContext } from "../runner/context.ts";
import type { FailedCall } from "../api/github.ts";
import type { CheckRunMode } from "../runner/inputs.ts";
import { createBegunChecks } from "./begun-checks.ts";
import type { GitHubAccess } from "./step.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** The check runs of this step's suites. Nothing that they do can change a verdict. */
export interface Checks {
  /** Shows a suite's check as in progress. No sample waits for GitHub's answer. */
  readonly begin: (suite: string) => void;
  /** Completes a suite's check and returns its page; undefined if there is none. */
  readonly complete: (suite: string, end: CheckEnd) => Promise<string | undefined>;
  /** The login that the token writes under, if GitHub's answers have shown it. */
  readonly author: () => Promise<string | undefined>;
  /** Completes all open checks after an unexpected end. */
  readonly abandon: (endOf: (suite: string) => CheckEnd) => Promise<void>;
}

interface CheckContext {
  readonly access: GitHubAccess;
  readonly context: WorkflowContext;
  readonly mode: CheckRunMode;
  readonly secrets: Secrets;
  readonly env: Environment;
}

/** Opens check runs. If none are wanted or possible, its functions do nothing. */
export function openChecks(setup: CheckContext): Checks {
  const { access, context, mode, env } = setup;
  const subjectOf = subjectsOf(context);
  let isForbidden = mode === "false" || access.github === undefined || !context.checkSha;
  const fail = (failed: FailedCall): void => {
    const isSilent = mode === "auto" && isRefused(failed);
    if (isRefused(failed)) isForbidden = true;
    if (!isSilent) access.tellFailure(failed);
  };
  const begun = createBegunChecks(env, fail);
  const complete: Checks["complete"] = async (suite, end) => {
    const check = (await begun.find(suite)) ?? { subject: subjectOf(suite), id: undefined };
    if (isForbidden || access.github === undefined) return undefined;
    // If the process is killed now, or if a call fails, the post step completes the check.
    begun.leave(suite, end.conclusion);
    const done = await completeCheck(await access.github(), check, redacted(end, setup.secrets));
    const trouble = done.kind === "failed" ? done : done.value.trouble;
    if (done.kind === "done") begun.remove(suite);
    if (trouble) fail(trouble);
    return done.kind === "done" ? done.value.url : undefined;
  };
  return {
    begin: (suite) => {
      if (!isForbidden && access.github !== undefined)
        begun.begin(suite, subjectOf(suite), access.github);
    },
    complete,
    author: begun.author,
    abandon: async (endOf) => {
      for (const suite of begun.suites()) await complete(suite, endOf(suite));
    },
  };
}

/** True if the permission is missing: GitHub then answers 403 or 404. */
function isRefused({ reason }: FailedCall): boolean {
  return reason === "forbidden" || reason === "missing";
}

/**
 * Names this process's checks. The external id is unique, so that a check whose creation got no answer can be found,
 * and is not confused with one of another job that runs the same suite.
 */
function subjectsOf(context: WorkflowContext): (suite: string) => OpenCheck["subject"] {
  const { checkSha = "", runUrl, runId, attempt } = context;
  const externalId = `${runId}.${attempt}.${randomUUID()}`;
  return (suite) => ({
    name: checkName(suite),
    headSha: checkSha,
    detailsUrl: runUrl,
    externalId,
  });
}

function redacted({ conclusion, output }: CheckEnd, { redact }: Secrets): CheckEnd {
  const redactedOutput: CheckOutput = {
    title: redact(output.title),
    summary: redact(output.summary),
    text: redact(output.text),
    annotations: output.annotations.map((each) => ({
      ...each,
      title: redact(each.title),
      message: redact(each.message),
    })),
  };
  return { conclusion, output: redactedOutput };
}
