import { ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "vitest";

/**
 * Programs that this process starts are started by a small one, `starter.py`. Linux copies the page tables of the process
 * that starts another, and in both of them each page that is written to afterwards costs a fault: for a test's process, of
 * hundreds of megabytes, 6 to 18 ms of processor time instead of 1. What is under test notices nothing: standard streams
 * and further ones, working directory, environment, session, signals, end and exit code are the same, but for the parent's
 * id. Whatever the small one does not do, Node does as ever: descriptors that are passed on, channels between Nodes, and
 * programs that can't be started, whose errors are then Node's own.
 *
 * It stands in for the one call of Node's that all of `node:child_process`, and so execa, goes through. A vitest setup file:
 * it is loaded for each test file, and acts once in a process.
 */
const installed = Symbol.for("regrade.test.starter");

interface Handle {
  pid?: number;
  onexit: (code: number, signal: string) => void;
}

interface NativeHandle extends Handle {
  spawn: (this: NativeHandle, ...args: unknown[]) => number;
  kill: (this: NativeHandle, signal: number) => number;
}

/** What `spawn` was called with, in Node's own form once it reaches the handle. */
interface StartOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly envPairs: readonly string[];
  readonly detached?: boolean;
  readonly uid?: number | null;
  readonly gid?: number | null;
  readonly stdio: readonly StreamOptions[];
}

interface StreamOptions {
  readonly type: string;
  readonly ipc?: boolean;
  handle?: Pipe;
}

interface Pipe {
  readonly connect: (this: Pipe, request: ConnectRequest, path: string) => number;
  shutdown: (this: Pipe, request: object) => number;
  readonly close: (this: Pipe) => void;
}

interface ConnectRequest {
  oncomplete: () => void;
}

interface PipeBinding {
  readonly Pipe: new (kind: number) => Pipe;
  readonly PipeConnectWrap: new () => ConnectRequest;
  readonly constants: { readonly SOCKET: number };
}

/** The pipes to the small process, once it runs. */
interface Starter {
  readonly name: string;
  readonly orders: number;
  readonly answers: number;
  readonly ends: Socket;
}

/** Tests of what hostile code finds in its /proc: a fork's shows the environment and the command line of the small process. */
const startAnew = ["/fence.", "/secrets.", "/escapes.", "/held", "/open-watch."];
/** Tests of hosts, and of programs: the first of each kind in each `describe` is started anew. */
const startFirstAnew = ["/python-host/", "/attacks", "/candidate/"];
const startedAnew = new Set<string>();

const global = globalThis as { [installed]?: true };
if (process.platform === "linux" && global[installed] === undefined) {
  global[installed] = true;
  install();
}

function install(): void {
  const { prototype } = nativeHandle().constructor as { readonly prototype: NativeHandle };
  const native = { spawn: prototype.spawn, kill: prototype.kill };
  const ofChild = ChildProcess.prototype as unknown as {
    spawn: (this: object, options: StartOptions) => number;
  };
  const spawnChild = ofChild.spawn;
  let options: StartOptions | undefined;
  const running = new Map<number, Handle>();
  let starter: Starter | "none" | "starting" | "ended" = "none";

  ofChild.spawn = function (this: object, given) {
    options = given;
    return spawnChild.call(this, given);
  };

  prototype.spawn = function (this: NativeHandle, ...args) {
    if (typeof starter === "object" && options && isOrdinary(options)) {
      const answer = order(starter, options);
      if (answer > 0) {
        this.pid = answer;
        running.set(answer, this);
        starter.ends.ref();
        return 0;
      }
      if (answer === 0) starter = "ended";
      for (const stream of options.stdio) if (stream.type !== "ignore") replacePipe(stream);
    }
    const code = native.spawn.apply(this, args);
    if (starter === "none") {
      starter = "starting";
      void start(settle).then(
        (started) => (starter = started),
        () => (starter = "ended"),
      );
    }
    return code;
  };

  prototype.kill = function (this: NativeHandle, signal) {
    if (this.pid === undefined || running.get(this.pid) !== this)
      return native.kill.call(this, signal);
    try {
      process.kill(this.pid, signal);
      return 0;
    } catch (error) {
      return (error as NodeJS.ErrnoException).errno ?? -constants.errno.ESRCH;
    }
  };

  function settle(pid: number, code: number, signal: string): void {
    const handle = running.get(pid);
    running.delete(pid);
    // A program that runs keeps this process alive.
    if (running.size === 0 && typeof starter === "object") starter.ends.unref();
    // After the output that is there, as Node does it, and each in a turn of its own.
    setImmediate(() => handle?.onexit(code, signal));
  }
}

