import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Graded } from "../../src/model/grading.ts";
import { startPython } from "../../src/python-host/pool.ts";
import { itSome } from "../support/rows.ts";

/**
 * Answers of a code benchmark, whose grader runs them: each tries to give the others full marks, or to see them. The others
 * are wrong, and say so whatever the attackers do.
 */
const up = `import ctypes, gc, json, os, signal, struct, sys, threading, time
def of(kind): return [each for each in gc.get_objects() if type(each).__name__ == kind]
def up(name):
    f = sys._getframe()
    while f and name not in f.f_locals: f = f.f_back
    return f and f.f_locals[name]
good = '{"result":{"kind":"scored","scores":{"score":1.0},"judge":null},"printed":null}'
`;
const attacks: Readonly<Record<string, string>> = {
  "replaces the grader's functions":
    "for m in list(sys.modules.values()):\n  if hasattr(m, 'grade'): m.grade = lambda s, i: 1.0",
  "replaces json and the writer of frames":
    "import regrade.result, regrade.pipe\njson.dumps = lambda *a, **k: good\nregrade.result.Scored = None\nregrade.pipe.encode = lambda v: good",
  "changes what reads results":
    "import regrade.grading as g\ng.read_result = lambda v, m: type('R', (), {'encoded': lambda s: good[10:-16]})()",
  "answers more jobs than its own": "p = up('pipe')\np.add([good] * 30)\np.end(30)",
  "ends in the name of all": `p = up('pipe')
b = p._token + b'E' + json.dumps({"answered": 30, "changed": None}).encode()
os.write(p._out, struct.pack('>I', len(b)) + b)
os._exit(0)`,
  "answers in several lines": `p = up('pipe')
b = p._token + b'L' + "\\n".join([good] * 30).encode()
os.write(p._out, struct.pack('>I', len(b)) + b)
p.end(1)
os._exit(0)`,
  "writes frames with the host's key to all descriptors": `key = next((t._settings.key for t in of('Template')), '')
b = (json.dumps({"key": key, "ns": list(range(40))}) + "\\n" + "\\n".join([good] * 40)).encode()
for fd in range(3, 400):
    try: os.write(fd, struct.pack('>I', len(b)) + b)
    except OSError: pass`,
  "writes into the descriptors of its parent and brothers": `for pid in [os.getppid(), *range(os.getppid(), os.getpid() + 4)]:
    for fd in range(400):
        try:
            d = os.open(f"/proc/{pid}/fd/{fd}", os.O_RDWR | os.O_NONBLOCK)
            os.write(d, good.encode())
        except OSError: pass`,
  "changes its parent's memory": `lib = ctypes.CDLL(None, use_errno=True)
lib.ptrace(0x4206, os.getppid(), None, None)
v = (ctypes.c_void_p * 2)(id(good), 8)
print(lib.process_vm_writev(os.getppid(), v, 1, v, 1, 0))
open(f"/proc/{os.getppid()}/mem", "r+b").close()`,
  "leaves a thread, a timer and an exit handler": `import atexit
atexit.register(lambda: up('pipe').end(30))
signal.signal(signal.SIGALRM, lambda *a: up('pipe').end(30))
signal.setitimer(signal.ITIMER_REAL, 0.01)
threading.Thread(target=lambda: time.sleep(9), daemon=True).start()`,
  "leaves a child": `if os.fork() == 0:
    time.sleep(0.3)
    p = up('pipe')
    for _ in range(30):
        p.add([good])
        p.end(1)
    os._exit(0)`,
  "sets the mark and the queue of the host": `for t in of('Template'):
    for j in list(t._queue._jobs): j.number = 0
    t._program.work = lambda *a: [good]
    t._queue._jobs.clear()`,
  "comes back twice": "if hasattr(os, 'fork'): os.fork()",
};

/** What is to be found nowhere in a process of another sample: the reference of each. */
const spies: Readonly<Record<string, string>> = {
  "looks for other samples' targets in all objects":
    "found = {s for o in gc.get_objects() for s in (gc.get_referents(o)) if isinstance(s, (str, bytes, bytearray)) and len(s) < 1e6 and SECRET in str(s)}\nif len(found) > 9: raise Exception(str(found)[:300])",
  "looks for other samples' targets in its memory": `seen = set()
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps:
        first, last = (int(x, 16) for x in line.split()[0].split("-"))
        if " rw" not in line or last - first > 1 << 28: continue
        try:
            memory.seek(first)
            data = memory.read(last - first)
        except (OSError, ValueError): continue
        at = data.find(SECRET.encode() + b"-")
        while at >= 0:
            seen.add(bytes(data[at : at + len(SECRET) + 4]))
            at = data.find(SECRET.encode() + b"-", at + 1)
seen = {each for each in seen if each[-3:].isdigit()}
if len(seen) > 1: raise Exception(str(sorted(seen))[:300])`,
};

