import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { runProgram } from "../programs.ts";

/** Git over HTTP on the loopback interface, like GitHub: requires the token, and serves shallow fetches. */
export interface GitServer extends AsyncDisposable {
  /** The server's own address; a repository is `<url>/owner/repo`. */
  readonly url: string;
  /** The Authorization headers of every request, each as often as it came. */
  readonly authorizations: readonly (readonly string[])[];
}

export interface GitServed {
  /** The repository's folder: a work tree or a bare one. */
  readonly repository: string;
  /** Required token; "": none. */
  readonly token: string;
}

/** Starts it. Any commit may be asked for by its hash, as on GitHub. */
export async function startGitServer({ repository, token }: GitServed): Promise<GitServer> {
  const own = join(repository, ".git");
  const home = existsSync(own) ? own : repository;
  const authorizations: string[][] = [];
  const expected = `basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
  const server = createServer((request, response) => {
    const given = headersOf(request, "authorization");
    authorizations.push(given);
    // GitHub answers 400 to two of them.
    if (given.length > 1) return void response.writeHead(400).end();
    if (token !== "" && given[0]?.toLowerCase() !== expected.toLowerCase())
      return void response.writeHead(401, { "www-authenticate": "Basic" }).end();
    serve(request, response, home).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    authorizations,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function headersOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}

/** git's own CGI program. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  home: string,
): Promise<void> {
  const env = { ...process.env, ...environmentOf(request, home) };
  const stdin = await buffer(request);
  const all = await runProgram({ program: "git", args: ["http-backend"], cwd: home, env, stdin });
  const end = all.indexOf("\r\n\r\n");
  const headers = all.subarray(0, end).toString().split("\r\n");
  const status = Number(/^Status: (\d+)/.exec(headers.join("\n"))?.[1] ?? "200");
  const pairs = headers.map((line) => line.split(": ") as [string, string]);
  response.writeHead(status, Object.fromEntries(pairs.filter(([name]) => name !== "Status")));
  response.end(all.subarray(end + 4));
}

function environmentOf(request: IncomingMessage, home: string): Record<string, string> {
  const url = new URL(request.url ?? "/", "http://loopback");
  return {
    GIT_PROJECT_ROOT: home,
    GIT_HTTP_EXPORT_ALL: "1",
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "uploadpack.allowAnySHA1InWant",
    GIT_CONFIG_VALUE_0: "true",
    GIT_CONFIG_KEY_1: "safe.directory",
    GIT_CONFIG_VALUE_1: "*",
    // `/owner/repo/info/refs` is the repository's own `info/refs`.
    PATH_INFO: url.pathname.replace(/^\/[^/]+\/[^/]+/, ""),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method ?? "GET",
    CONTENT_TYPE: request.headers["content-type"] ?? "",
    HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
    GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    REMOTE_USER: "someone",
  };
}
