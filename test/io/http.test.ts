import { execFile } from "node:child_process";
import { createServer } from "node:https";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { promisify } from "node:util";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { HttpRequest } from "../../src/model/ports/http.ts";
import { faultOf } from "../../src/io/http/http-fault.ts";
import { createSendHttp } from "../../src/io/http/http.ts";
import { selfSigned } from "../support/provider/certificate.ts";
import { serve, serveRaw } from "../support/loopback.ts";
import { patience } from "../support/patience.ts";

const never = new AbortController().signal;
const to = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "POST",
  url,
  headers: {},
  body: "{}",
  timeoutSeconds: 10,
  signal: never,
  ...more,
});

describe("an exchange over HTTP", () => {
  it("sends what it is told, and gives back the answer as it is", async () => {
    await using server = await serve((response) => {
      response.writeHead(503, { "X-Two": ["a", "b"], "content-type": "text/plain" });
      response.end("\uFEFFna\u00EFve");
    });
    const headers = { authorization: "Bearer k", "content-type": "application/json" };
    const end = await createSendHttp({})(
      to(`${server.url}/a%20b?q=1`, { headers, body: '{"a":1}' }),
    );
    expect(end).toMatchObject({ kind: "response", status: 503, body: "na\u00EFve" });
    expect(end.kind === "response" && end.headers["x-two"]).toBe("a, b");
    expect(server.requests).toMatchObject([
      {
        method: "POST",
        url: "/a%20b?q=1",
        body: '{"a":1}',
        headers: { ...headers, "user-agent": "regrade" },
      },
    ]);
  });

  it("keeps its connection for the next request, and opens more when it needs them", async () => {
    await using server = await serve((response) => void setTimeout(() => response.end("ok"), 20));
    const send = createSendHttp({});
    for (let i = 0; i < 5; i += 1) await send(to(server.url));
    // One to spare: undici opens it while the first is being made.
    expect(server.connections()).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 30 }, () => send(to(server.url))));
    expect(server.connections()).toBeGreaterThanOrEqual(30);
    expect(server.connections()).toBeLessThanOrEqual(32);
    expect(server.requests).toHaveLength(35);
  });

  it("opens no more connections than it has requests in flight, however fast they are answered", async () => {
    await using server = await serve((response) => response.end("ok"));
    const send = createSendHttp({});
    const slot = async (): Promise<void> => {
      for (let i = 0; i < 20; i += 1) await send(to(server.url));
    };
    await Promise.all(Array.from({ length: 25 }, slot));
    expect(server.requests).toHaveLength(500);
    expect(server.connections()).toBeLessThanOrEqual(27);
  });

  it("never follows a redirect: the key stays with the host that it was meant for", async () => {
    await using other = await serve((response) => response.end("stolen"));
    await using server = await serve((response) => {
      response.writeHead(307, { location: other.url });
      response.end();
    });
    const end = await createSendHttp({})(
      to(server.url, { headers: { authorization: "Bearer k" } }),
    );
    expect(end).toMatchObject({ kind: "response", status: 307, headers: { location: other.url } });
    expect(other.requests).toEqual([]);
  });

  it("passes over what a server says before its answer", async () => {
    await using server = await serve((response) => {
      response.writeEarlyHints({ link: "</a.css>; rel=preload" });
      response.end("the answer");
    });
    expect(await createSendHttp({})(to(server.url))).toMatchObject({
      status: 200,
      body: "the answer",
    });
  });

  it("takes 16 MB and no more", async () => {
    await using server = await serve((response, { url }) => {
      response.end("x".repeat(Number(url?.slice(1))));
    });
    const send = createSendHttp({});
    const whole = await send(to(`${server.url}/16000000`));
    expect(whole.kind === "response" && whole.body.length).toBe(16_000_000);
    expect(await send(to(`${server.url}/20000000`))).toMatchObject({
      kind: "failed",
      type: "response_too_large",
      sent: true,
    });
    expect(await send(to(`${server.url}/2`))).toMatchObject({ body: "xx" });
  });

  it("that is answered with silence, or with half an answer, ends on time", async () => {
    await using silent = await serve(() => undefined);
    await using stalling = await serve((response) => void response.write("half"));
    const start = performance.now();
    const ends = await Promise.all(
      [silent, stalling].map(({ url }) => createSendHttp({})(to(url, { timeoutSeconds: 0.3 }))),
    );
    expect(ends).toEqual(
      ends.map(() => ({
        kind: "failed",
        type: "timeout",
        message: "no whole answer within 0.3 s",
        sent: true,
      })),
    );
    expect((performance.now() - start) / 1000).toBeLessThan(await patience(3));
  });

  it("ends with the run, at once", async () => {
    await using server = await serve(() => undefined);
    const stop = new AbortController();
    const sending = createSendHttp({})(to(server.url, { signal: stop.signal }));
    await sleep(50);
    stop.abort();
    expect(await sending).toEqual({ kind: "cancelled" });
    expect(await createSendHttp({})(to(server.url, { signal: stop.signal }))).toEqual({
      kind: "cancelled",
    });
  });

  it.each<[string, (text: string) => Buffer]>([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("is read though the server packs with %s unasked", async (packing, pack) => {
    await using server = await serve((response) => {
      response.setHeader("content-encoding", packing);
      response.end(pack("na\u00EFve"));
    });
    expect(await createSendHttp({})(to(server.url))).toMatchObject({ body: "na\u00EFve" });
  });

  it.each<[string, string, Buffer]>([
    ["what is not packed", "gzip", Buffer.from("x")],
    ["a bomb", "gzip", gzipSync(Buffer.alloc(20_000_000))],
  ])("says that it can't unpack %s", async (_, packing, body) => {
    await using server = await serve((response) => {
      response.setHeader("content-encoding", packing);
      response.end(body);
    });
    expect(await createSendHttp({})(to(server.url))).toMatchObject({
      kind: "failed",
      type: "bad_response",
      message: `the answer can't be unpacked (content-encoding ${packing})`,
    });
  });

  it("is read as it is under a content-encoding that is none", async () => {
    await using server = await serve((response) => {
      response.setHeader("content-encoding", "UTF-8");
      response.end("plain");
    });
    expect(await createSendHttp({})(to(server.url))).toMatchObject({ body: "plain" });
  });

  it("keeps its status and headers though an error can't be unpacked", async () => {
    await using server = await serve((response) => {
      response.writeHead(429, { "content-encoding": "gzip", "retry-after": "7" });
      response.end("slow down");
    });
    expect(await createSendHttp({})(to(server.url))).toMatchObject({
      status: 429,
      headers: { "retry-after": "7" },
      body: "slow down",
    });
  });

  it("is not begun where the stop comes before its first request could be sent", async () => {
    await using server = await serve((response) => response.end("ok"));
    const stop = new AbortController();
    const sending = createSendHttp({})(to(server.url, { signal: stop.signal }));
    stop.abort();
    expect(await sending).toEqual({ kind: "cancelled" });
    expect(server.requests).toEqual([]);
  });

  it("that breaks tells how, and whether it may have been worked on", async () => {
    await using resetting = await serveRaw((socket) => {
      socket.once("data", () => socket.resetAndDestroy());
    });
    await using stopping = await serve((response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    });
    await using talking = await serveRaw((socket) => void socket.end("220 mail ready\r\n\r\n"));
    const closed = await serve(() => undefined);
    await closed[Symbol.asyncDispose]();
    const cases = [
      [resetting.url, "connection_reset", true],
      [stopping.url, "connection_reset", true],
      [talking.url, "bad_response", true],
      [closed.url, "connection_refused", false],
      ["http://nowhere.invalid/", "name_not_resolved", false],
      [`https://127.0.0.1:${talking.port}`, "tls", false],
      ["ftp://127.0.0.1", "network", false],
      ["no address", "network", false],
    ] as const;
    for (const [url, type, sent] of cases) {
      expect([url, await createSendHttp({})(to(url))]).toEqual([
        url,
        { kind: "failed", type, sent, message: expect.stringMatching(/\w/) },
      ]);
    }
  });

  it("says that the machine has no open file left, and not that the server is away", () => {
    const error = Object.assign(
      new Error("connect EMFILE 127.0.0.1:443 - Local (undefined:undefined)"),
      { code: "EMFILE" },
    );
    expect(faultOf(error)).toEqual({
      type: "open_files_limit",
      message: expect.stringMatching(
        /^this machine allows no more open files \(ulimit -n\): connect EMFILE/,
      ),
    });
  });

  it("with a header that can't be one is refused, and nothing is sent", async () => {
    await using server = await serve((response) => response.end());
    const end = await createSendHttp({})(to(server.url, { headers: { "x-a": "1\r\nx-b: 2" } }));
    expect(end).toMatchObject({ kind: "failed", sent: false });
    expect(server.requests).toEqual([]);
  });
});