const count = 24;
const grader = `import json
SECRET = "tar" + "get"
def grade(sample, item):
    space = {"SECRET": SECRET}
    exec(sample["output_text"], space)
    return {"scores": {"score": float(space.get("solved", 0) == 42)}}
`;

async function gradeAll(
  answers: readonly string[],
  sandbox: "auto" | "off",
  given: { readonly isolation?: "chunk"; readonly text?: string } = {},
): Promise<readonly Graded[]> {
  const packageDirectory = path.resolve(import.meta.dirname, "../../python/regrade");
  const tools = await startPython({
    python: "python3",
    sandbox,
    packageDirectory,
    env: process.env,
    hosts: 1,
  });
  try {
    const opened = await tools.openProgram({
      kind: "source",
      text: given.text ?? grader,
      shown: "<grader>",
      metricId: "score",
      timeoutSeconds: 5,
      execution: "per_sample",
      contract: "sample",
      isolation: given.isolation,
      allowRead: [],
      models: undefined,
    });
    if ("refused" in opened) throw new Error(opened.refused.message);
    const { program } = opened;
    return await Promise.all(
      answers.map((output_text, i) => {
        const common = { prompt: `q${i}`, task_id: "qa" };
        const told = { ...common, output_text, extracted_output: null, model: "m", run_id: "r" };
        const target = `target-${String(i).padStart(3, "0")}`;
        return program.grade({ ...told, sample_id: `s${i}` }, { ...common, target, choices: [] });
      }),
    );
  } finally {
    await tools.close();
  }
}

function answersWith(code: string): readonly string[] {
  return Array.from({ length: count }, (_, i) => (i % 3 === 0 ? code : "solved = 0"));
}

function forged(all: readonly Graded[]): number {
  return all.filter(
    (each, i) => i % 3 !== 0 && !(each.kind === "scored" && each.scores["score"] === 0),
  ).length;
}

const linux = process.platform === "linux";
/** Without a sandbox root may change any process. */
const isRoot = process.getuid?.() === 0;
const ofRoot = [
  "changes its parent's memory",
  "writes into the descriptors of its parent and brothers",
];

function rows(sandbox: "auto" | "off"): readonly (readonly [string, string])[] {
  const all = Object.entries(attacks);
  return sandbox === "off" && isRoot ? all.filter(([does]) => !ofRoot.includes(does)) : all;
}

describe.skipIf(!linux).each(["auto", "off"] as const)(
  "sandbox %s: an answer can't forge another's scores when it",
  (sandbox) => {
    itSome(rows(sandbox))("%s", async (_, code) => {
      const all = await gradeAll(answersWith(up + code), sandbox);
      expect(forged(all), JSON.stringify(all)).toBe(0);
    });
  },
);

describe.skipIf(!linux)("a grader that runs answers", () => {
  it("has a process for each of them by default, and shares one where it is told to", async () => {
    const answers = answersWith(`${up}${attacks["replaces the grader's functions"]}
import regrade.grading as g
g.read_result = lambda v, m: type("R", (), {"encoded": lambda s: good[10:-16]})()`);
    expect(forged(await gradeAll(answers, "auto"))).toBe(0);
    expect(forged(await gradeAll(answers, "auto", { isolation: "chunk" }))).toBeGreaterThan(0);
  });
});

/** A grader that keeps the answer in a file of a fixed name, beside one that an earlier answer may have left. */
const filing = `import os, tempfile
def grade(sample, item):
    folder = tempfile.gettempdir()
    with open(os.path.join(folder, "answer.py"), "w") as file: file.write(sample["output_text"])
    exec(open(os.path.join(folder, "answer.py")).read())
    return float(os.path.exists(os.path.join(folder, "right")) or os.path.exists("right"))
`;

describe.skipIf(!linux)("a folder to write in", () => {
  it("is each answer's own: it finds nothing there that another one wrote, and can't write into another's", async () => {
    const code = `import glob, os, tempfile
home = os.path.dirname(tempfile.gettempdir())
for folder in [home, *glob.glob(home + "/*")]:
    try: open(os.path.join(folder, "right"), "w").close()
    except OSError: pass`;
    const all = await gradeAll(answersWith(code), "auto", { text: filing });
    expect(forged(all), JSON.stringify(all)).toBe(0);
    // The attackers wrote into their own.
    expect(all[0]).toMatchObject({ kind: "scored", scores: { score: 1 } });
  });
});

describe.skipIf(!linux)("an answer sees no other sample when it", () => {
  itSome(Object.entries(spies))("%s", async (_, code) => {
    const all = await gradeAll(answersWith(up + code), "off");
    for (const each of all) expect(each).toMatchObject({ kind: "scored", scores: { score: 0 } });
  });
});
