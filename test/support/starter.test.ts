import { execFile, spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { runProgram } from "./programs.ts";
import { until } from "./cli.ts";

const start = promisify(execFile);
const shell = (script: string, options: object = {}) =>
  start("sh", ["-c", script], { ...options, encoding: "utf8" });

const read = (stream: unknown): Promise<string> =>
  stream instanceof Readable ? text(stream) : Promise.resolve("no pipe");

/** starter.ts is a setup file: it is in force in every test. */
describe.runIf(process.platform === "linux")("programs that tests start", () => {
  it("come from the small process, with what they were given", async () => {
    await until("another process starts them", async () => {
      const { stdout } = await shell("echo $PPID");
      return Number(stdout) !== process.pid;
    });
    const told = await shell("pwd; echo $SAID; echo aside >&2", { cwd: "/", env: { SAID: "ü" } });
    expect(told).toEqual({ stdout: "/\nü\n", stderr: "aside\n" });
  });

  it("end as Node says it", async () => {
    await expect(shell("exit 3")).rejects.toMatchObject({ code: 3, signal: null });
    await expect(shell("kill -SEGV $$")).rejects.toMatchObject({ code: null, signal: "SIGSEGV" });
    await expect(shell("sleep 60", { timeout: 50 })).rejects.toMatchObject({ signal: "SIGTERM" });
  });

  it("are Node's own errors where they can't be started", async () => {
    const missing = { code: "ENOENT", syscall: "spawn no-such-program" };
    await expect(start("no-such-program")).rejects.toMatchObject(missing);
    await expect(start("true", { cwd: "/no/such/folder" })).rejects.toMatchObject({
      code: "ENOENT",
    });
    await expect(start(tmpdir())).rejects.toMatchObject({ code: "EACCES" });
  });

  it("have further pipes, and a session of their own where asked", async () => {
    const program = "import os; print(os.getsid(0) == os.getpid()); os.write(4, os.read(3, 9))";
    const child = spawn("python3", ["-c", program], {
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
      detached: true,
    });
    const [, stdout, , input, output] = child.stdio;
    if (!(input instanceof Writable)) throw new Error("no pipe");
    input.end("through 3");
    expect(await Promise.all([stdout, output].map(read))).toEqual(["True\n", "through 3"]);
  });

  it("hear of the end of their input, with much in it and with nothing", async () => {
    const stdin = Buffer.alloc(3_000_000, "x");
    const order = { program: "cat", args: [], cwd: "/" };
    expect((await runProgram({ ...order, stdin })).equals(stdin)).toBe(true);
    expect(await runProgram(order)).toHaveLength(0);
  });

  it("run in a fork where they are small programs of Python, as if they were started anew", async () => {
    const program = `import json, os, sys
here = "regrade" in sys.modules or "forked" in sys.modules
print(json.dumps([sys.argv, dict(os.environ), os.getcwd(), sys.path, sys.executable, here, __name__, __file__]))
print(sys.stdin.read(), file=sys.stderr)
sys.exit("ended" if len(sys.argv) > 2 else 3)`;
    await using fixture = await createFixture({ "small.py": program });
    const { PATH } = process.env;
    const asked = { cwd: fixture.path, env: { PATH, SAID: "ü" }, encoding: "utf8" } as const;
    for (const args of [
      ["-S", "small.py"],
      ["-S", "small.py", "1", "ü"],
      ["small.py", "1"],
      ["-I", "-S", "small.py"],
    ]) {
      const anew = spawnSync("python3", args, { ...asked, input: "" });
      const starting = start("python3", args, asked);
      starting.child.stdin?.end();
      const forked = await starting.catch((error: unknown) => error);
      expect(forked).toMatchObject({
        code: anew.status,
        stdout: anew.stdout,
        stderr: anew.stderr,
      });
    }
  });
});
