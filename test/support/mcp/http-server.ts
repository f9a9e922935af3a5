import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createMcpHandler,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { createServer } from "./tools.ts";

/** `session`: of 2025 with sessions, `stateless`: both revisions, `reject`: the revision of 2026 alone. */
type Mode = "session" | "stateless" | "reject";

export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  /** Method and headers of each request. */
  readonly requests: readonly {
    readonly method: string;
    readonly headers: IncomingMessage["headers"];
  }[];
}

type Handle = (request: Request) => Promise<Response>;

/** A server of tools at an address on the loopback, of the official SDK; or whatever `handle` answers. */
export async function startHttpServer(how: Mode | Handle): Promise<HttpServer> {
  const handle = typeof how === "function" ? how : handlerOf(how);
  const requests: { method: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createHttpServer((request, response) => {
    requests.push({ method: request.method ?? "", headers: request.headers });
    void (async () => {
      const answer = await handle(await requestOf(request));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.flushHeaders();
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    })().catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function requestOf(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = "GET", url = "/" } = request;
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const body = method === "POST" ? Buffer.concat(chunks) : null;
  return new Request(`http://127.0.0.1${url}`, { method, headers, body });
}

function handlerOf(mode: Mode): Handle {
  if (mode !== "session") {
    const { fetch } = createMcpHandler(createServer, { legacy: mode });
    return (request) => fetch(request);
  }
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request) => {
    // A session is known by its header.
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known !== undefined) return known.handleRequest(request);
    const transport: WebStandardStreamableHTTPServerTransport =
      new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
    await createServer().connect(transport);
    return transport.handleRequest(request);
  };
}

/** A server of the older transport: a stream of events, and an address to post to. */
export function sseHandler(): Handle {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  return async (request) => {
    if (request.method === "GET") {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          stream = controller;
          controller.enqueue(eventOf("endpoint", "/post?session=1"));
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    }
    const { id, method, params } = (await request.json()) as {
      id?: number;
      method: string;
      params: { protocolVersion?: string; arguments?: { a: number; b: number } };
    };
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "sums", version: "1" },
      },
      "tools/list": { tools: [{ name: "add", inputSchema: { type: "object" } }] },
      "tools/call": {
        content: [
          { type: "text", text: String((params?.arguments?.a ?? 0) + (params?.arguments?.b ?? 0)) },
        ],
      },
    };
    const answer = JSON.stringify({ jsonrpc: "2.0", id, result: results[method] });
    if (id !== undefined) stream?.enqueue(eventOf("message", answer));
    return new Response(null, { status: 202 });
  };
}

function eventOf(event: string, data: string): Uint8Array {
  return new TextEncoder().encode(`event: ${event}\ndata: ${data}\n\n`);
}
