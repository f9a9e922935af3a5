import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openHeldCheck } from "../../src/grading/held/open.ts";
import type { PythonTools } from "../../src/model/ports/programs.ts";
import { startPython } from "../../src/python-host/pool.ts";

/** A program that grades tries many ways out at once: by links, descriptors, /proc, system calls, and what it says. */

let fixture: FsFixture;
let python: PythonTools;

beforeAll(async () => {
  fixture = await createFixture({
    "evals/suite.yaml": "answers",
    "evals/lib/b.txt": "B",
    "runs/today/samples.jsonl": "{}",
  });
  python = await startPython({
    python: "python3",
    sandbox: "auto",
    packageDirectory: path.resolve("python/regrade"),
    env: { ...process.env, API_KEY: "sk-123456789", GITHUB_ENV: fixture.getPath("runs/env") },
    hosts: 1,
  });
});

afterAll(async () => {
  await python.close();
  await fixture.rm();
});

/** The grade of a program of Python; `options`: of the grader. */
async function graded(source: string, options: Record<string, number | string> = {}) {
  const base = { directory: fixture.getPath("evals"), root: fixture.path.replace(/\/$/, "") };
  const check = { type: "program", command: "python3", args: ["-c", source], ...options };
  const opened = await openHeldCheck(
    check,
    { openHeldProgram: python.openHeldProgram, base },
    { inRow: true },
  );
  if ("refused" in opened) throw new Error(opened.refused.message);
  const sample = { output_text: "an answer", extracted_output: "", sample_id: "s" };
  const item = { prompt: "", target: null, choices: [], task_id: "t" };
  return opened.check({ sample: Object(sample), item, readsField: false });
}

