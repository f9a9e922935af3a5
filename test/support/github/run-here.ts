import { runPost } from "../../../src/github/steps/post.ts";
import { runStep } from "../../../src/github/steps/run-step.ts";
import type { Step } from "../../../src/github/steps/step.ts";
import { readContext } from "../../../src/github/runner/context.ts";
import { loadPayload } from "../../../src/github/runner/event.ts";
import { createLog } from "../../../src/github/runner/log.ts";
import { workspaceRoot } from "../../../src/github/runner/workspace.ts";
import { escapeLog } from "../../../src/report/escape.ts";
import { openSecrets } from "../../../src/wiring.ts";
import { takeOver } from "../this-process.ts";

export interface HereAsked {
  readonly part: "main" | "post";
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
  readonly onStdout: (text: string) => void;
  readonly onStderr: (text: string) => void;
}

/**
 * The action's step, or its end, in this process: like src/main.ts and src/post.ts, without starting Node, which takes
 * longer than the rest of a small run. For the further rows of a table whose first one is a process. One at a time: the
 * environment, the working directory and the streams are the process's own.
 */
export async function runHere(asked: HereAsked): Promise<number> {
  const giveBack = [
    takeOver(asked.env, asked.workspace),
    capture(process.stdout, asked.onStdout),
    capture(process.stderr, asked.onStderr),
  ];
  try {
    const { env } = process;
    const secrets = openSecrets(env);
    const escape = (text: string): string => escapeLog(secrets.redact(text));
    const log = createLog({ escape, workspace: workspaceRoot(env) });
    const payload = await loadPayload(env);
    const { signal } = new AbortController();
    const step: Step = { log, secrets, signal, env, context: readContext(env, payload) };
    return await (asked.part === "main" ? runStep(step, payload, () => undefined) : runPost(step));
  } finally {
    for (const give of giveBack) give();
  }
}

function capture(stream: NodeJS.WriteStream, onText: (text: string) => void): () => void {
  const write = stream.write.bind(stream);
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    onText(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
    const told = rest.at(-1);
    if (typeof told === "function") told();
    return true;
  };
  return () => {
    stream.write = write;
  };
}
