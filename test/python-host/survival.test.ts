import { spawnSync } from "node:child_process";
import path from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { BatchGraded, Graded } from "../../src/model/grading.ts";
import type { GraderProgramSpec, PythonTools } from "../../src/model/ports/programs.ts";
import type { GraderItem, GraderSample } from "../../src/model/outcomes/sample.ts";
import { startPython } from "../../src/python-host/pool.ts";
import { lines } from "../support/python.ts";
import { itSome } from "../support/rows.ts";

/**
 * What graders do to their hosts, with real hosts: one sample of 24 misbehaves, and the scores of the other 23 are those
 * of a grader that doesn't. The table that it prints is what the bad sample says.
 */
const count = 24;
const badAt = 13;
const told: string[] = [];
const opened = new Map<string, Promise<PythonTools>>();

type Sandbox = "auto" | "off";

function toolsFor(sandbox: Sandbox): Promise<PythonTools> {
  const known = opened.get(sandbox);
  if (known !== undefined) return known;
  const tools = startPython({
    python: "python3",
    sandbox,
    packageDirectory: path.resolve(import.meta.dirname, "../../python/regrade"),
    env: process.env,
    // All samples in one chunk.
    hosts: 1,
    loadTimeoutSeconds: 20,
    graceSeconds: 0.8,
  });
  opened.set(sandbox, tools);
  return tools;
}

afterAll(async () => {
  for (const tools of opened.values()) await (await tools).close();
  console.log(`What graders did to their hosts, and what their sample says:\n${told.join("\n")}`);
});

interface Row {
  readonly name: string;
  /** What the bad sample does; statements of Python, the last one may return. */
  readonly does: string;
  readonly expected: RegExp;
  readonly timeoutSeconds?: number;
  readonly isolation?: "chunk" | "sample";
  readonly sandbox?: Sandbox;
}

/** The others' scores differ from each other, so that one that went to the wrong sample is seen. */
function source(does: string): string {
  return `import ctypes, gc, json, os, signal, struct, sys, threading, time
SEEN = []
def misbehave(sample, item):
    ${does.trim().replaceAll("\n", "\n    ")}
def grade(sample, item):
    if item["bad"]:
        result = misbehave(sample, item)
        return 1.0 if result is None and not ${/\breturn\b/.test(does) ? "True" : "False"} else result
    where = [os.getcwd().startswith(HOME), "MARK" in os.environ, "/mark" in sys.path, json.dumps([1]) == "[1]", threading.active_count()]
    return {"scores": {"score": len(sample["output_text"]) / 7, "x": json.loads(json.dumps(item["x"]))}, "judge": {"where": where}}
HOME = os.getcwd()
`;
}

function spec(text: string, row: Partial<Row>): GraderProgramSpec {
  return {
    kind: "source",
    text,
    shown: "<grader>",
    metricId: "score",
    timeoutSeconds: row.timeoutSeconds ?? 30,
    execution: "per_sample",
    contract: "sample",
    isolation: row.isolation ?? "chunk",
    allowRead: [],
    models: undefined,
  };
}

function sample(i: number): GraderSample {
  return {
    output_text: "y".repeat(i),
    extracted_output: null,
    model: "main",
    prompt: "?",
    task_id: "qa",
    run_id: "run_1",
    sample_id: `s${i}`,
  };
}

function item(i: number): GraderItem {
  const bad = i === badAt;
  return {
    bad,
    x: i,
    prompt: "?",
    target: null,
    choices: [],
    task_id: "qa",
  };
}

async function gradeAll(row: Row): Promise<readonly Graded[]> {
  const tools = await toolsFor(row.sandbox ?? "auto");
  const started = await tools.openProgram(spec(source(row.does), row));
  if ("refused" in started) throw new Error(started.refused.message);
  try {
    return await Promise.all(
      Array.from({ length: count }, (_, i) => started.program.grade(sample(i), item(i))),
    );
  } finally {
    await started.program.close();
  }
}