/** The object of Node's that a child process is started by. */
function nativeHandle(): object {
  const child: unknown = new (ChildProcess as unknown as new () => object)();
  // oxlint-disable-next-line no-underscore-dangle -- Node's own
  return (child as { readonly _handle: object })._handle;
}

function isOrdinary({ stdio, uid, gid }: StartOptions): boolean {
  const usual = stdio.filter(({ type, ipc }) => type === "ignore" || (type === "pipe" && !ipc));
  return usual.length === stdio.length && (uid ?? gid ?? undefined) === undefined;
}

/** The id of the program started, or a negative number; 0 if the small process is gone. */
function order({ name, orders, answers }: Starter, options: StartOptions): number {
  const { file, args, cwd, envPairs, detached, stdio } = options;
  for (const { handle } of stdio) if (handle && !connect(handle, `\0${name}`)) return 0;
  const asked = JSON.stringify({
    file,
    args,
    env: envPairs,
    cwd: cwd ?? process.cwd(),
    session: detached === true,
    forks: mayFork(args),
    streams: stdio.map(({ type }) => (type === "ignore" ? "none" : "connection")),
  });
  const frame = Buffer.alloc(4 + Buffer.byteLength(asked));
  frame.writeUInt32BE(frame.length - 4);
  frame.write(asked, 4);
  try {
    for (let at = 0; at < frame.length;) at += writeSync(orders, frame, at);
    const answer = Buffer.alloc(16);
    return Number(answer.toString("latin1", 0, readSync(answers, answer)));
  } catch {
    return 0;
  }
}

/** Whether a Python may run in a fork of the small process, which takes a quarter of the processor time of its start. */
function mayFork(args: readonly string[]): boolean {
  const { testPath = "", currentTestName = "" } = expect.getState();
  const isAmong = (parts: readonly string[]): boolean =>
    parts.some((part) => testPath.includes(part));
  if (testPath === "" || isAmong(startAnew)) return false;
  if (!isAmong(startFirstAnew)) return true;
  const group = currentTestName.split(" > ").slice(0, -1);
  const kind = args.map((arg) => basename(arg)).slice(1, 5);
  const first = [testPath, ...group, ...kind].join(" ");
  if (startedAnew.has(first)) return true;
  startedAnew.add(first);
  return false;
}

/** Connects at once, but Node hears of it later, and forgets a shutdown that it is asked for before. */
function connect(pipe: Pipe, path: string): boolean {
  const { shutdown } = pipe;
  let asked: object | undefined;
  pipe.shutdown = (request) => {
    asked = request;
    return 0;
  };
  const request = new (pipes().PipeConnectWrap)();
  request.oncomplete = () => {
    pipe.shutdown = shutdown;
    if (asked !== undefined) pipe.shutdown(asked);
  };
  return pipe.connect(request, path) === 0;
}

function replacePipe(stream: StreamOptions): void {
  const { Pipe: Created, constants: kinds } = pipes();
  stream.handle?.close();
  stream.handle = new Created(kinds.SOCKET);
}

function pipes(): PipeBinding {
  const { binding } = process as unknown as { binding: (name: string) => PipeBinding };
  return binding("pipe_wrap");
}

async function start(
  settle: (pid: number, code: number, signal: string) => void,
): Promise<Starter> {
  const name = `regrade-test-${process.pid}-${Date.now()}`;
  const program = join(import.meta.dirname, "starter.py");
  const hosts = join(import.meta.dirname, "..", "..", "python", "regrade");
  const child = spawn("python3", ["-I", "-X", "utf8", program, name, hosts], {
    cwd: "/",
    env: { PATH: process.env["PATH"] },
    stdio: ["pipe", "pipe", "inherit"],
  });
  for (const each of [child, child.stdin, child.stdout]) {
    each.on("error", () => undefined);
    (each as unknown as { unref: () => void }).unref();
  }
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  const [asking, answering, told] = said.toString("latin1").trim().split(" ");
  const folder = `/proc/${child.pid}/fd`;
  const orders = openSync(`${folder}/${asking}`, "w");
  const answers = openSync(`${folder}/${answering}`, "r");
  const ends = new Socket({ fd: openSync(`${folder}/${told}`, "r"), writable: false }).unref();
  child.stdin.end("\n");
  createInterface({ input: ends }).on("line", (line) => {
    const [pid = 0, code = 0, signal = 0] = line.split(" ").map(Number);
    settle(pid, code, nameOf(signal));
  });
  return { name, orders, answers, ends };
}

function nameOf(signal: number): string {
  return Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? "";
}
