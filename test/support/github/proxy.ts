import { connect, createServer, type Socket } from "node:net";

/** A corporate proxy: CONNECT, and then it forwards everything. */
export async function startProxy(
  port: string,
  asked: string[],
): Promise<AsyncDisposable & { readonly url: string }> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on("error", () => undefined);
    client.once("data", (head) => {
      asked.push(/^\S+ \S+/.exec(head.toString())?.[0] ?? "");
      const to = connect(Number(port), "127.0.0.1");
      open.add(to);
      to.on("error", () => undefined);
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      client.pipe(to).pipe(client);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const own = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${own}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
