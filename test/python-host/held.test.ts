import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, readdir } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HeldEnd, HeldInput, HeldProgramSpec } from "../../src/model/ports/held-programs.ts";
import { startPython } from "../../src/python-host/pool.ts";
import type { PythonTools } from "../../src/model/ports/programs.ts";
import { itSome } from "../support/rows.ts";

/** Programs that grade, in real hosts: what they are given, how they end, and what they can't do. */

const root = path.resolve(import.meta.dirname, "../..");
const linux = process.platform === "linux";

let fixture: FsFixture;
let python: PythonTools;

beforeAll(async () => {
  fixture = await createFixture({
    ".git/config": "token",
    "evals/suite.yaml": "answers",
    "evals/rows.jsonl": '{"target":"secret"}',
    "evals/graders/check.py":
      "import sys\nprint(open('graders/words.txt').read())\nsys.exit(sys.stdin.read() != 'right')\n",
    "evals/graders/words.txt": "some words",
    "evals/graders/run.sh": "#!/bin/sh\ncat\n",
    "evals/graders/lib/a.txt": "A",
    "evals/graders/lib/deep/b.txt": "B",
    "bin/tool": "#!/bin/sh\n",
  });
  await chmod(fixture.getPath("evals/graders/run.sh"), 0o755);
  await chmod(fixture.getPath("bin/tool"), 0o755);
  python = await startPython({
    python: "python3",
    sandbox: "auto",
    packageDirectory: path.join(root, "python/regrade"),
    env: {
      ...process.env,
      PATH: `${process.env["PATH"]}:${fixture.getPath("bin")}`,
      MODE: "strict",
      API_KEY: "sk-123456789",
    },
    hosts: 1,
  });
});

afterAll(async () => {
  await python.close();
  await fixture.rm();
});

const nothing: HeldInput = { stdin: "", workspace: undefined };

function specOf(words: readonly string[], more: Partial<HeldProgramSpec> = {}): HeldProgramSpec {
  const [command = "", ...args] = words;
  const directory = fixture.getPath("evals");
  return {
    command,
    args,
    timeoutSeconds: 20,
    env: [],
    files: [],
    wordsNameFiles: true,
    directory,
    base: { directory, root: fixture.path.replace(/\/$/, "") },
    ...more,
  };
}

async function end(
  words: readonly string[],
  input: Partial<HeldInput> = {},
  more: Partial<HeldProgramSpec> = {},
): Promise<Extract<HeldEnd, { readonly kind: "ended" }>> {
  const opened = await python.openHeldProgram(specOf(words, more));
  if ("refused" in opened) throw new Error(opened.refused.message);
  const found = await opened.program.run({ ...nothing, ...input });
  if (found.kind === "not_started") throw new Error(found.reason);
  return found;
}

async function refused(
  words: readonly string[],
  more: Partial<HeldProgramSpec> = {},
): Promise<string> {
  const opened = await python.openHeldProgram(specOf(words, more));
  return "refused" in opened ? opened.refused.message : "opened";
}

const shell = (script: string): readonly string[] => ["sh", "-c", script];
const py = (script: string): readonly string[] => ["python3", "-c", script];