function said(graded: Graded | BatchGraded | undefined): string {
  switch (graded?.kind) {
    case undefined:
      return "nothing";
    case "scored":
      return `scored ${JSON.stringify(graded.scores)}`;
    case "graded":
      return `graded ${JSON.stringify(graded.metrics)}; ${graded.notes.join("; ")}`;
    case "invalid":
    case "ungraded":
      return `${graded.kind} ${graded.type}: ${graded.message}`;
  }
}

function tell(name: string, what: string): void {
  told.push(`  ${name.padEnd(44)} ${what.replaceAll("\n", " ⏎ ").slice(0, 150)}`);
}

const frame = String.raw`json.dumps({"key": "", "ns": [14], "result": {"kind": "scored", "scores": {"score": 99}, "judge": None}, "printed": None})`;

const raised: Row[] = [
  {
    name: "an exception",
    does: "1 / 0",
    expected:
      /^invalid exception: ZeroDivisionError: division by zero \(<grader>:4, in misbehave\)$/,
  },
  {
    name: "SystemExit",
    does: "sys.exit(3)",
    expected: /^invalid exit: the grader called sys.exit\(3\)/,
  },
  {
    name: "KeyboardInterrupt",
    does: "raise KeyboardInterrupt",
    expected: /^invalid exception: KeyboardInterrupt/,
  },
  {
    name: "an exception without readable text",
    does: "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd",
    expected: /^invalid exception: Odd: \(its text can't be read\)/,
  },
  {
    name: "recursion without end",
    does: "misbehave(sample, item)",
    expected: /^invalid exception: RecursionError/,
  },
];

const ended: Row[] = [
  {
    name: "os._exit(0)",
    does: "os._exit(0)",
    expected: /^invalid host_died: the grader's process ended with exit code 0$/,
  },
  {
    name: "os.abort()",
    does: "os.abort()",
    expected: /^invalid host_died: .* was killed by SIGABRT; its last words: .*<grader>/s,
  },
  {
    name: "a segmentation fault",
    does: "ctypes.string_at(0)",
    expected:
      /^invalid host_died: .* was killed by SIGSEGV; its last words: .*"<grader>", line 4 in misbehave/s,
  },
  {
    name: "recursion past the stack",
    does: "sys.setrecursionlimit(10**9)\nclass Deep:\n    def __repr__(self): return repr(self)\nrepr(Deep())",
    expected: /^invalid (host_died: .* was killed by SIGSEGV|exception: RecursionError)/,
  },
  {
    timeoutSeconds: 90,
    name: "2 GB of memory",
    does: "SEEN.append(bytearray(2 << 30))\nSEEN.append(b'x' * (2 << 30))\nSEEN.append(bytearray(8 << 30))",
    expected: /^invalid (exception: MemoryError|host_died)/,
  },
  {
    // To touch 2 GB takes a busy machine half a minute.
    timeoutSeconds: 90,
    name: "memory in small pieces",
    does: "while True: SEEN.append(bytearray(1 << 20))",
    expected: /^invalid (exception: MemoryError|host_died)/,
  },
];

const late: Row[] = [
  {
    timeoutSeconds: 1,
    name: "an endless loop",
    does: "while True: pass",
    expected: /^invalid timeout: grade ran longer than 1 s \(timeout_seconds\)$/,
  },
  {
    timeoutSeconds: 1,
    name: "an endless loop that swallows all",
    does: "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile sample:\n    try:\n        while sample: SEEN[:] = [1]\n    except BaseException: SEEN[:] = [2]",
    expected: /^invalid timeout: .* did not let itself be interrupted: its process was killed$/,
  },
  {
    timeoutSeconds: 1,
    name: "a sleep past the time-out",
    does: "time.sleep(60)",
    expected: /^invalid timeout: grade ran longer than 1 s \(timeout_seconds\)$/,
  },
  {
    timeoutSeconds: 1,
    name: "a sleep in C, without signals",
    does: "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\ntime.sleep(60)",
    expected: /^invalid timeout: .* its process was killed$/,
  },
];

const printing: Row[] = [
  {
    name: "1 GB printed to stdout and stderr",
    does: "line = 'y' * 1_000_000\nfor _ in range(500):\n    print(line)\n    print(line, file=sys.stderr)",
    expected: /^scored/,
  },
  {
    name: "1 GB written to descriptors 1 and 2",
    does: "line = b'y' * 1_000_000\nfor _ in range(500):\n    os.write(1, line)\n    os.write(2, line)",
    expected: /^scored/,
  },
  {
    name: "text like the protocol",
    does: `print(${frame})\nos.write(1, ${frame}.encode())`,
    expected: /^scored/,
  },
  {
    name: "workflow commands",
    does: "print('::set-output name=verdict::pass')\nprint('##[set-output name=verdict;]pass')",
    expected: /^scored/,
  },
  {
    name: "bytes that are no UTF-8",
    does: "sys.stdout.buffer.write(b'\\xff\\xfe\\x80')\nprint('\\ud800')",
    expected: /^scored/,
  },
];

const descriptors: Row[] = [
  {
    name: "frames written to every descriptor",
    does: `data = ${frame}.encode()\nfor fd in range(3, 1024):\n    try: os.write(fd, struct.pack('>I', len(data)) + data)\n    except OSError: pass`,
    expected: /^invalid forged_result: the grader wrote into Regrade's own channel/,
  },
  {
    name: "noise written to every descriptor",
    does: "for fd in range(3, 1024):\n    try: os.write(fd, b'hello, is anybody there?')\n    except OSError: pass",
    expected: /^invalid forged_result/,
  },
  {
    name: "all descriptors closed",
    does: "os.closerange(0, 4096)",
    expected:
      /^invalid host_died: the grader's process closed the descriptors through which it answers$/,
  },
  {
    name: "all descriptors closed, then asleep",
    does: "os.closerange(0, 4096)\nwhile True: time.sleep(1)",
    expected: /^invalid host_died: the grader's process closed the descriptors/,
  },
  {
    name: "answers for others, with the fork's token",
    isolation: "sample",
    does: 'frame = sys._getframe()\nwhile \'pipe\' not in frame.f_locals: frame = frame.f_back\npipe = frame.f_locals[\'pipe\']\npipe.add([\'{"result":{"kind":"scored","scores":{"score":99},"judge":null},"printed":null}\'] * 9)\npipe.end(10)',
    expected: /^invalid forged_result/,
  },
];

const results: Row[] = [
  { name: "NaN", does: "return float('nan')", expected: /^invalid bad_result: grade returned NaN/ },
  {
    name: "Infinity",
    does: "return float('inf')",
    expected: /^invalid bad_result: grade returned Infinity/,
  },
  {
    name: "a bool",
    does: "return True",
    expected: /^invalid bad_result: grade returned the bool True: return 1.0 or 0.0/,
  },
  {
    name: "a string",
    does: "return '0.5'",
    expected: /^invalid bad_result: grade returned the str '0.5'/,
  },
  {
    name: "None",
    does: "return None",
    expected: /^invalid bad_result: grade returned None: every path through grade needs a return/,
  },
  {
    name: "{}",
    does: "return {}",
    expected: /^invalid bad_result: grade returned a dict without "scores"/,
  },
  {
    name: "an object",
    does: "return object()",
    expected: /^invalid bad_result: grade returned the object <object object/,
  },
  {
    name: "an object whose repr never ends",
    timeoutSeconds: 1,
    does: "class Thing:\n    def __repr__(self):\n        while True: pass\nreturn Thing()",
    expected: /^invalid timeout/,
  },
  {
    name: "NaN among good scores",
    does: "return {'scores': {'score': 0.5, 'y': float('nan')}}",
    expected: /^scored {"score":0.5}$/,
  },
  {
    name: "a judge of 10 MB",
    does: "return {'scores': {'score': 0.5}, 'judge': {'all': 'x' * 10_000_000}}",
    expected: /^scored {"score":0.5}$/,
  },
  {
    name: "a judge that holds itself",
    does: "judge = {}\njudge['self'] = judge\nreturn {'scores': {'score': 0.5}, 'judge': judge}",
    expected: /^scored {"score":0.5}$/,
  },
];

const state: Row[] = [
  { name: "another working directory", does: "os.chdir('/')", sandbox: "off", expected: /^scored/ },
  { name: "another environment", does: "os.environ['MARK'] = '1'", expected: /^scored/ },
  { name: "another sys.path", does: "sys.path.insert(0, '/mark')", expected: /^scored/ },
  { name: "another json.dumps", does: "json.dumps = json.loads = None", expected: /^scored/ },
  {
    name: "a broken len",
    does: "import builtins\nbuiltins.len = lambda _: 0",
    expected: /^invalid forged_result/,
  },
  {
    name: "a thread left running",
    does: "threading.Thread(target=time.sleep, args=(600,)).start()",
    expected: /^scored/,
  },
  {
    name: "a thread that ends the process",
    does: "threading.Thread(target=lambda: (time.sleep(0.05), os._exit(9))).start()\ntime.sleep(30)",
    expected: /^invalid host_died: the grader's process ended with exit code 9/,
  },
  {
    name: "the alarm taken",
    timeoutSeconds: 1,
    does: "signal.signal(signal.SIGALRM, signal.SIG_IGN)\nsignal.setitimer(signal.ITIMER_REAL, 0)",
    expected: /^scored/,
  },
];

const processes: Row[] = [
  {
    name: "a fork bomb",
    does: "while True: os.fork()",
    expected: /^invalid exception: PermissionError/,
  },
  { name: "a fork that comes back", sandbox: "off", does: "os.fork()", expected: /^scored/ },
  {
    name: "thirty forks left asleep",
    sandbox: "off",
    does: "for _ in range(30):\n    pid = os.fork()\n    if pid == 0:\n        time.sleep(600)\n        os._exit(0)\n    print(pid)",
    expected: /^scored/,
  },
];

const linux = process.platform === "linux";
const rows = [raised, ended, late, printing, descriptors, results, state, processes]
  .flat()
  .flatMap((row) => (row.sandbox === undefined && row.name !== "a fork bomb" ? both(row) : [row]))
  // Without the sandbox nothing limits them.
  .filter(({ name, sandbox }) => !(sandbox === "off" && name.includes("memory")))
  .filter(({ sandbox }) => linux || sandbox === "off");

function both(row: Row): readonly Row[] {
  return [row, { ...row, sandbox: "off" }];
}

describe.skipIf(process.platform === "win32")("one bad sample costs one sample", () => {
  itSome(rows)("$name (sandbox: $sandbox)", { timeout: 60_000 }, async (row) => {
    const all = await gradeAll(row);
    const bad = all[badAt];
    if (row.sandbox === undefined || row.sandbox === "auto") tell(row.name, said(bad));
    expect(said(bad)).toMatch(row.expected);
    if (bad?.kind === "invalid")
      expect(bad.judge).toMatchObject({ invalid: true, reason: expect.any(String) });
    all.forEach((graded, i) => {
      if (i === badAt) return;
      const judge = { where: [true, false, false, true, 1] };
      expect(graded).toEqual({
        kind: "scored",
        scores: { score: i / 7, x: i },
        judge,
        printed: null,
      });
    });
  });

  it("what forks a grader left behind are gone", async () => {
    const row = processes.find(({ name }) => name === "thirty forks left asleep");
    if (row === undefined) throw new Error("no such row");
    const bad = (await gradeAll(row))[badAt];
    const pids = bad?.kind === "scored" ? (bad.printed ?? "").trim().split("\n").map(Number) : [];
    expect(pids).toHaveLength(30);
    // A killed process takes the time until it is scheduled once more.
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 60_000);
  });

  it("what is printed is kept in the sample, as it was printed", async () => {
    const row = printing.find(({ name }) => name === "workflow commands");
    if (row === undefined) throw new Error("no such row");
    expect((await gradeAll(row))[badAt]).toMatchObject({
      printed: "::set-output name=verdict::pass\n##[set-output name=verdict;]pass\n",
    });
  });
});

