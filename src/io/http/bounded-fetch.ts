import { openDispatcher } from "./dispatcher.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** Limit of one answer; the stream that a server's messages come on is open for a whole sample. */
const answerLimitBytes = 16_000_000;
const streamLimitBytes = 64_000_000;

/** A `fetch` that uses the environment's proxies, for packages that accept one; it aborts answers that are too large. */
export function createBoundedFetch(
  environment: Environment,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  let opening: ReturnType<typeof openDispatcher> | undefined;
  return async (url, init) => {
    const dispatcher = await (opening ??= openDispatcher(environment));
    const { fetch } = await import("./undici.ts");
    const headers = Object.fromEntries(new Headers(init?.headers));
    const { body = null, method = "GET", redirect, signal = null } = init ?? {};
    const sent = typeof body === "string" ? body : null;
    const response = await fetch(url, {
      method,
      headers: { "user-agent": "regrade", ...headers },
      body: sent,
      signal,
      dispatcher,
      ...(redirect && { redirect }),
    });
    const limit = method === "GET" ? streamLimitBytes : answerLimitBytes;
    const { status, statusText } = response;
    const told = { status, statusText, headers: Object.fromEntries(response.headers) };
    if (response.body === null) return new Response(null, told);
    return new Response(ReadableStream.from(bounded(response.body, limit)), told);
  };
}

async function* bounded(
  body: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit) throw new Error(`it sent more than ${limit / 1_000_000} MB`);
    yield chunk;
  }
}