describe.skipIf(!linux)("a program that grades", () => {
  it("reads the answer, and ends with its own code", async () => {
    expect(await end(["cat"], { stdin: "an answer\n" })).toMatchObject({
      exitCode: 0,
      stdout: "an answer\n",
    });
    expect(await end(shell("echo no >&2; exit 3"))).toMatchObject({ exitCode: 3, stderr: "no\n" });
    expect(await end(["true"], { stdin: "x".repeat(3_000_000) })).toMatchObject({ exitCode: 0 });
  });

  it("ends by a signal, or by its time-out, with all that it started", async () => {
    expect(await end(shell("kill -9 $$"))).toMatchObject({
      exitCode: undefined,
      signal: "SIGKILL",
      isLate: false,
    });
    const late = await end(shell("echo begun; sleep 1234 & sleep 1234"), {}, { timeoutSeconds: 1 });
    expect(late).toMatchObject({ isLate: true, stdout: "begun\n" });
    expect(running("sleep 1234")).toBe(false);
  });

  it("leaves no daemon behind: not in the background, in a session of its own, or after two forks", async () => {
    const daemon = `import os, time
if os.fork() == 0:
    try:
        os.setsid()
    except PermissionError:
        pass
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "4321"])
    os._exit(0)
time.sleep(0.2)`;
    expect(await end(py(daemon))).toMatchObject({ exitCode: 0 });
    expect(await end(shell("nohup sleep 4321 >/dev/null 2>&1 &"))).toMatchObject({ exitCode: 0 });
    expect(running("sleep 4321")).toBe(false);
  });

  it("is made of the files that its words name, and of others that are named", async () => {
    const spec = specOf(["python3", "graders/check.py"], {
      files: [
        { path: "graders/words.txt", sha256: undefined },
        { path: "graders/lib", sha256: undefined },
      ],
    });
    const opened = await python.openHeldProgram(spec);
    if ("refused" in opened) throw new Error(opened.refused.message);
    const paths = opened.program.files.map(({ path: name }) => name);
    expect(paths).toEqual([
      "graders/check.py",
      "graders/lib/a.txt",
      "graders/lib/deep/b.txt",
      "graders/words.txt",
    ]);
    expect(await opened.program.run({ ...nothing, stdin: "right" })).toMatchObject({
      exitCode: 0,
      stdout: "some words\n",
    });
    expect(await opened.program.run({ ...nothing, stdin: "wrong" })).toMatchObject({ exitCode: 1 });
    // What is changed later is not what was opened.
    await fixture.writeFile("evals/graders/words.txt", "other words");
    expect(await opened.program.run({ ...nothing, stdin: "right" })).toMatchObject({
      stdout: "some words\n",
    });
    await fixture.writeFile("evals/graders/words.txt", "some words");
    expect(await end(["graders/run.sh"], { stdin: "by its path" })).toMatchObject({
      stdout: "by its path",
    });
    expect(
      await end(["./run.sh"], { stdin: "x" }, { directory: fixture.getPath("evals/graders") }),
    ).toMatchObject({ stdout: "x" });
  });

  it("is refused where it can't be run, or a hash is another one", async () => {
    const cases: readonly (readonly [string, readonly string[], Partial<HeldProgramSpec>])[] = [
      ['no program "no-such-program" on the PATH', ["no-such-program"], {}],
      ["./missing.sh is not there", ["./missing.sh"], {}],
      ["can't be run: set its mode", ["graders/check.py"], {}],
      ["lies in the repository: name it by its path", ["tool"], {}],
      ["is not there, or can't be run", ["/no/such/program"], {}],
      ["may hold a secret", ["true"], { env: ["API_KEY"] }],
      [
        "leads out of the repository",
        ["true"],
        { files: [{ path: "../../x", sha256: undefined }] },
      ],
      ["is git's own", ["true"], { files: [{ path: "../.git/config", sha256: undefined }] }],
      [
        "nothing.txt is not there",
        ["true"],
        { files: [{ path: "nothing.txt", sha256: undefined }] },
      ],
      ["its hash differs", ["true"], { files: [{ path: "suite.yaml", sha256: "0".repeat(64) }] }],
      ["as a program that a row names", ["python3", "graders/check.py"], { wordsNameFiles: false }],
      ["outside of the repository", ["true"], { directory: "/etc" }],
    ];
    for (const [words, command, more] of cases)
      expect(await refused(command, more)).toContain(words);
  });

  it("finds the agent's files again, and is told which of them have no content", async () => {
    const workspace = [
      { path: "src/app.py", change: "added", bytes: 8, sha256: "sha256:1", text: "print(1)" },
      { path: "bytes", change: "added", bytes: 2, sha256: "sha256:2", text: null, base64: "AP8=" },
      { path: "large", change: "added", bytes: 9e9, sha256: "sha256:3", text: null },
      { path: "gone", change: "deleted", bytes: 0, sha256: null, text: null },
      { path: "link", change: "added", bytes: 0, sha256: null, text: null, link: "src/app.py" },
      { path: "../out", change: "added", bytes: 1, sha256: null, text: "x" },
      { path: "/tmp/out", change: "added", bytes: 1, sha256: null, text: "x" },
      { path: "deep/".repeat(2000) + "x", change: "added", bytes: 1, sha256: null, text: "x" },
      { path: "\ud800", change: "added", bytes: 1, sha256: null, text: "\ud800" },
      { path: "a\0b", change: "added", bytes: 1, sha256: null, text: "x" },
      { path: "src", change: "added", bytes: 1, sha256: null, text: "a file that is a folder" },
    ];
    const script =
      'cd "$WAZA_WORKSPACE_DIR" && test "$PWD" = "$REGRADE_WORKSPACE_DIR" && find . -type f -o -type l | sort && cat link && wc -c < bytes && : > made && cat "$REGRADE_WORKSPACE_FILES"';
    const found = await end(shell(script), { workspace });
    const lines = found.stdout.split("\n");
    expect(lines.slice(0, 4)).toEqual(["./bytes", "./link", "./src/app.py", "print(1)2"]);
    const listed: readonly { readonly path: string; readonly laid_out: boolean }[] = JSON.parse(
      lines[4] ?? "",
    );
    expect(listed.filter(({ laid_out }) => !laid_out).map(({ path: name }) => name)).toEqual(
      expect.arrayContaining(["large", "../out", "/tmp/out", "src"]),
    );
    expect(found.notLaidOut).toEqual(expect.arrayContaining(["large", "../out", "src"]));
    expect(await end(shell('echo "[$WAZA_WORKSPACE_DIR]"'))).toMatchObject({ stdout: "[]\n" });
    // Nothing of it is left for the next one, or after it.
    const left = await end(shell('ls "$HOME/.."'));
    expect(left.stdout).toBe("tmp\n");
  });

  it("has a short environment, and variables that the grader names", async () => {
    const { stdout } = await end(["env"], {}, { env: ["MODE"] });
    const names = stdout.split("\n").map((line) => line.split("=")[0]);
    expect(names).toContain("MODE");
    expect(names).not.toContain("API_KEY");
    const usual =
      /^(?:PATH|HOME|LANG.*|LC_.*|TZ|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|MODE|WAZA_.*|REGRADE_.*|)$/;
    expect(names.filter((name) => !usual.test(name ?? ""))).toEqual([]);
  });

  it("ends with Regrade's own hosts, however these end", async () => {
    const other = await startPython({
      python: "python3",
      sandbox: "auto",
      packageDirectory: path.join(root, "python/regrade"),
      env: process.env,
      hosts: 1,
    });
    const opened = await other.openHeldProgram(specOf(shell("sleep 5678 & sleep 5678")));
    if ("refused" in opened) throw new Error(opened.refused.message);
    const ended = opened.program.run(nothing);
    await expect.poll(() => running("sleep 5678")).toBe(true);
    await other.close();
    expect(await ended).toMatchObject({ kind: "not_started" });
    await expect.poll(() => running("sleep 5678")).toBe(false);
  });

  it("may say as much as it likes; the end of it is kept", async () => {
    const found = await end(shell("head -c 5000000 /dev/zero | tr '\\0' x; echo end"));
    expect(found.stdout.length).toBeLessThanOrEqual(256 * 1024);
    expect(found.stdout.endsWith("xend\n")).toBe(true);
  });

  it("may start other programs: compilers of its own, shells, Python, Node", async () => {
    const script = `import os, subprocess, sys, threading
print(subprocess.run(["sh", "-c", "echo a | tr a b"], capture_output=True, text=True, check=True).stdout.strip())
child = subprocess.Popen(["sleep", "9"]); child.terminate(); print(child.wait())
thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
open(os.environ["TMPDIR"] + "/x", "w").write("x")
print(sys.version_info >= (3, 10))`;
    expect(await end(py(script))).toMatchObject({ exitCode: 0, stdout: "b\n-15\nthread\nTrue\n" });
    const node = await end(
      ["node", "-e", "process.stdout.write(require('child_process').execSync('echo sub'))"],
      {},
      { byOwnNode: true },
    );
    expect(node).toMatchObject({ exitCode: 0, stdout: "sub\n" });
  });
});

