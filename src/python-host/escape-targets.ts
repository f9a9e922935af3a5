import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo, type Server } from "node:net";
import path from "node:path";
import { makeTemporaryFolder, refusingTemporary } from "../io/files/temporary.ts";
import type { JsonObject } from "../model/json.ts";

/** Fixtures for the sandbox self-test: targets of the escape attempts, and the grader that makes them. */
export interface EscapeTargets {
  readonly grader: string;
  /** The keys of `Targets` in python/regrade/sandbox/escapes.py. */
  readonly targets: JsonObject;
  readonly close: () => Promise<void>;
}

const graderSource = "from regrade.sandbox.escapes import grade\n\n__all__ = ['grade']\n";

const files = {
  github_env: "runner/env",
  github_output: "runner/output",
  git_config: "work/.git/config",
  home: "home/.netrc",
  neighbour: "work/evals/suite.yaml",
  workspace: "work/app.py",
  own: "work/evals/graders/words.txt",
  dist: "work/dist/main.mjs",
} as const;

/** Opens files in a temporary folder and listeners on this machine's own address, like those around a real run. */
export async function openEscapeTargets(): Promise<EscapeTargets> {
  const folder = await makeTemporaryFolder("regrade-escape-targets-");
  const at = (name: string): string => path.join(folder, name);
  for (const name of Object.values(files)) await put(at(name), "content\n");
  const grader = at("work/evals/graders/escapes.py");
  await put(grader, graderSource);
  await mkdir(at("work/mount"));
  const tcp = createServer((socket) => socket.end());
  const unix = createServer((socket) => socket.end());
  await listen(tcp, { host: "127.0.0.1", port: 0 });
  // Windows has no sockets in folders.
  const socket = process.platform === "win32" ? undefined : at("socket");
  if (socket !== undefined) await listen(unix, { path: socket });
  const udp = await openEcho();
  return {
    grader,
    targets: {
      ...Object.fromEntries(Object.entries(files).map(([key, name]) => [key, at(name)])),
      folder: at("work/mount"),
      parent: process.pid,
      tcp: portOf(tcp),
      udp: udp.port,
      dns: udp.port,
      ...(socket !== undefined && { unix: socket }),
    },
    close: async () => {
      tcp.close();
      unix.close();
      udp.close();
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}

async function put(file: string, text: string): Promise<void> {
  await refusingTemporary(async () => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  });
}

function listen(server: Server, where: { host: string; port: number } | { path: string }) {
  return new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, resolve);
  });
}

function portOf(server: Server): number {
  const address: string | AddressInfo | null = server.address();
  return address === null || typeof address === "string" ? 0 : address.port;
}

/** A server that answers every request in the same way. */
async function openEcho(): Promise<{ readonly port: number; readonly close: () => void }> {
  const { createSocket } = await import("node:dgram");
  const socket = createSocket("udp4");
  socket.on("message", (message, sender) => socket.send(message, sender.port, sender.address));
  await new Promise<void>((resolve) => {
    socket.bind(0, "127.0.0.1", resolve);
  });
  return { port: socket.address().port, close: () => void socket.close() };
}
