import type { Secrets } from "../../model/ports/secrets.ts";
import type { WorkflowContext } from "../runner/context.ts";
import { openGitHub, type FailedCall, type GitHub } from "../api/github.ts";
import { traitsOf } from "../runner/events.ts";
import { noteOf, type Log } from "../runner/log.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** Outputs of a step: the log, and the files that the runner names in the environment. */
export interface StepOutput {
  readonly log: Log;
  readonly env: Environment;
}

/** Context of every mode of the action. */
export interface Step extends StepOutput {
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
  readonly context: WorkflowContext;
}

/** Access to GitHub's API. Nothing is loaded or sent before it is needed. */
export interface GitHubAccess {
  /** undefined: there is no token, or no repository. */
  readonly github: (() => Promise<GitHub>) | undefined;
  /** Reports a failure once; for the read-only token of a fork it is logged as something normal. */
  readonly tellFailure: (failed: Pick<FailedCall, "problem" | "reason">) => void;
  /** Number of requests sent. */
  readonly calls: () => number;
}

/** Opens the access to the API with the given token. */
export function openGitHubAccess(step: Step, token: string): GitHubAccess {
  const { context, env, signal, log } = step;
  const { repository } = context;
  const tellFailure = createTeller(step);
  if (token === "" || repository === undefined)
    return { github: undefined, tellFailure, calls: () => 0 };
  let opened: Promise<GitHub> | undefined;
  let known: GitHub | undefined;
  const open = async (): Promise<GitHub> => {
    const { owner, repo } = repository;
    const where = { owner, repo };
    known = await openGitHub({
      env,
      token,
      repository: where,
      signal,
      warn: (found) => log.info(found.message),
    });
    return known;
  };
  return {
    github: () => (opened ??= open()),
    tellFailure,
    calls: () => known?.calls() ?? 0,
  };
}

function createTeller({ log, context }: Step): GitHubAccess["tellFailure"] {
  const told = new Set<string>();
  return ({ problem, reason }) => {
    if (told.has(problem.message)) return;
    told.add(problem.message);
    const isNormal = reason === "forbidden" && hasReadOnlyToken(context);
    if (isNormal) log.info(`${problem.message}\n  ${problem.hint ?? ""}`);
    else if (reason !== "cancelled") log.warning(noteOf(problem));
  };
}

/** True if GitHub gave a read-only token, whatever the workflow says. */
export function hasReadOnlyToken({ event, pull, isDependabot }: WorkflowContext): boolean {
  return traitsOf(event).readsOnly === true && (pull?.isFork === true || isDependabot);
}