function running(command: string): boolean {
  return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n").includes(command);
}

describe.skipIf(!linux)("a program that tries to escape", () => {
  const escapes: readonly (readonly [what: string, script: string])[] = [
    ["read the suite", "open(target('evals/suite.yaml')).read()"],
    ["read the answers", "open(target('evals/rows.jsonl')).read()"],
    ["list the suite's folder", "os.listdir(target('evals'))"],
    ["read files beside its own", "open(target('evals/graders/words.txt')).read()"],
    ["read git's configuration", "open(target('.git/config')).read()"],
    ["write in the checkout", "open(target('evals/suite.yaml'), 'a').write('x')"],
    ["make a file in the checkout", "open(target('new'), 'w').write('x')"],
    ["cut a file of the checkout", "os.open(target('evals/suite.yaml'), os.O_RDONLY | os.O_TRUNC)"],
    ["remove a file of the checkout", "os.remove(target('evals/suite.yaml'))"],
    [
      "link a file of the checkout",
      "os.link(target('evals/suite.yaml'), os.environ['TMPDIR'] + '/l')",
    ],
    ["change modes in the checkout", "os.chmod(target('evals/suite.yaml'), 0o777)"],
    ["change times in the checkout", "os.utime(target('evals/suite.yaml'), (1, 1))"],
    ["write beside the scratch folder", "open(os.environ['HOME'] + '/../../x', 'w').write('x')"],
    ["write in /tmp", "open('/tmp/regrade-escape', 'w').write('x')"],
    ["change its own copy", "open('graders/check.py', 'a').write('x')"],
    ["read an environment", "open(f'/proc/{parent}/environ').read()"],
    ["read another command line", "open('/proc/1/cmdline').read()"],
    ["read the home folder", "os.listdir(pwd.getpwuid(os.getuid()).pw_dir)"],
    ["read shadow", "open('/etc/shadow').read()"],
    ["signal its parent", "os.kill(parent, 0)"],
    ["end its parent", "os.kill(parent, signal.SIGKILL)"],
    ["signal Regrade", "os.kill(node, 0)"],
    ["end the first process", "os.kill(1, signal.SIGTERM)"],
    ["trace its parent", "check(libc.ptrace(0x4206, parent, 0, 0))"],
    ["open a socket", "socket.socket()"],
    ["connect by TCP", "socket.create_connection(('127.0.0.1', port))"],
    ["send by UDP", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"],
    ["open a Unix socket", "socket.socket(socket.AF_UNIX)"],
    ["send to a Unix socket by a pair", "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"],
    ["start a session", "os.setsid()"],
    ["leave its group", "os.setpgid(0, 0)"],
    ["make a user namespace", "check(libc.unshare(0x10000000))"],
    ["clone into a namespace", "check(libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0))"],
    ["be traced by its parent's parent", "check(libc.syscall(56, 0x8000 | 17, 0, 0, 0, 0))"],
    ["mount", "check(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))"],
    ["raise its limits", "resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY,) * 2)"],
    ["become a subreaper", "check(libc.prctl(36, 1, 0, 0, 0))"],
    ["use io_uring", "check(libc.syscall(425, 1, 0))"],
    ["limit Regrade", "resource.prlimit(node, resource.RLIMIT_NOFILE, (0, 0))"],
  ];

  /** Each by the program itself, and by one that it starts. */
  itSome(escapes)("does not: %s", async (_, script) => {
    const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const source = `import ctypes, os, pwd, resource, signal, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
node, port, parent = ${process.pid}, ${port}, int(sys.argv[1]) if sys.argv[1:] else os.getppid()
target = lambda path: ${JSON.stringify(fixture.path)} + path
def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    if result == 0:
        return
try:
    ${script}
    print("OUT")
except (OSError, ValueError) as error:
    print("held", error)
`;
    try {
      const files = [{ path: "graders/check.py", sha256: undefined }];
      const direct = await end(py(source), {}, { files });
      expect(direct.stdout).toMatch(/^held /);
      const below = ["sh", "-c", '"$0" -c "$1" $PPID; true', "python3", source];
      const nested = await end(below, {}, { files });
      expect(nested.stdout).toMatch(/^held /);
    } finally {
      server.close();
    }
    expect(readFileSync(fixture.getPath("evals/suite.yaml"), "utf8")).toBe("answers");
    expect(existsSync("/tmp/regrade-escape")).toBe(false);
    expect(await readdir(fixture.path)).not.toContain("new");
  });
});
