import type {
  CommandEnd,
  RunCommand,
  SpawnWorker,
  WorkerEnd,
} from "../../model/ports/processes.ts";
import type { HttpEnd, SendHttp } from "../../model/ports/http.ts";
import type { Json } from "../../model/json.ts";
import type { Secrets } from "../../model/ports/secrets.ts";

/**
 * Removes known secrets from the output of commands and requests. This happens here, while a text is whole: shortening it
 * for a message later may cut a secret in two. A grader sees the redacted answer, too.
 */
export function hidingCommand(run: RunCommand, secrets: Secrets): RunCommand {
  return async (command) => hideInCommand(await run(command), secrets);
}

function hideInCommand(end: CommandEnd, { redact }: Secrets): CommandEnd {
  switch (end.kind) {
    case "exited":
      return { ...end, stdout: redact(end.stdout), stderr: redact(end.stderr) };
    case "killed":
      return { ...end, stderr: redact(end.stderr) };
    case "not_started":
      return { ...end, message: redact(end.message) };
    case "timed_out":
    case "output_too_large":
    case "cancelled":
      return end;
  }
}

/** Removes known secrets from workers' answers. */
export function hidingWorker(spawn: SpawnWorker, secrets: Secrets): SpawnWorker {
  return async (worker) => {
    const started = await spawn(worker);
    if (started.kind === "not_started") {
      return { ...started, message: secrets.redact(started.message) };
    }
    const ask: typeof started.ask = async (line, limits) =>
      hideInWorker(await started.ask(line, limits), secrets);
    return { ...started, ask };
  };
}

function hideInWorker(end: WorkerEnd, secrets: Secrets): WorkerEnd {
  switch (end.kind) {
    case "line":
      return { ...end, text: hideInJson(end.text, secrets) };
    case "ended":
    case "timed_out":
      return { ...end, stderr: secrets.redact(end.stderr) };
    case "line_too_large":
    case "cancelled":
      return end;
  }
}

/** Removes known secrets from responses: providers repeat a wrong key in their error. */
export function hidingHttp(send: SendHttp, secrets: Secrets): SendHttp {
  return (request) => send(request).then((end) => hideInHttp(end, secrets));
}

function hideInHttp(end: HttpEnd, secrets: Secrets): HttpEnd {
  switch (end.kind) {
    case "response": {
      const body = hideInJson(end.body, secrets);
      return body === end.body ? end : { ...end, body };
    }
    case "failed":
      return { ...end, message: secrets.redact(end.message) };
    case "cancelled":
      return end;
  }
}

/** Characters that a writer of JSON need not escape, and some do: `&`, `<`, `>` (Go), `+`, `'` (.NET). */
const needlessEscape = /\\u00[2-7][\da-f]/i;
/** Escapes of invisible characters (`dropUnseen`): a secret with one inside would otherwise stay readable. */
const unseenEscape =
  /\\b|\\u(?:00[0189][\da-f]|00ad|034f|061c|115f|1160|17b[45]|180[b-f]|20[026][\da-f]|3164|fe0[\da-f]|feff|ff[af]\d|db4\d)/i;

/**
 * Text that may be JSON stays JSON: a secret of digits could be a number in it. A secret written with escapes is found in
 * the decoded texts, not in the raw text.
 */
export function hideInJson(text: string, { redact, stringify }: Secrets): string {
  const hidden = redact(text);
  if (hidden === text && !needlessEscape.test(text) && !unseenEscape.test(text)) return text;
  try {
    const value: Json = JSON.parse(text);
    const written = stringify(value);
    return hidden === text && written === JSON.stringify(value) ? text : written;
  } catch {
    return hidden;
  }
}
