import { runPost } from "./github/steps/post.ts";
import { endProcess, listenForCancel } from "./github/steps/end-process.ts";
import { readContext } from "./github/runner/context.ts";
import { loadPayload } from "./github/runner/event.ts";
import { createLog } from "./github/runner/log.ts";
import { reportAddress, tellBug } from "./github/runner/tell.ts";
import { workspaceRoot } from "./github/runner/workspace.ts";
import { escapeLog } from "./report/escape.ts";
import { keepInspectorShut, openSecrets } from "./wiring.ts";

/**
 * The post step of the action, which the runner starts at the end of the job, however the job ended. It is a separate
 * file, so that a step that was killed early can't be confused with one that has not started.
 */
export async function startPostStep(): Promise<void> {
  keepInspectorShut();
  const { env } = process;
  const secrets = openSecrets(env);
  const escape = (text: string): string => escapeLog(secrets.redact(text));
  const log = createLog({ escape, workspace: workspaceRoot(env) });
  // The step already has its verdict: failures from here on are reported, but change nothing.
  const onBug = (cause: unknown): void => {
    tellBug(cause, reportAddress(env), log);
    endProcess(0);
  };
  process.on("uncaughtException", onBug);
  process.on("unhandledRejection", onBug);
  try {
    const context = readContext(env, await loadPayload(env));
    endProcess(await runPost({ log, secrets, signal: listenForCancel(log), env, context }));
  } catch (cause) {
    onBug(cause);
  }
}
