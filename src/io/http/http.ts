import { brotliDecompressSync, unzipSync } from "node:zlib";
import type { Dispatcher } from "undici";
import { once } from "../../base/once.ts";
import type { Environment } from "../../model/ports/processes.ts";
import type { HttpEnd, HttpRequest, SendHttp } from "../../model/ports/http.ts";
import { faultOf } from "./http-fault.ts";
import { openDispatcher } from "./dispatcher.ts";

/** Limit of an answer: even the longest answers of models are far smaller. */
const responseLimitBytes = 16_000_000;

/**
 * Sends over connections that stay open for the next request. Redirects are not followed but returned, so that a key is
 * never sent to another host. Proxies come from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, also in lower case;
 * certificates are Node's and those of `NODE_EXTRA_CA_CERTS`.
 */
export function createSendHttp(environment: Environment): SendHttp {
  // Loaded with the first request: a run without models starts as fast as before.
  let opening: Promise<Dispatcher> | undefined;
  let dispatcher: Dispatcher | undefined;
  const open = async (): Promise<Dispatcher> => {
    dispatcher = await (opening ??= openDispatcher(environment));
    return dispatcher;
  };
  // A candidate asks the same address again and again.
  let known: Address | undefined;
  return (request) => {
    if (request.signal.aborted) return Promise.resolve(cancelled);
    const address = known?.text === request.url ? known : addressOf(request.url);
    if (address === undefined) return Promise.resolve(noAddress);
    known = address;
    if (dispatcher !== undefined) return exchange(dispatcher, address, request);
    // The run may have been stopped meanwhile.
    return open().then((opened) =>
      request.signal.aborted ? cancelled : exchange(opened, address, request),
    );
  };
}

const cancelled: HttpEnd = { kind: "cancelled" };

interface Address {
  readonly text: string;
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
}

/** undefined if it is not an HTTP address. */
function addressOf(text: string): Address | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return { text, origin: url.origin, path: `${url.pathname}${url.search}` };
}

const noAddress: HttpEnd = {
  kind: "failed",
  type: "network",
  message: "this is no http address",
  sent: false,
};

/** undici's lowest-level interface: only it tells when a request was sent, and can be aborted before. */
function exchange(
  dispatcher: Dispatcher,
  { origin, path }: Address,
  request: HttpRequest,
): Promise<HttpEnd> {
  const { promise, resolve } = Promise.withResolvers<HttpEnd>();
  let isOver = false;
  const finish = (end: HttpEnd): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    forget();
    resolve(end);
  };
  const response = collectResponse(finish, () => isOver);
  const cancel = (): void => response.leave(cancelled);
  const timer = setTimeout(
    () => response.leave(timedOut(request, response.isSent())),
    request.timeoutSeconds * 1000,
  );
  const forget = onAbort(request.signal, cancel);
  const { method, headers, body = null } = request;
  const told = { "user-agent": "regrade", ...headers };
  try {
    dispatcher.dispatch({ origin, path, method, headers: told, body }, response.handler);
  } catch (error) {
    // undici refuses some requests before sending: for example a header with a line break.
    finish(failedRequest(error, false));
  }
  return promise;
}

const onceAborted = new WeakMap<AbortSignal, Listeners>();

/**
 * One listener for all exchanges of a run: adding and removing one per exchange costs 2 µs each time. Returns a
 * function that removes `cancel`.
 */
function onAbort(signal: AbortSignal, cancel: () => void): () => void {
  return (onceAborted.get(signal) ?? listenOnce(signal)).add(cancel);
}

function listenOnce(signal: AbortSignal): Listeners {
  const all = createListeners();
  onceAborted.set(signal, all);
  signal.addEventListener("abort", all.call, { once: true });
  return all;
}

interface Listeners {
  /** Returns a function that removes the listener. */
  readonly add: (listener: () => void) => () => void;
  readonly call: () => void;
}

/**
 * Listeners in reusable slots. In a Set, constant additions and removals make V8 start a new table every few requests,
 * and each old table holds the next one: two thirds of all requests and answers of a run were carried into the old
 * generation, where only a full collection frees them.
 */
function createListeners(): Listeners {
  const places: ((() => void) | undefined)[] = [];
  const free: number[] = [];
  return {
    add: (listener) => {
      const place = free.pop() ?? places.length;
      places[place] = listener;
      return () => {
        places[place] = undefined;
        free.push(place);
      };
    },
    call: () => {
      for (const each of places) each?.();
    },
  };
}

