import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { McpServer } from "../../src/model/models/agent.ts";
import type { McpConnection } from "../../src/model/ports/mcp.ts";
import { createConnectMcp } from "../../src/mcp/connect.ts";
import { sseHandler, startHttpServer } from "../support/mcp/http-server.ts";
import { patience } from "../support/patience.ts";

/** Servers of the official SDK, of both revisions and all transports, and some that misbehave. */

const stdioServer = fileURLToPath(new URL("../support/mcp/stdio-server.ts", import.meta.url));
const connectMcp = createConnectMcp({});
const { PATH = "" } = process.env;

const connect = (server: McpServer, timeoutSeconds = 20, signal = new AbortController().signal) =>
  connectMcp({
    name: "sums",
    server,
    directory: "/",
    env: { PATH },
    mark: `test-${Math.random()}`,
    timeoutSeconds,
    signal,
  });

const opened = async (server: McpServer): Promise<McpConnection> => {
  const found = await connect(server);
  if (found.kind === "not_connected") throw new Error(found.message);
  return found;
};

const call = (connection: McpConnection, tool: string, timeoutSeconds = 20) =>
  connection.call({
    tool,
    arguments: { a: 1, b: 2 },
    timeoutSeconds,
    signal: new AbortController().signal,
  });

const text = (words: string) => ({
  kind: "result",
  content: [{ type: "text", text: words }],
  isError: false,
});
const at = (url: string, type: "http" | "sse" = "http", headers = {}): McpServer => ({
  type,
  url,
  headers,
});
const started = (legacy: string): McpServer => ({
  type: "stdio",
  command: [process.execPath, stdioServer, legacy],
  env: {},
});

const status =
  (code: number, headers = {}) =>
  async () =>
    new Response("no entry", { status: code, headers });

describe.concurrent("a server of the official SDK", () => {
  it.each([
    ["stdio, of 2025", started("serve")],
    ["stdio, of 2026 alone", started("reject")],
  ])("is asked over %s", async (_, server) => {
    const connection = await opened(server);
    expect(connection.tools.map(({ name }) => name)).toEqual(["add", "data", "throw"]);
    expect(await call(connection, "add")).toEqual(text("3"));
    expect(await call(connection, "data")).toEqual(text('{"sum":3}'));
    expect(await call(connection, "throw")).toMatchObject({ kind: "result", isError: true });
    await connection.close();
  });

  it.each(["session", "stateless", "reject"] as const)("is asked over http, %s", async (mode) => {
    await using server = await startHttpServer(mode);
    const connection = await opened(at(server.url, "http", { Authorization: "Bearer t" }));
    expect(connection.tools).toHaveLength(3);
    expect(await call(connection, "add")).toEqual(text("3"));
    await connection.close();
    expect(server.requests.map(({ headers }) => headers.authorization)).not.toContain(undefined);
    if (mode === "session") expect(server.requests.at(-1)?.method).toBe("DELETE");
  });

  it("is asked over sse", async () => {
    await using server = await startHttpServer(sseHandler());
    const connection = await opened(at(server.url, "sse", { Authorization: "Bearer t" }));
    expect(await call(connection, "add")).toEqual(text("3"));
    await connection.close();
    expect(server.requests.map(({ headers }) => headers.authorization)).not.toContain(undefined);
  });
});

describe.concurrent("a server that misbehaves", () => {
  it.each([
    ["is not there", undefined, /connection was refused/],
    ["refuses the key", status(401), /it answered 401 .*no entry/],
    ["is broken", status(500), /it answered 500 .*no entry/],
    ["is elsewhere", status(302, { location: "http://127.0.0.2:9/mcp" }), /redirect/i],
    ["is no server of tools", async () => new Response("<html>"), /./],
    ["says nothing", () => new Promise<Response>(() => undefined), /no answer within 2 s/],
  ] as const)("%s: it is not connected, with the reason", async (_, handle, reason) => {
    await using server = await startHttpServer(handle ?? status(200));
    if (handle === undefined) await server[Symbol.asyncDispose]();
    const found = await connect(at(server.url), 2);
    expect(found).toMatchObject({
      kind: "not_connected",
      message: expect.stringMatching(reason),
    });
    if (found.kind === "not_connected") expect(found.message.length).toBeLessThan(700);
  });

  it("sends more than there is room for: the call fails, and its connection ends", async () => {
    await using server = await startHttpServer(async (request) => {
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      const initialized = {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "x", version: "1" },
      };
      const tools = [{ name: "add", inputSchema: { type: "object" } }];
      const content = [{ type: "text", text: "x".repeat(17_000_000) }];
      const result =
        method === "initialize" ? initialized : method === "tools/list" ? { tools } : { content };
      return Response.json({ jsonrpc: "2.0", id, result });
    });
    const connection = await opened(at(server.url));
    expect(await call(connection, "add")).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("more than 16 MB"),
    });
    await connection.close();
  });

  it("goes away: a call fails, with the reason", async () => {
    const server = await startHttpServer("stateless");
    const connection = await opened(at(server.url));
    await server[Symbol.asyncDispose]();
    expect(await call(connection, "add")).toMatchObject({
      kind: "failed",
      message: expect.stringMatching(/connection/i),
    });
    await connection.close();
  });

  it("is given up at once when the run is stopped", async () => {
    const stop = new AbortController();
    const mute: McpServer = { type: "stdio", command: ["sleep", "60"], env: {} };
    const connecting = connect(mute, 30, stop.signal);
    const startedMs = performance.now();
    stop.abort();
    expect(await connecting).toMatchObject({ kind: "not_connected" });
    const seconds = (performance.now() - startedMs) / 1000;
    expect(seconds).toBeLessThan(await patience(5));
  });
});
