import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { answerBody, errorBody, type AnswerParts, type Api } from "./answers.ts";
import type { Certificate } from "./certificate.ts";
import type { Day } from "./days.ts";

/** A request as the provider saw it. */
export interface Seen {
  /** 0-based, over all requests. */
  readonly index: number;
  /** 0-based, over the requests with this prompt. */
  readonly attempt: number;
  readonly api: Api | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly model: string;
  /** The last message of the user. */
  readonly prompt: string;
  readonly body: unknown;
  /** `performance.now()` when the request was whole. */
  readonly at: number;
}

export interface ProviderOptions {
  /** Behaviour for a request; undefined: a good answer. */
  readonly script?: (seen: Seen) => Day | undefined;
  /** The text of a good answer. Default: the prompt's last word. */
  readonly answer?: (seen: Seen) => string;
  /** Before every good answer. */
  readonly latencyMs?: number;
  /** Speaks TLS with this certificate. */
  readonly tls?: Certificate;
  /** false: requests are counted and not kept, for measurements. */
  readonly keep?: boolean;
}

export interface Provider extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/v1`, to be a `base_url`. */
  readonly url: string;
  /** Every request in the order in which they were whole. */
  readonly requests: readonly Seen[];
  readonly count: () => number;
  /** The most requests that were being answered at one time. */
  readonly peak: () => number;
  /** Number of opened connections. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** A model provider on the loopback: POST /v1/responses, /v1/chat/completions and /v1/embeddings, on good and on bad days. */
export async function startProvider(options: ProviderOptions = {}): Promise<Provider> {
  const sockets = new Set<Socket>();
  const requests: Seen[] = [];
  const attempts = new Map<string, number>();
  let [count, connections, inFlight, peak] = [0, 0, 0, 0];

  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readAll(request);
    const told = read(request, text);
    const attempt = attempts.get(told.prompt) ?? 0;
    if (options.keep !== false) attempts.set(told.prompt, attempt + 1);
    const seen: Seen = { index: count, attempt, at: performance.now(), ...told };
    count += 1;
    if (options.keep !== false) requests.push(seen);
    inFlight += 1;
    peak = Math.max(peak, inFlight);
    response.on("close", () => {
      inFlight -= 1;
    });
    await act(seen, response, options);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    // A client that leaves in the middle is its own business.
    listener(request, response).catch(() => response.destroy());
  };
  const server =
    options.tls === undefined
      ? createServer({ keepAliveTimeout: 60_000 }, onRequest)
      : createSecureServer({ ...options.tls, keepAliveTimeout: 60_000 }, onRequest);
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  };
  return {
    url: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}/v1`,
    requests,
    count: () => count,
    peak: () => peak,
    connections: () => connections,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function act(seen: Seen, response: ServerResponse, options: ProviderOptions): Promise<void> {
  const day = options.script?.(seen) ?? { kind: "answer" };
  const good = (parts: AnswerParts = {}): string => goodBody(seen, options, parts);
  switch (day.kind) {
    case "answer":
      if (seen.api === undefined) return send(response, notFound(seen));
      await sleep(day.delayMs ?? options.latencyMs ?? 0);
      return send(response, { status: 200, body: good(day) });
    case "status":
      return send(response, day);
    case "hang_up":
      return hangUp(response);
    case "reset":
      await sendHalf(response, good());
      return hangUp(response);
    case "half_json":
      return send(response, { status: 200, body: half(good()) });
    case "huge":
      return send(response, { status: 200, body: good({ text: "x".repeat(day.bytes) }) });
    case "stall":
      return sendHalf(response, good());
    case "silence":
      return undefined;
  }
}

function goodBody(seen: Seen, options: ProviderOptions, parts: AnswerParts): string {
  const says = parts.refusal === undefined && parts.toolCalls === undefined;
  const text = says ? { text: options.answer?.(seen) ?? lastWord(seen.prompt) } : {};
  const told = {
    id: seen.index,
    model: seen.model,
    prompt: seen.prompt,
    inputs: textsOf(fieldOf(seen.body, "input")),
  };
  return JSON.stringify(answerBody(seen.api ?? "chat", told, { ...text, ...parts }));
}

/** No timer at all for 0: it would cost a millisecond. */
function sleep(milliseconds: number): Promise<void> | undefined {
  return milliseconds > 0 ? wait(milliseconds) : undefined;
}

function hangUp(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function half(text: string): string {
  return text.slice(0, text.length / 2);
}

function notFound(seen: Seen): { status: number; body: object } {
  const message = `Unknown request URL: ${seen.method} ${seen.path}`;
  return { status: 404, body: errorBody({ message, type: "invalid_request_error" }) };
}

function send(
  response: ServerResponse,
  answer: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | object;
  },
): void {
  const { status, headers, body = "" } = answer;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const length = { "content-length": String(Buffer.byteLength(text)) };
  response.writeHead(status, { "content-type": "application/json", ...length, ...headers });
  response.end(text);
}

/** The head of a whole answer, and half of its body. */
async function sendHalf(response: ServerResponse, body: string): Promise<void> {
  const length = { "content-length": String(Buffer.byteLength(body)) };
  response.writeHead(200, { "content-type": "application/json", ...length });
  await new Promise<void>((resolve) => {
    response.write(half(body), () => resolve());
  });
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function read(request: IncomingMessage, text: string): Omit<Seen, "index" | "attempt" | "at"> {
  const path = request.url ?? "/";
  const body = parse(text);
  const api = apiOf(path, request.method);
  const model = fieldOf(body, "model");
  return {
    api,
    method: request.method ?? "",
    path,
    headers: request.headers,
    model: typeof model === "string" ? model : "",
    prompt: textOf(fieldOf(body, "input") ?? fieldOf(body, "messages")),
    body,
  };
}

function apiOf(path: string, method: string | undefined): Api | undefined {
  const [bare = ""] = path.split("?");
  if (method !== "POST") return undefined;
  if (bare.endsWith("/responses")) return "responses";
  if (bare.endsWith("/embeddings")) return "embeddings";
  return bare.endsWith("/chat/completions") ? "chat" : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function textsOf(input: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  return texts.filter((each) => typeof each === "string");
}

/** The last text of an input: a text, a list of messages, a list of parts, or all of a list of texts. */
function textOf(input: unknown): string {
  if (typeof input === "string") return input;
  if (Array.isArray(input) && input.every((each) => typeof each === "string")) {
    return input.join("\n");
  }
  if (Array.isArray(input)) {
    const messages = input.filter((each) => (fieldOf(each, "role") ?? "user") === "user");
    return textOf(fieldOf(messages.at(-1), "content") ?? fieldOf(messages.at(-1), "text"));
  }
  return "";
}

function lastWord(text: string): string {
  return text.trim().split(/\s+/).at(-1) ?? "";
}