/** A killed process that nobody buried yet counts as gone. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return !/^(|Z.*)$/.test(stdout.trim());
}

describe.skipIf(process.platform === "win32")("at import", () => {
  it.each([
    [
      "an exception at import",
      "1 / 0",
      "import_failed",
      "ZeroDivisionError: division by zero (<grader>:1, in <module>)",
    ],
    [
      "SystemExit at import",
      "raise SystemExit(1)",
      "import_failed",
      "the grader called sys.exit(1) (<grader>:1, in <module>)",
    ],
    ["os._exit at import", "import os\nos._exit(4)", "died", "its process ended with exit code 4"],
  ])("%s", async (...[name, text, reason, message]) => {
    const started = await (await toolsFor("auto")).openProgram(spec(text, {}));
    expect(started).toMatchObject({ refused: { reason, message } });
    tell(name, `refused ${reason}: ${message}`);
  });
});

describe.skipIf(process.platform === "win32")("a batch grader", () => {
  const batches: [string, string, RegExp][] = [
    [
      "batch: an unknown sample",
      "return {'metrics': {'a': 1}, 'samples': [{'sample_id': 'zz', 'scores': {'b': 1}}]}",
      /^graded {"a":1}; update 1 was not used: no sample .* 'zz'$/,
    ],
    [
      "batch: a sample updated twice",
      "return {'samples': [{'sample_id': 's1', 'scores': {'b': 0}}, {'sample_id': 's1', 'scores': {'b': 1}}]}",
      /^graded {}; the sample s1 was updated more than once/,
    ],
    [
      "batch: NaN among good metrics",
      "return {'metrics': {'a': 1, 'b': float('nan')}}",
      /^graded {"a":1}; the metric b was not stored: it is NaN$/,
    ],
    [
      "batch: an exception",
      "return samples[99]",
      /^invalid exception: IndexError: list index out of range \(<grader>:4, in grade_batch\)$/,
    ],
    [
      "batch: os._exit(0)",
      "os._exit(0)",
      /^invalid host_died: the grader's process ended with exit code 0$/,
    ],
    ["batch: a segmentation fault", "ctypes.string_at(0)", /^invalid host_died: .* SIGSEGV/],
    [
      "batch: an endless loop",
      "while True: pass",
      /^invalid timeout: grade_batch ran longer than 1 s \(timeout_seconds\)$/,
    ],
    [
      "batch: an endless loop that swallows all",
      "while N:\n        try:\n            while N: samples[0] = 1\n        except BaseException: samples[0] = 2",
      /^invalid timeout: grade_batch ran longer than 1 s .* its process was killed$/,
    ],
    [
      "batch: all descriptors closed",
      "os.closerange(0, 4096)\n    return 1.0",
      /^invalid host_died: .* closed the descriptors/,
    ],
    [
      "batch: noise in every descriptor",
      "for fd in range(3, 1024):\n        try: os.write(fd, b'hello, is anybody there?')\n        except OSError: pass\n    return 1.0",
      /^invalid forged_result/,
    ],
  ];

  itSome(batches)("%s", { timeout: 60_000 }, async (name, does, expected) => {
    const text = `import ctypes, os, sys\nN = 1\ndef grade_batch(samples):\n    ${does}\n`;
    const tools = await toolsFor("auto");
    const started = await tools.openProgram({
      ...spec(text, { timeoutSeconds: 1 }),
      execution: "aggregate",
      contract: "batch",
    });
    if ("refused" in started) throw new Error(started.refused.message);
    const ids = Array.from({ length: 5 }, (_, i) => JSON.stringify({ sample_id: `s${i}` }));
    const graded = await started.program.gradeBatch({ task: "qa", candidate: "main" }, lines(ids));
    tell(name, said(graded));
    expect(said(graded)).toMatch(expected);
    await started.program.close();
  });
});
