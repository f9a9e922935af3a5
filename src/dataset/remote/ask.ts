import { cutText } from "../../base/cut-text.ts";
import { backOffMs, type BackOff } from "../../base/back-off.ts";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import type { RemoteEnd, RemoteTools } from "../../model/ports/remote.ts";
import { pauseOf } from "./pause.ts";
import { jsonObjectIn } from "../../model/json.ts";

export type RemoteResponse = Extract<RemoteEnd, { readonly kind: "response" }>;

interface HubRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends a request until there is an answer, and passes it to `take`. Temporary failures (a busy server, a lost
 * connection) are retried after growing pauses, or at the time that the server names. Throws a Refusal if no answer
 * comes.
 */
export type RequestRemote = <T>(
  asked: HubRequest,
  take: (response: RemoteResponse) => Promise<T>,
) => Promise<T>;

/** Limits of attempts: at a server that returns only errors, and at one that asks for pauses. */
const mostFailures = 6;
const mostPauses = 40;
const longestPauseSeconds = 900;
/** Pauses between attempts; half of each is fixed, the other half random. */
const backOff: BackOff = { firstMs: 500, longestMs: 30_000, jitter: 0.5 };

/** Makes a function for requests. All requests share the pauses that servers ask for. */
export function createRequestRemote(tools: RemoteTools): RequestRemote {
  const pausedUntil = new Map<string, number>();
  return async (asked, take) => {
    const { host } = new URL(asked.url);
    let [failures, pauses] = [0, 0];
    for (;;) {
      await waitUntil(pausedUntil.get(host) ?? 0, tools);
      const end = await attempt(asked, take, tools);
      if (end.kind === "taken") return end.value;
      const isPause = end.pauseSeconds !== undefined;
      if (isPause) pauses += 1;
      else failures += 1;
      const { pauseSeconds = 0 } = end;
      if (failures === mostFailures || pauses === mostPauses || pauseSeconds > longestPauseSeconds)
        throw new Refusal(gaveUp(asked.url, { ...end, attempts: failures + pauses }), { exit: 4 });
      const { now, random } = tools.clock;
      if (isPause) {
        tools.onPause({ host, seconds: Math.ceil(pauseSeconds) });
        pausedUntil.set(host, now() + pauseSeconds * 1000);
      } else await waitUntil(now() + backOffMs(failures - 1, backOff, random()), tools);
    }
  };
}

type Attempt<T> =
  | { readonly kind: "taken"; readonly value: T }
  | {
      readonly kind: "again";
      readonly reason: string;
      /** Seconds that the server asked to wait. */
      readonly pauseSeconds: number | undefined;
    };

async function attempt<T>(
  { url, headers = {} }: HubRequest,
  take: (response: RemoteResponse) => Promise<T>,
  tools: RemoteTools,
): Promise<Attempt<T>> {
  const { signal } = tools;
  const end = await tools.get({ url, headers, token: tokenFor(url, tools), signal });
  switch (end.kind) {
    case "cancelled":
      throw stopped();
    case "forbidden":
      throw new Refusal(
        problem("remote_forbidden", { url: plainUrl(end.url), reason: end.reason }),
      );
    case "failed":
      // Waiting does not make a certificate trusted.
      if (end.type === "tls") throw new Refusal(failedFor(url, end.message), { exit: 4 });
      return { kind: "again", reason: end.message, pauseSeconds: undefined };
    case "response":
      return takeResponse(end, take, tools);
  }
}

const passing = [408, 425, 429, 500, 502, 503, 504];

async function takeResponse<T>(
  response: RemoteResponse,
  take: (response: RemoteResponse) => Promise<T>,
  { clock, redact }: RemoteTools,
): Promise<Attempt<T>> {
  const { status, headers } = response;
  try {
    if (!passing.includes(status)) return { kind: "taken", value: await take(response) };
    const said = saidIn(redact((await readBodyText(response, mostErrorBytes)) ?? ""));
    const told = status === 429 || status === 503 ? pauseOf(headers, clock.now()) : undefined;
    return { kind: "again", reason: `HTTP ${status}${said}`, pauseSeconds: told };
  } catch (error) {
    const broken = error instanceof Refusal ? brokenIn(error) : undefined;
    if (broken === undefined) throw error;
    return { kind: "again", reason: broken.message, pauseSeconds: undefined };
  }
}

function brokenIn({ problems }: Refusal): Problem | undefined {
  return problems.find(({ code }) => code === "remote_broken");
}

/** The token for an address. Hugging Face's token is sent only to Hugging Face. */
function tokenFor(url: string, { servers, token }: RemoteTools): string | undefined {
  const { origin } = new URL(url);
  const own = [servers.rows, servers.hub].map((each) => new URL(each).origin);
  return own.includes(origin) ? token : undefined;
}

const mostErrorBytes = 64 * 1024;

/** Reads a body as text; undefined if it exceeds the limit. */
export async function readBodyText(
  response: RemoteResponse,
  limitBytes: number,
): Promise<string | undefined> {
  const bytes = await readBody(response, limitBytes);
  return bytes && new TextDecoder().decode(bytes);
}

/** Reads a body as bytes; undefined if it exceeds the limit. */
export async function readBody(
  { body }: RemoteResponse,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limitBytes) return undefined;
    chunks.push(chunk);
  }
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** A server's message about an error: the text of `{"error": "…"}`, or a short text that is no HTML page. */
export function saidIn(text: string): string {
  const plain = text.trim();
  const said = errorOf(plain) ?? (/^[<{[]/.test(plain) ? "" : plain);
  const line = cutText(said.replaceAll(/\s+/g, " "), 300);
  return line === "" ? "" : `: ${line}`;
}

function errorOf(text: string): string | undefined {
  const error = jsonObjectIn(text)?.["error"];
  return typeof error === "string" ? error : undefined;
}

async function waitUntil(moment: number, { clock, signal }: RemoteTools): Promise<void> {
  const milliseconds = moment - clock.now();
  if (milliseconds > 0) await clock.sleep(milliseconds, signal);
  if (signal.aborted) throw stopped();
}

function stopped(): Refusal {
  return new Refusal(problem("stopped_early", undefined), { exit: 130 });
}

function gaveUp(
  url: string,
  end: {
    readonly reason: string;
    readonly attempts: number;
    readonly pauseSeconds: number | undefined;
  },
): Problem {
  const { reason, attempts, pauseSeconds } = end;
  if (pauseSeconds === undefined) return failedFor(url, `${reason} (asked ${attempts} times)`);
  const minutes = Math.ceil(pauseSeconds / 60);
  return problem("remote_paused", { url: plainUrl(url), reason, minutes, attempts });
}

function failedFor(url: string, reason: string): Problem {
  return problem("remote_failed", { url: plainUrl(url), reason });
}

/**
 * Removes parts of an address that may be a secret: a user name, a query. The dataset server's own queries are not
 * secret.
 */
export function plainUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  return `${url.protocol}//${url.host}${url.pathname}`;
}