describe("a proxy", () => {
  it.each(["HTTP_PROXY", "http_proxy"])(
    "that %s names is asked for plain addresses",
    async (name) => {
      await using proxy = await serve((response) => response.end("by proxy"));
      const end = await createSendHttp({ [name]: proxy.url })(to("http://model.invalid/v1/x"));
      expect(end).toMatchObject({ status: 200, body: "by proxy" });
      expect(proxy.requests).toMatchObject([{ url: "http://model.invalid/v1/x" }]);
    },
  );

  it("may be named without a scheme, as curl has it", async () => {
    await using proxy = await serve((response) => response.end("by proxy"));
    const environment = { HTTP_PROXY: proxy.url.replace("http://", "") };
    const end = await createSendHttp(environment)(to("http://model.invalid/v1/x"));
    expect(end).toMatchObject({ status: 200, body: "by proxy" });
  });

  it.each(["http://us:pa ss/x:9#@@", "ftp://proxy:21", "http://user:pa ss%off@proxy:3128"])(
    "that is no address (%s) is refused by its variable's name alone",
    async (value) => {
      const sending = createSendHttp({ HTTPS_PROXY: value })(to("http://model.invalid/"));
      await expect(sending).rejects.toThrow(/HTTPS_PROXY holds no address of a proxy/);
      await expect(sending).rejects.not.toThrow(/pa ss|proxy:21/);
    },
  );

  it("that HTTPS_PROXY names is asked for a tunnel, and sees no key", async () => {
    const seen: string[] = [];
    await using proxy = await serveRaw((socket) => {
      socket.once("data", (data) => {
        seen.push(data.toString());
        socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      });
    });
    const headers = { authorization: "Bearer secret" };
    const environment = { HTTPS_PROXY: `http://user:word@127.0.0.1:${proxy.port}` };
    const end = await createSendHttp(environment)(to("https://model.invalid/v1", { headers }));
    expect(end).toMatchObject({ kind: "failed", message: expect.stringContaining("407") });
    expect(seen[0]).toMatch(/^CONNECT model\.invalid:443 HTTP\/1\.1/);
    expect(seen[0]).toMatch(/proxy-authorization: Basic /i);
    expect(seen.join("")).not.toContain("secret");
  });

  it("is passed by for this machine, and for what NO_PROXY names", async () => {
    await using server = await serve((response) => response.end("direct"));
    await using proxy = await serve((response) => response.end("by proxy"));
    const environment = { HTTP_PROXY: proxy.url, NO_PROXY: "other.invalid" };
    expect(await createSendHttp(environment)(to(server.url))).toMatchObject({ body: "direct" });
    expect(await createSendHttp(environment)(to("http://other.invalid"))).toMatchObject({
      type: "name_not_resolved",
    });
  });
});

describe("a server with a certificate of its own", () => {
  it("is not trusted, unless NODE_EXTRA_CA_CERTS vouches for it", async () => {
    const certificate = selfSigned();
    const server = createServer(certificate, (_, response) => response.end("trusted"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const url = `https://127.0.0.1:${port}`;
    const end = await createSendHttp({})(to(url));
    expect(end).toMatchObject({
      kind: "failed",
      type: "tls",
      sent: false,
      message: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
    const fixture = await createFixture({ "ca.pem": certificate.cert });
    const module = fileURLToPath(new URL("../../src/io/http/http.ts", import.meta.url));
    const script = `
      const { createSendHttp } = await import(${JSON.stringify(module)});
      const signal = new AbortController().signal;
      const end = await createSendHttp({})({ method: "GET", url: ${JSON.stringify(url)}, headers: {}, timeoutSeconds: 10, signal });
      console.log(JSON.stringify([end.kind, end.status, end.body]));`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: fixture.getPath("ca.pem") };
    const argv = ["--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, argv, { env });
    expect(JSON.parse(stdout)).toEqual(["response", 200, "trusted"]);
    await fixture.rm();
    server.closeAllConnections();
    server.close();
  });
});
