import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Answer, Order } from "./program-starter.ts";

export interface Program {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly stdin?: Buffer;
}

interface Waiting {
  readonly resolve: (stdout: Buffer) => void;
  readonly reject: (error: Error) => void;
}

const waiting = new Map<number, Waiting>();
let starter: ChildProcess | undefined;
let orders = 0;

/**
 * Runs a program to its end, and gives its stdout; throws unless it exits with 0. A small process starts it: Linux copies the
 * page tables of the process that starts another, which takes a test's own process, of hundreds of megabytes, 6 to 18 ms of
 * processor time instead of 1.
 */
export function runProgram({ env = process.env, ...more }: Program): Promise<Buffer> {
  starter ??= startStarter();
  const { channel } = starter;
  const order: Order = { ...more, env: { ...env }, id: (orders += 1) };
  const answered = new Promise<Buffer>((resolve, reject) => {
    waiting.set(order.id, { resolve, reject });
  });
  channel?.ref();
  starter.send(order);
  return answered;
}

function startStarter(): ChildProcess {
  const child = fork(join(import.meta.dirname, "program-starter.ts"), {
    // A test's own folder may go, and Node's options are the worker's.
    cwd: import.meta.dirname,
    execArgv: [],
    env: {},
    serialization: "advanced",
  });
  child.on("message", (message) => settle(message as Answer));
  child.on("exit", () => {
    starter = undefined;
    for (const { reject } of waiting.values()) reject(new Error("the starter of programs ended"));
    waiting.clear();
  });
  child.unref();
  child.channel?.unref();
  return child;
}

function settle({ id, stdout, error }: Answer): void {
  const asked = waiting.get(id);
  waiting.delete(id);
  if (waiting.size === 0) starter?.channel?.unref();
  if (error === undefined) asked?.resolve(Buffer.from(stdout));
  else asked?.reject(new Error(error));
}
