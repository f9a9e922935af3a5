import { openChecks, type Checks } from "./action/checks.ts";
import { mergeMode } from "./action/merge-mode.ts";
import { tellGroup } from "./action/merge-queue.ts";
import { reportMode } from "./action/report-mode.ts";
import { runMode, type ModeDesk } from "./action/run-mode.ts";
import { openOffice, type Step } from "./action/step.ts";
import { summaryOf, tellNothing } from "./action/tell.ts";
import { leave, listenForCancel } from "./action/way-out.ts";
import { Refusal } from "./domain/refusal.ts";
import { exitCodes } from "./domain/verdict.ts";
import { concludeStep } from "./platform/conclusion.ts";
import { readContext } from "./platform/context.ts";
import { loadPayload } from "./platform/event.ts";
import { readInputs } from "./platform/inputs.ts";
import { createLog, noteOf, type Log } from "./platform/log.ts";
import { writeSummary } from "./platform/summary.ts";
import { reportAddress, tellBug, tellEnd } from "./platform/tell.ts";
import { workspaceRoot } from "./platform/workspace.ts";
import { renderCheck } from "./report/check.ts";
import { escapeLog } from "./report/escape.ts";
import { openSecrets } from "./wiring.ts";

/** A crash has this long to complete its checks; the step's end completes what is left. Above the call: below it, it would not be there yet. */
const longestGoodbyeMilliseconds = 20_000;

await main();

/** The front door of the action. What it exits with is the step's conclusion. */
async function main(): Promise<void> {
  const { env } = process;
  const secrets = openSecrets(env);
  const escape = (text: string): string => escapeLog(secrets.redact(text));
  const log = createLog({ escape, workspace: workspaceRoot(env) });
  const ways = createWaysOut(log);
  process.on("uncaughtException", ways.bug);
  process.on("unhandledRejection", ways.bug);
  try {
    const payload = await loadPayload(env);
    const context = readContext(env, payload);
    const step: Step = { log, secrets, signal: listenForCancel(log), env, context };
    leave(await runAction(step, payload, ways));
  } catch (cause) {
    ways.bug(cause);
  }
}

async function runAction(step: Step, payload: unknown, ways: WaysOut): Promise<number> {
  let desk: ModeDesk | undefined;
  try {
    const read = readInputs(step.env);
    if (read.kind === "problems") throw new Refusal(read.problems);
    const { settings } = read;
    const office = openOffice(step, settings.token);
    const checks = openChecks({ ...step, office, mode: settings.checkRun });
    ways.closing(checks, step);
    desk = { settings, payload, office, checks };
    return await runByMode(desk, step);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return reportRefusal(cause, desk, step);
  }
}

function runByMode(desk: ModeDesk, step: Step): Promise<number> {
  const { mode } = desk.settings;
  switch (mode) {
    case "run":
      return runMode(desk, step);
    case "merge":
      return mergeMode(desk, step);
    case "report":
      return reportMode(desk, step);
  }
}

/** Refused before the first suite was opened. */
async function reportRefusal(
  refusal: Refusal,
  desk: ModeDesk | undefined,
  step: Step,
): Promise<number> {
  const { problems, exit } = refusal;
  const end = { kind: "refused", manifest: "The step", problems, exit } as const;
  tellEnd(end, [], step.log);
  for (const found of await writeSummary(step.env, [summaryOf(end, step)]))
    step.log.warning(noteOf(found));
  const conclusion = concludeStep([end], { failOn: [], cancelled: false });
  tellNothing(conclusion, [end], step);
  if (desk !== undefined) {
    const { comment, failOn } = desk.settings;
    await tellGroup({ ends: [end], comment, failOn, office: desk.office }, step);
  }
  return conclusion.stepCode;
}

interface WaysOut {
  /** Ends it on an error of Regrade's own. */
  readonly bug: (cause: unknown) => void;
  /** From here on there are checks to complete first. */
  readonly closing: (checks: Checks, step: Step) => void;
}

function createWaysOut(log: Log): WaysOut {
  let close: (() => Promise<void>) | undefined;
  let isLeaving = false;
  return {
    closing: (checks, step) => {
      close = () => abandonChecks(checks, step);
    },
    bug: (cause) => {
      if (isLeaving) return;
      isLeaving = true;
      const code = stopOnBug(cause, log);
      setTimeout(() => leave(code), longestGoodbyeMilliseconds).unref();
      const closed = close?.() ?? Promise.resolve();
      closed.then(
        () => leave(code),
        () => leave(code),
      );
    },
  };
}

function abandonChecks(checks: Checks, { context }: Step): Promise<void> {
  const { runId, attempt, checkSha = "", runUrl } = context;
  const circumstances = { runId, attempt, sha: checkSha, ...(runUrl !== undefined && { runUrl }) };
  return checks.abandon((suite) => {
    const view = { kind: "no_run", suite, reason: { kind: "crashed" }, circumstances } as const;
    return { conclusion: "failure", output: renderCheck(view) };
  });
}

function stopOnBug(cause: unknown, log: Log): number {
  tellBug(cause, reportAddress(process.env), log);
  const code = exitCodes.bug;
  const conclusion = { verdict: "error", exitCode: code, stepCode: code } as const;
  tellNothing(conclusion, [], { log, env: process.env });
  return code;
}