/** What each does; all of them must raise, or return false. */
const ways: readonly (readonly [what: string, script: string])[] = [
  ["read by a link", "os.symlink(there('evals/suite.yaml'), own('a')); open(own('a')).read()"],
  [
    "write by a link",
    "os.symlink(there('evals/suite.yaml'), own('b')); open(own('b'), 'a').write('x')",
  ],
  ["list by a link", "os.symlink(there('evals'), own('c')); os.listdir(own('c'))"],
  ["read by the root in /proc", "open('/proc/self/root' + there('evals/suite.yaml')).read()"],
  [
    "move a file in",
    "open(own('d'), 'w').write('x'); os.rename(own('d'), there('evals/suite.yaml'))",
  ],
  ["move a file out", "os.rename(there('evals/suite.yaml'), own('e'))"],
  ["make a folder", "os.mkdir(there('new'))"],
  ["remove a folder", "os.remove(there('evals/lib/b.txt'))"],
  ["cut a file", "os.truncate(there('evals/suite.yaml'), 0)"],
  ["give a file away", "os.chown(there('evals/suite.yaml'), 0, 0)"],
  ["mark a file", "os.setxattr(there('evals/suite.yaml'), 'user.x', b'1')"],
  ["make a pipe", "os.mkfifo(there('new'))"],
  ["write in the run", "open(there('runs/today/samples.jsonl'), 'a').write('x')"],
  ["read the run", "open(there('runs/today/samples.jsonl')).read()"],
  [
    "set variables of the job",
    "open(os.environ.get('GITHUB_ENV') or there('runs/env'), 'a').write('x')",
  ],
  ["have an inherited descriptor", "any(is_open(fd) for fd in range(3, 4096))"],
  [
    "have a secret",
    "'API_KEY' in os.environ or b'sk-123456789' in open('/proc/self/environ', 'rb').read()",
  ],
  ["list the parent's descriptors", "os.listdir(f'/proc/{parent}/fd')"],
  ["read the parent's memory", "open(f'/proc/{parent}/mem', 'rb')"],
  ["read the parent's folder", "os.listdir(f'/proc/{parent}/cwd')"],
  ["read the parent's command line", "open(f'/proc/{parent}/cmdline').read()"],
  ["read Regrade's environment", "open(f'/proc/{node}/task/{node}/environ').read()"],
  ["mark the parent to be ended", "open(f'/proc/{parent}/oom_score_adj', 'w').write('1000')"],
  ["list processes", "os.listdir('/proc')"],
  ["read another's memory", "call(310, parent, 0, 0, 0, 0, 0)"],
  ["hold a process", "call(434, parent, 0)"],
  ["take a descriptor", "call(438, 0, 1, 0)"],
  ["attach to Regrade", "call(101, 16, node, 0, 0)"],
  ["signal a thread", "call(234, parent, parent, 0)"],
  ["signal with a value", "call(129, parent, 0, 0)"],
  ["signal Regrade", "os.kill(node, 0)"],
  ["slow the parent", "os.setpriority(os.PRIO_PROCESS, parent, 19)"],
  ["bind the parent", "os.sched_setaffinity(parent, {0})"],
  ["be told for the parent", "fcntl.fcntl(0, 8, parent) or False"],
  ["have files of memory", "os.memfd_create('x')"],
  ["open by a handle", "call(304, -100, 0, 0)"],
  ["load a program into the kernel", "call(321, 0, 0, 0)"],
  ["watch events", "call(298, 0, 0, -1, -1, 0)"],
  ["handle page faults", "call(323, 0)"],
  ["read keys", "call(250, 0, -1, 0, 0, 0)"],
  ["open a tree of mounts", "call(428, -100, b'/', 1)"],
  ["make a file system", "call(430, b'tmpfs', 0)"],
  ["change the root", "os.chroot('.')"],
  ["enter a namespace", "call(308, 0, 0)"],
  ["leave the network's namespace", "call(272, 0x40000000)"],
  ["clone with flags", "call(435, 0, 0)"],
  ["be another user", "os.setuid(1)"],
  ["ask the kernel about the network", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)"],
  ["send raw packets", "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"],
  ["talk to the host", "socket.socket(40, socket.SOCK_STREAM)"],
  ["look up a name", "socket.getaddrinfo('example.com', 80)"],
  ["write shared memory", "open('/dev/shm/regrade-way', 'w').write('x')"],
  ["share memory", "call(29, 0, 4096, 0o1600)"],
  ["queue messages", "call(68, 0, 0o1600)"],
  ["write a terminal", "open('/dev/tty', 'w').write('x')"],
  ["open a terminal", "os.open('/dev/ptmx', os.O_RDWR)"],
  ["write below /var/tmp", "open('/var/tmp/regrade-way', 'w').write('x')"],
  ["list /tmp", "os.listdir('/tmp')"],
  ["reach Docker", "open('/var/run/docker.sock')"],
  ["name the machine", "socket.sethostname('x')"],
  ["set the clock", "time.clock_settime(0, 0)"],
];

