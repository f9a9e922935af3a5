import type { Verdict } from "../../model/outcomes/verdict.ts";
import type { StepConclusion, SuiteEnd } from "./conclusion.ts";
import { noteOf, type Log } from "./log.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** Reports how a suite ended: in the log, and as an annotation if someone should look at it. */
export function tellEnd(end: SuiteEnd, failOn: readonly Verdict[], log: Log): void {
  if (end.kind === "refused") {
    for (const problem of end.problems) log.error(noteOf(problem, "Regrade could not run"));
    return;
  }
  if (end.kind === "not_run") {
    log.info(`${end.suite}: neutral, not run`);
    return;
  }
  for (const warning of end.warnings) log.warning(noteOf(warning));
  const { name } = end.run.suite;
  if (end.run.status === "cancelled") {
    log.warning({
      title: `${name}: cancelled`,
      message: `What was finished is in ${end.directory}`,
    });
    return;
  }
  const { verdict, reasons } = end.run.gate;
  log.info([`${name}: ${verdict}`, ...reasons.map((reason) => `  ${reason}`)].join("\n"));
  const note = {
    title: `${name}: ${verdict}`,
    message: reasons.join("\n"),
    place: { file: end.manifest },
  };
  if (failOn.includes(verdict)) log.error(note);
  else if (verdict === "neutral") log.notice(note);
  else if (verdict !== "pass") log.warning(note);
}

/** Writes the last line of the log: the step's result, and why it is red or green. */
export function tellConclusion(
  { verdict, exitCode, stepCode }: StepConclusion,
  failOn: readonly Verdict[],
  log: Log,
): void {
  const rule = failOn.length === 0 ? "fail-on: never" : `fail-on: ${failOn.join(", ")}`;
  const step = stepCode === 0 ? "the step passes" : "the step fails";
  log.info(`Regrade: ${verdict} (exit code ${exitCode}); ${step} (${rule}).`);
}

/** Address for reporting a bug in Regrade. */
export function reportAddress(env: Environment): string {
  const { GITHUB_SERVER_URL: server, GITHUB_ACTION_REPOSITORY: repository } = env;
  return server && repository
    ? `${server}/${repository}/issues`
    : "the issues of the repository that this action comes from";
}

/** Reports a bug of Regrade itself, with all facts for its developers; none of the text becomes a workflow command. */
export function tellBug(cause: unknown, reportTo: string, log: Log): void {
  const stack = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  log.error({
    title: "A bug in Regrade",
    message: `Regrade stopped on an error of its own; nothing was judged. Please report it, with the lines below, at ${reportTo}`,
  });
  log.quote(stack);
}
