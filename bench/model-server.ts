import { createServer, type Socket } from "node:net";
import { answerBody, type Api } from "../test/support/provider/answers.ts";

/**
 * A provider in a process of its own: `node model-server.ts MILLISECONDS`. Prints its address; ends with its stdin. It
 * repeats the prompt. It uses bare sockets and a minimum of HTTP: a slow server would hide the client's slowness.
 */
const latencyMs = Number(process.argv[2] ?? 0);
let count = 0;

const server = createServer({ noDelay: true }, (socket) => {
  let held = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    for (let size = wholeSize(held); size <= held.length; size = wholeSize(held)) {
      answerLater(socket, held.toString("utf8", 0, size));
      held = held.subarray(size);
    }
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  console.log(`http://127.0.0.1:${port}/v1`);
});
process.stdin.on("end", () => process.exit());
process.stdin.resume();

/** Bytes of the first request; infinite if its head is incomplete. */
function wholeSize(held: Buffer): number {
  const headSize = held.indexOf("\r\n\r\n") + 4;
  if (headSize < 4) return Infinity;
  const length = /content-length: *(\d+)/i.exec(held.toString("latin1", 0, headSize))?.[1];
  return headSize + Number(length ?? 0);
}

function answerLater(socket: Socket, request: string): void {
  if (latencyMs === 0) return answer(socket, request);
  setTimeout(() => answer(socket, request), latencyMs);
}

function answer(socket: Socket, request: string): void {
  const api: Api = request.startsWith("POST /v1/responses ") ? "responses" : "chat";
  const body = JSON.parse(request.slice(request.indexOf("\r\n\r\n"))) as {
    readonly model: string;
    readonly input?: unknown;
    readonly messages?: readonly { readonly content: string }[];
  };
  const prompt =
    typeof body.input === "string" ? body.input : (body.messages?.at(-1)?.content ?? "");
  const told = { id: count, model: body.model, prompt };
  count += 1;
  const text = JSON.stringify(answerBody(api, told, { text: prompt }));
  const length = Buffer.byteLength(text);
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`,
  );
}