function timedOut({ timeoutSeconds }: HttpRequest, sent: boolean): HttpEnd {
  const message = `no whole answer within ${timeoutSeconds} s`;
  return { kind: "failed", type: "timeout", message, sent };
}

function failedRequest(error: unknown, sent: boolean): HttpEnd {
  return { kind: "failed", ...faultOf(error), sent };
}

interface Collected {
  readonly handler: Dispatcher.DispatchHandler;
  /** True once the request went out on a connection. */
  readonly isSent: () => boolean;
  /** Ends the exchange from this side, whether it has begun or not. */
  readonly leave: (end: HttpEnd) => void;
}

/** Collects an answer until it is whole, too large, or broken. */
function collectResponse(finish: (end: HttpEnd) => void, isOver: () => boolean): Collected {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let status = 0;
  let headers: Readonly<Record<string, string>> = {};
  let controller: Dispatcher.DispatchController | undefined;
  const hangUp = (): void => controller?.abort(new Error("the exchange is over"));
  const leave = (end: HttpEnd): void => {
    finish(end);
    hangUp();
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (started) => {
      controller = started;
      if (isOver()) hangUp();
    },
    onResponseStart: (_, code, received) => {
      // Statuses such as 103 come before the answer itself.
      if (code < 200) return;
      status = code;
      headers = joined(received);
    },
    onResponseData: (_, chunk) => {
      bytes += chunk.length;
      if (bytes <= responseLimitBytes) chunks.push(chunk);
      else leave(tooLarge);
    },
    onResponseEnd: () => {
      endSoon(() => finish(wholeResponse({ status, headers }, chunks)));
    },
    onResponseError: (_, error) => finish(failedRequest(error, controller !== undefined)),
  };
  return { handler, isSent: () => controller !== undefined, leave };
}

const ends: (() => void)[] = [];

let notFree = 0;

/**
 * The connection is free a moment later: a request sent at once would open another one. undici frees it in an immediate
 * that it schedules after this returns; the one scheduled here comes after it. All requests that end in one turn continue
 * together, with the last of them, so that the work after them (a write, the next requests) happens once.
 */
function endSoon(end: () => void): void {
  ends.push(end);
  notFree += 1;
  queueMicrotask(() => setImmediate(goOn));
}

function goOn(): void {
  notFree -= 1;
  if (notFree > 0) return;
  for (const each of ends.splice(0)) each();
}

const tooLarge: HttpEnd = {
  kind: "failed",
  type: "response_too_large",
  message: `the answer is larger than ${responseLimitBytes / 1_000_000} MB`,
  sent: true,
};

/** One for all: making it takes longer than decoding an answer. */
const utf8 = new TextDecoder();

/** Decoded as UTF-8, with U+FFFD for invalid bytes; without a leading byte order mark. */
function wholeResponse(
  told: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  chunks: readonly Uint8Array[],
): HttpEnd {
  const [first = new Uint8Array(), ...more] = chunks;
  const bytes = more.length === 0 ? first : Buffer.concat(chunks);
  const packing = told.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  const unpack = bytes.length === 0 ? undefined : unpackers()[packing];
  if (unpack === undefined) return { kind: "response", ...told, body: utf8.decode(bytes) };
  try {
    const body = utf8.decode(unpack(bytes, { maxOutputLength: responseLimitBytes }));
    return { kind: "response", ...told, body };
  } catch {
    // The status and headers of an error count all the same.
    if (told.status >= 300) return { kind: "response", ...told, body: utf8.decode(bytes) };
    return { ...unreadable, message: `the answer can't be unpacked (content-encoding ${packing})` };
  }
}

const unreadable = { kind: "failed", type: "bad_response", message: "", sent: true } as const;

/**
 * No compression is requested; some servers and gateways compress nevertheless. For other encodings the bytes are used
 * unchanged.
 */
const unpackers = once((): Readonly<Record<string, typeof unzipSync>> => ({
  gzip: unzipSync,
  "x-gzip": unzipSync,
  deflate: unzipSync,
  br: brotliDecompressSync,
}));

/** Headers as texts, their names in lower case. */
export function joined(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined)
      texts[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  return texts;
}
