import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  createServer as createRawServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net";

export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Loopback extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  /** Every request, whole. */
  readonly requests: readonly Received[];
  readonly connections: () => number;
}

/** An HTTP server on the loopback that records its requests. */
export async function serve(
  answer: (response: ServerResponse, request: Received) => void,
): Promise<Loopback> {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      const received = { method, url, headers, body: Buffer.concat(chunks).toString() };
      requests.push(received);
      answer(response, received);
    });
  });
  return { ...(await open(server)), requests };
}

/** A server that handles its connections as the test says. */
export async function serveRaw(onConnection: (socket: Socket) => void): Promise<Loopback> {
  return { ...(await open(createRawServer(onConnection))), requests: [] };
}

async function open(server: Server): Promise<Omit<Loopback, "requests">> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
