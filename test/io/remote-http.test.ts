import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { RemoteEnd, RemoteRequest } from "../../src/model/ports/remote.ts";
import { createGetRemote } from "../../src/io/http/remote-http.ts";
import { serve, type Received } from "../support/loopback.ts";

type ResolveHost = NonNullable<Parameters<typeof createGetRemote>[0]["resolve"]>;

const never = new AbortController().signal;

function asking(url: string, more: Partial<RemoteRequest> = {}): RemoteRequest {
  return { url, headers: {}, token: undefined, signal: never, ...more };
}

async function bodyOf(end: RemoteEnd): Promise<string> {
  if (end.kind !== "response") return JSON.stringify(end);
  const chunks: Uint8Array[] = [];
  for await (const chunk of end.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Names without a name server: each asked for, in order, finds the next of its addresses. */
function names(table: Readonly<Record<string, readonly string[]>>): ResolveHost & {
  readonly asked: readonly string[];
} {
  const asked: string[] = [];
  const resolve: ResolveHost = (host, done) => {
    const found = table[host] ?? [];
    const nth = asked.filter((each) => each === host).length;
    asked.push(host);
    const address = found[Math.min(nth, found.length - 1)];
    if (address === undefined) return done(new Error("ENOTFOUND"), []);
    done(null, [{ address, family: address.includes(":") ? 6 : 4 }]);
  };
  return Object.assign(resolve, { asked });
}

const bothAddresses: ResolveHost = (_, done) =>
  done(null, [
    { address: "1.1.1.1", family: 4 },
    { address: "10.0.0.1", family: 4 },
  ]);

const redirect =
  (to: (request: Received) => string | undefined) =>
  (response: ServerResponse, request: Received): void => {
    const location = to(request);
    if (location === undefined) response.end("the file");
    else response.writeHead(302, { location }).end("moved");
  };

describe("fetching what a suite names", () => {
  it.each([
    ["a literal", (port: number) => `http://127.0.0.1:${port}/`],
    ["a decimal number", (port: number) => `http://2130706433:${port}/`],
    ["a hexadecimal number", (port: number) => `http://0x7f000001:${port}/`],
    ["an octal number", (port: number) => `http://0177.0.0.1:${port}/`],
    ["a short form", (port: number) => `http://127.1:${port}/`],
    ["the address of any", (port: number) => `http://0.0.0.0:${port}/`],
    ["mapped into IPv6", (port: number) => `http://[::ffff:127.0.0.1]:${port}/`],
    ["localhost", (port: number) => `http://localhost:${port}/`],
    ["localhost with a dot", (port: number) => `http://localhost.:${port}/`],
    ["a name under localhost", (port: number) => `http://data.localhost:${port}/`],
    ["a name that resolves to it", (port: number) => `http://data.example:${port}/`],
  ])("never reaches this machine: %s", async (_, address) => {
    await using server = await serve((response) => void response.end("secret"));
    const resolve = names({ "data.example": ["127.0.0.1"] });
    const get = createGetRemote({ environment: {}, testHosts: [], resolve });
    const end = await get(asking(address(server.port)));
    expect(end.kind).toBe("forbidden");
    expect(server.connections()).toBe(0);
  });

  it("connects to the address that was looked at, not to what the name says a moment later", async () => {
    await using server = await serve((response) => void response.end("secret"));
    // TEST-NET would not answer; the first answer is public, every later one is this machine.
    const resolve = names({ "rebind.example": ["127.0.0.1"] });
    const get = createGetRemote({ environment: {}, testHosts: [], resolve });
    const end = await get(asking(`http://rebind.example:${server.port}/`));
    expect(end).toMatchObject({ kind: "forbidden" });
    expect(resolve.asked).toEqual(["rebind.example"]);
    expect(server.connections()).toBe(0);
  });

  it("refuses a name of which one address is private", async () => {
    const get = createGetRemote({ environment: {}, testHosts: [], resolve: bothAddresses });
    expect(await get(asking("http://two.example/"))).toEqual({
      kind: "forbidden",
      url: "http://two.example/",
      reason: "two.example is 10.0.0.1, an address of a private network",
    });
  });

  it.each([
    ["the cloud's metadata", () => "http://169.254.169.254/latest/meta-data/", "metadata"],
    [
      "this machine by another name",
      (port: number) => `http://localhost:${port}/file`,
      "this machine",
    ],
    ["another protocol", () => "file:///etc/passwd", "not http"],
    ["a user", (port: number) => `http://a:b@127.0.0.1:${port}/`, "password"],
  ])("does not follow a redirect to %s", async (_, target, why) => {
    await using server = await serve((response, request) =>
      redirect(({ url }) => (url === "/" ? target(server.port) : undefined))(response, request),
    );
    const get = createGetRemote({ environment: {}, testHosts: [`127.0.0.1:${server.port}`] });
    const end = await get(asking(`${server.url}/`));
    expect(end).toMatchObject({ kind: "forbidden" });
    expect(end.kind === "forbidden" && end.reason).toContain(why);
    expect(server.requests).toHaveLength(1);
  });

  it("follows a redirect that may be followed, and gives the token to the first host alone", async () => {
    await using other = await serve((response) => void response.end("the file"));
    await using server = await serve((response, request) =>
      redirect(({ url }) => (url === "/a" ? "/b" : `${other.url}/c`))(response, request),
    );
    const hosts = [server, other].map(({ port }) => `127.0.0.1:${port}`);
    const get = createGetRemote({ environment: {}, testHosts: hosts });
    const end = await get(asking(`${server.url}/a`, { token: "hf_secret" }));
    expect(await bodyOf(end)).toBe("the file");
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer hf_secret",
      "Bearer hf_secret",
    ]);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it("gives up on a redirect in a circle", async () => {
    await using server = await serve(redirect(() => "/again"));
    const get = createGetRemote({ environment: {}, testHosts: [`127.0.0.1:${server.port}`] });
    expect(await get(asking(server.url))).toMatchObject({ kind: "failed", type: "bad_response" });
    expect(server.requests).toHaveLength(11);
  });

  it("holds a test host to its port", async () => {
    await using server = await serve((response) => void response.end("secret"));
    const get = createGetRemote({ environment: {}, testHosts: ["127.0.0.1:1", "127.0.0.1"] });
    expect(await get(asking(server.url))).toMatchObject({ kind: "forbidden" });
  });

  it("behind a proxy refuses names that are private as far as this machine knows", async () => {
    await using proxy = await serve((response) => void response.end("through the proxy"));
    const resolve = names({ "inside.example": ["10.0.0.7"] });
    const environment = { HTTP_PROXY: proxy.url };
    const get = createGetRemote({ environment, testHosts: [], resolve });
    expect(await get(asking("http://inside.example/"))).toMatchObject({ kind: "forbidden" });
    expect(await get(asking("http://10.0.0.7/"))).toMatchObject({ kind: "forbidden" });
    expect(proxy.requests).toHaveLength(0);
    expect(await bodyOf(await get(asking("http://unknown.example/")))).toBe("through the proxy");
  });

  it("tells a body that breaks off from one that ends", async () => {
    await using server = await serve((response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half");
      setTimeout(() => response.destroy(), 20);
    });
    const get = createGetRemote({ environment: {}, testHosts: [`127.0.0.1:${server.port}`] });
    await expect(get(asking(server.url)).then(bodyOf)).rejects.toThrow("broke off");
  });
});
