import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createArtifacts, type Artifact, type Artifacts } from "./artifacts.ts";
import { createBlobs, type Blobs } from "./blobs.ts";
import { createRest, type Rest } from "./rest.ts";
import { answerTwirp, twirpPath } from "./twirp.ts";

/** Stands in for GitHub's services on the loopback interface: artifact service, blob storage and REST API. */
export interface GitHub extends AsyncDisposable {
  readonly url: string;
  readonly artifacts: Artifacts;
  /** The API: its state, its faults, its calls. */
  readonly rest: Rest;
  /** Every request, in order, with its answer. */
  readonly requests: readonly LoggedRequest[];
  /** Trouble of the services from now on. */
  readonly trouble: { artifactService: "none" | "down" | "refuses" | "hangs" };
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

/**
 * Starts the stand-in on a free port. `await using github = await startGitHub()` stops it, and fails the test where a
 * request or an answer of the API went against GitHub's own description. `known`: existing artifacts.
 */
export async function startGitHub(known: readonly Artifact[] = []): Promise<GitHub> {
  const artifacts = createArtifacts(known);
  const blobs = createBlobs();
  for (const { blob, content } of known) if (content) blobs.store(blob, content);
  const rest = createRest();
  const requests: LoggedRequest[] = [];
  const trouble: GitHub["trouble"] = { artifactService: "none" };
  const server = createServer((request, response) => {
    const services = { artifacts, blobs, rest, trouble, url: urlOf(server.address()) };
    void serve(request, response, services).then(
      (logged) => requests.push(logged),
      (error: unknown) => {
        rest.violations.push(`the stand-in broke: ${String(error)}`);
        response.destroy();
      },
    );
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: urlOf(server.address()),
    artifacts,
    rest,
    requests,
    trouble,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      if (rest.violations.length > 0) throw new Error(rest.violations.join("\n"));
    },
  };
}

export interface Services {
  readonly artifacts: Artifacts;
  readonly blobs: Blobs;
  readonly rest: Rest;
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
  const reply = await answer({ method, url, headers: request.headers, body }, services);
  if (reply === "hang" || reply === "reset") {
    if (reply === "reset") response.destroy();
    return { method, path: url.pathname, bytes: body.length, status: 0 };
  }
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

async function answer(asked: Asked, services: Services): Promise<Reply | "hang" | "reset"> {
  const { pathname } = asked.url;
  if (pathname.startsWith(twirpPath))
    return services.trouble.artifactService === "hangs" ? "hang" : answerTwirp(asked, services);
  if (pathname.startsWith("/blobs/")) return services.blobs.answer(asked);
  return services.rest.answer(asked, services);
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function urlOf(address: AddressInfo | string | null): string {
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
}
