import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createArtifacts, type Artifacts } from "./artifacts.ts";
import { createBlobs, type Blobs } from "./blobs.ts";
import { answerTwirp, twirpPath } from "./twirp.ts";

/** Stands in for GitHub's services on the loopback interface: artifact service and blob storage. */
export interface GitHub extends AsyncDisposable {
  readonly url: string;
  readonly artifacts: Artifacts;
  /** Every request, in order, with what was answered. */
  readonly requests: readonly LoggedRequest[];
  /** What is wrong with the services from now on. */
  readonly trouble: { artifactService: "none" | "down" | "refuses" };
}

export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly bytes: number;
  readonly status: number;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Starts the stand-in on a free port. `await using github = await startGitHub()` stops it. */
export async function startGitHub(): Promise<GitHub> {
  const artifacts = createArtifacts();
  const blobs = createBlobs();
  const requests: LoggedRequest[] = [];
  const trouble: GitHub["trouble"] = { artifactService: "none" };
  const server = createServer((request, response) => {
    const services = { artifacts, blobs, trouble, url: urlOf(server.address()) };
    void serve(request, response, services).then((logged) => requests.push(logged));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: urlOf(server.address()),
    artifacts,
    requests,
    trouble,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export interface Services {
  readonly artifacts: Artifacts;
  readonly blobs: Blobs;
  readonly trouble: GitHub["trouble"];
  readonly url: string;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  services: Services,
): Promise<LoggedRequest> {
  const body = await readAll(request);
  const url = new URL(request.url ?? "/", services.url);
  const method = request.method ?? "GET";
  const reply = answer({ method, url, headers: request.headers, body }, services);
  response.writeHead(reply.status, { "x-ms-request-id": "stand-in", ...reply.headers });
  response.end(reply.body);
  return { method, path: url.pathname, bytes: body.length, status: reply.status };
}

export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

function answer(asked: Asked, services: Services): Reply {
  const { pathname } = asked.url;
  if (pathname.startsWith(twirpPath)) return answerTwirp(asked, services);
  if (pathname.startsWith("/blobs/")) return services.blobs.answer(asked);
  return { status: 404, body: `the stand-in has no ${asked.method} ${pathname}` };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function urlOf(address: AddressInfo | string | null): string {
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
}