describe.skipIf(process.platform !== "linux")("a program that grades", () => {
  it("finds none of many ways out, nor do programs that it starts", async () => {
    const source = `import ctypes, fcntl, json, os, socket, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
node = ${process.pid}
parent = int(sys.argv[1]) if len(sys.argv) > 1 else os.getppid()
there = lambda path: ${JSON.stringify(fixture.path)} + path
own = lambda name: os.path.join(os.environ["TMPDIR"], name + str(len(sys.argv)))
def call(*words):
    if libc.syscall(*words) < 0:
        raise OSError(ctypes.get_errno(), "refused")
def is_open(fd):
    try:
        os.fstat(fd)
        return True
    except OSError:
        return False
ways = json.loads(${JSON.stringify(JSON.stringify(ways))})
for what, script in ways:
    try:
        lines = script.split("; ")
        for line in lines[:-1]:
            exec(line)
        if eval(lines[-1]) is not False:
            print("OUT:", what)
    except (OSError, ValueError):
        pass
print("tried", len(ways), flush=True)
if len(sys.argv) == 1:
    text = open(own("f"), "w").write(SOURCE) and own("f")
    print(subprocess.run([sys.executable, text, str(os.getppid())], capture_output=True, text=True).stdout)
`;
    const whole = `SOURCE = ${JSON.stringify(`SOURCE = ""\n${source}`)}\n${source}`;
    const end = await graded(whole, { timeout_seconds: 60 });
    expect(end).toMatchObject({ result: { score: 1 } });
    const said =
      "result" in end ? end.result.feedback.split("\n").filter((line) => line !== "") : [];
    expect(said).toEqual([`tried ${ways.length}`, `tried ${ways.length}`]);
    expect(readFileSync(fixture.getPath("evals/suite.yaml"), "utf8")).toBe("answers");
    expect(await readdir(fixture.path)).toEqual(["evals", "runs"]);
    expect(await readdir(fixture.getPath("runs"))).toEqual(["today"]);
    for (const file of ["/dev/shm/regrade-way", "/var/tmp/regrade-way"])
      expect(existsSync(file)).toBe(false);
  });

  it("signals nobody by signalling everybody", async () => {
    const seen: string[] = [];
    const note = (signal: string): void => void seen.push(signal);
    // Nobody is ended by this signal, whatever the program reaches.
    process.on("SIGURG", note);
    try {
      await graded("import os, signal\nos.kill(-1, signal.SIGURG)\nos.kill(0, signal.SIGURG)");
    } catch {
      // A refusal is as good.
    } finally {
      process.off("SIGURG", note);
    }
    expect(seen).toEqual([]);
  });

  it("can't flee from its end by forking on and on", async () => {
    const source = `import os, time
beat = os.path.join(os.environ["TMPDIR"], "beat")
for step in range(100000):
    if os.fork() != 0:
        if step == 0:
            time.sleep(60)
        os._exit(0)
    time.sleep(0.01)`;
    const end = await graded(source, { timeout_seconds: 1 });
    expect(end).toMatchObject({ result: { score: 0 } });
    const left = (await readdir("/proc")).filter((pid) => /^\d+$/.test(pid)).filter(isFleeing);
    expect(left).toEqual([]);
  });

  it.each([
    ["frames of Regrade's own", 'print("\\x1e" + \'{"key": "s", "scores": {"score": 1}}\')'],
    ["an end of Regrade's own", 'print(\'{"kind": "ended", "exitCode": 0, "isLate": false}\')'],
    ["a result", 'print(\'{"score": 1, "passed": true}\')'],
    ["commands of the runner", 'print("::set-env name=X::1\\n::error::x")'],
  ])("is judged by its exit code, whatever it says: %s", async (_, says) => {
    const forged = `${says}\nimport sys\nprint(open(0).read(), file=sys.stderr)\nsys.exit(7)`;
    const end = await graded(forged);
    expect(end).toMatchObject({ result: { score: 0, passed: false } });
    expect("result" in end && end.result.feedback).toContain("exit status 7");
  });

  it("is judged by the result of the program itself, not by what a child adds later", async () => {
    const source = `import os, sys, time
if os.fork() == 0:
    time.sleep(0.3)
    print('{"score": 1, "passed": true}', flush=True)
    os._exit(0)
print('{"score": 0, "passed": false, "message": "own"}', flush=True)
os._exit(0)`;
    const end = await graded(source, { result: "json" });
    const score = "result" in end ? end.result.score : 0;
    expect(score).toBe(0);
  });

  it.each(["stdout", "stderr"])("may flood its %s, of which the end is kept", async (stream) => {
    const source = `import sys\nwhile True: sys.${stream}.write("x" * 1000000)`;
    const end = await graded(source, { timeout_seconds: 2 });
    expect(end).toMatchObject({ result: { score: 0 } });
    expect(JSON.stringify(end).length).toBeLessThan(300_000);
  });
});

function isFleeing(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("for step in range(100000)");
  } catch {
    return false;
  }
}
