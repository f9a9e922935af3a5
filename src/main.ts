import type { Checks } from "./github/steps/checks.ts";
import { runStep } from "./github/steps/run-step.ts";
import type { Step } from "./github/steps/step.ts";
import { tellNothing } from "./github/steps/tell.ts";
import { endProcess, listenForCancel } from "./github/steps/end-process.ts";
import { exitCodes } from "./model/outcomes/verdict.ts";
import { readContext } from "./github/runner/context.ts";
import { loadPayload } from "./github/runner/event.ts";
import { createLog, type Log } from "./github/runner/log.ts";
import { reportAddress, tellBug } from "./github/runner/tell.ts";
import { workspaceRoot } from "./github/runner/workspace.ts";
import { renderCheck } from "./report/check.ts";
import { escapeLog } from "./report/escape.ts";
import { keepInspectorShut, openSecrets } from "./wiring.ts";

/** Time for a crash to complete its checks; the post step completes the rest. */
const exitDelayMilliseconds = 20_000;

/** The action's step. Exits with the step's conclusion. The launcher calls it. */
export async function startStep(): Promise<void> {
  keepInspectorShut();
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
    endProcess(await runStep(step, payload, (checks) => ways.closing(checks, step)));
  } catch (cause) {
    ways.bug(cause);
  }
}

interface WaysOut {
  /** Ends the step after an error of Regrade's own. */
  readonly bug: (cause: unknown) => void;
  /** From here on, an unexpected end must complete the checks. */
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
      setTimeout(() => endProcess(code), exitDelayMilliseconds).unref();
      const closed = close?.() ?? Promise.resolve();
      closed.then(
        () => endProcess(code),
        () => endProcess(code),
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
