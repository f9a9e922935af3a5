import type { Secrets } from "../../src/model/ports/secrets.ts";
import { createSecrets } from "../../src/io/secrets/redact.ts";
import { hidingHttp } from "../../src/io/secrets/redacting-io.ts";

/** Secrets that know these values, as they know a suite's keys. */
export function secretsOf(values: readonly string[]): Secrets {
  const names = values.map((_, i) => `KEY_${i}`);
  const secrets = createSecrets(Object.fromEntries(values.map((value, i) => [`KEY_${i}`, value])));
  secrets.learn({ keys: names, variables: [] });
  return secrets;
}

/** The text as a candidate's answer comes to whoever asked. */
export async function hideInJson(text: string, secrets: Secrets): Promise<string> {
  const signal = new AbortController().signal;
  const send = hidingHttp(
    async () => ({ kind: "response", status: 200, headers: {}, body: text }),
    secrets,
  );
  const [method, url] = ["POST", "http://x.test/"];
  const end = await send({ method, url, headers: {}, body: "", timeoutSeconds: 1, signal });
  return end.kind === "response" ? end.body : end.kind;
}
