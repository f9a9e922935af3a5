import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Graded } from "../../src/model/grading.ts";
import type {
  GraderProgram,
  GraderProgramSpec,
  PythonTools,
} from "../../src/model/ports/programs.ts";
import type { GraderItem, GraderSample } from "../../src/model/outcomes/sample.ts";
import type { RegexSpec } from "../../src/model/definition/extraction.ts";
import { startPython } from "../../src/python-host/pool.ts";
import { itSome } from "../support/rows.ts";

const root = path.resolve(import.meta.dirname, "../..");
const graders = path.join(root, "test/fixtures/graders");
const secrets = {
  GITHUB_TOKEN: "ghs_secret",
  ACTIONS_RUNTIME_TOKEN: "runtime_secret",
  MY_SECRET: "my_secret",
  INPUT_TOKEN: "input_secret",
};

let tools: PythonTools;
/** Without a sandbox. */
let free: PythonTools;

beforeAll(async () => {
  tools = await startPython({
    python: "python3",
    sandbox: "auto",
    packageDirectory: path.join(root, "python/regrade"),
    env: { ...process.env, ...secrets },
    hosts: 2,
    loadTimeoutSeconds: 3,
    graceSeconds: 0.8,
  });
  free = await startPython({
    python: "python3",
    sandbox: "off",
    packageDirectory: path.join(root, "python/regrade"),
    env: process.env,
    hosts: 2,
  });
});

afterAll(async () => {
  await tools.close();
  await free.close();
});

const common = {
  metricId: "score",
  timeoutSeconds: 30,
  execution: "per_sample",
  contract: "sample",
  isolation: "chunk",
  allowRead: [],
  models: undefined,
} as const;

function fileSpec(name: string): GraderProgramSpec {
  const absolutePath = path.join(graders, name);
  return { kind: "file", absolutePath, shown: `graders/${name}`, ...common, timeoutSeconds: 1 };
}

async function open(spec: GraderProgramSpec, within = tools): Promise<GraderProgram> {
  const opened = await within.openProgram(spec);
  if ("refused" in opened) throw new Error(JSON.stringify(opened.refused));
  return opened.program;
}

async function refusal(name: string): Promise<{ reason: string; message: string; line?: number }> {
  const opened = await tools.openProgram(fileSpec(name));
  if ("program" in opened) throw new Error("it was loaded");
  const { reason, message, line } = opened.refused;
  return line === undefined ? { reason, message } : { reason, message, line };
}

function sample(id: number): GraderSample {
  return {
    output_text: `answer ${id}`,
    extracted_output: null,
    model: "main",
    prompt: "?",
    task_id: "qa",
    run_id: "run_1",
    sample_id: `s${id}`,
  };
}

function item(bad: boolean): GraderItem {
  return { bad, prompt: "?", target: null, choices: [], task_id: "qa" };
}

const isSource = (file: string): boolean => !file.endsWith("__pycache__");

const count = 40;
const badAt = 17;

/** Grades 40 samples, of which one is bad. */
async function gradeAll(
  name: string,
  { timeoutSeconds = 30, within = tools } = {},
): Promise<{ bad: Graded; others: readonly Graded[] }> {
  const program = await open({ ...fileSpec(`${name}.py`), timeoutSeconds }, within);
  try {
    const all = await Promise.all(
      Array.from({ length: count }, (_, i) => program.grade(sample(i), item(i === badAt))),
    );
    const bad = all[badAt];
    if (bad === undefined) throw new Error("no answer");
    return { bad, others: all.filter((_, i) => i !== badAt) };
  } finally {
    await program.close();
  }
}

function told(graded: Graded): string {
  if (graded.kind === "scored") return `scored ${JSON.stringify(graded.scores)}`;
  return `${graded.kind} ${graded.type}: ${graded.message}`;
}

const scoredOthers = { kind: "scored", scores: { score: 1 }, printed: null };

describe("one bad sample costs one sample", () => {
  itSome<[string, RegExp]>([
    [
      "raises",
      /^invalid exception: ZeroDivisionError: division by zero \(graders\/raises.py:2, in score\)$/,
    ],
    ["sys_exit", /^invalid exit: the grader called sys.exit\(3\)/],
    ["os_exit", /^invalid host_died: the grader's process ended with exit code 0$/],
    [
      "segfault",
      /^invalid host_died: the grader's process was killed by SIGSEGV; its last words: [^]*segfault.py/,
    ],
    ["out_of_memory", /^invalid exception: (MemoryError|OverflowError)/],
    ["recursion", /^invalid exception: RecursionError/],
    ["endless", /^invalid timeout: grade ran longer than 1 s/],
    ["sleeps", /^invalid timeout: grade ran longer than 1 s/],
    ["endless_regex", /^invalid timeout: grade ran longer than 1 s/],
    ["endless_swallowing", /^invalid timeout: .* its process was killed$/],
    ["swallows_once", /^invalid timeout: grade ran longer than 1 s \(timeout_seconds\)$/],
    ["takes_alarm", /^invalid timeout: .* its process was killed$/],
    ["hostile_repr", /^invalid timeout: grade ran longer than 1 s/],
    ["returns_object", /^invalid bad_result: grade returned the Thing <a thing>/],
    ["closes_everything", /^invalid host_died/],
    ["writes_everywhere", /^invalid forged_result: the grader wrote into Regrade's own channel/],
    ["writes_noise", /^invalid forged_result: the grader wrote into Regrade's own channel/],
    ["thread_kills", /^invalid host_died: the grader's process ended with exit code 9/],
    [
      "asks_model",
      /^invalid model_refused: ModelError: ctx.responses_create needs a grader with contract: model_backed/,
    ],
  ])("%s", async (name, expected) => {
    const timeoutSeconds = expected.source.includes("timeout") ? 1 : 30;
    const { bad, others } = await gradeAll(name, { timeoutSeconds });
    expect(told(bad)).toMatch(expected);
    expect(bad).toMatchObject({ judge: { invalid: true, reason: expect.any(String) } });
    for (const other of others) expect(other).toMatchObject(scoredOthers);
  });

  itSome([
    "prints_much",
    "prints_past_python",
    "judge_object",
    "huge_judge",
    "thread_left",
    "closes_stdout",
    "child_left",
    "forks",
    "patches_json",
    "patches_json_late",
  ])("%s costs none", async (name) => {
    const { bad, others } = await gradeAll(name, { within: free });
    expect(told(bad)).toBe('scored {"score":1}');
    for (const other of others) expect(other).toMatchObject(scoredOthers);
  });

  itSome(["prints_past_python", "child_left", "forks"])(
    "%s: in the sandbox nothing can be started",
    async (name) => {
      const { bad, others } = await gradeAll(name);
      expect(told(bad)).toMatch(/^invalid exception: PermissionError/);
      for (const other of others) expect(other).toMatchObject(scoredOthers);
    },
  );

  itSome([
    ["asynchronous", /grade is async; define it with a plain def/],
    ["yields", /grade has a yield; use return/],
  ])("%s: every sample says what is wrong", async (name, expected) => {
    const { bad, others } = await gradeAll(name);
    for (const graded of [bad, ...others]) expect(told(graded)).toMatch(expected);
  });
});

describe("what a grader prints", () => {
  it("is kept up to a limit, and the rest is counted", async () => {
    const { bad } = await gradeAll("prints_much");
    expect(bad.kind === "scored" && bad.printed).toMatch(/y\n… 999\.9 MB more$/);
  });

  it("stays with its sample, as it was printed", async () => {
    const { bad, others } = await gradeAll("prints_commands");
    expect(bad).toMatchObject({ printed: "::set-output name=verdict::pass\n" });
    for (const other of others) expect(other).toMatchObject(scoredOthers);
  });
});

describe("details", () => {
  it("a traceback shows the user's frames with their lines, and none of the host's", async () => {
    const { bad } = await gradeAll("raises");
    const traceback = bad.kind === "invalid" ? bad.judge["traceback"] : undefined;
    expect(traceback).toContain(
      'File "graders/raises.py", line 6, in grade\n    return score("" if',
    );
    expect(traceback).not.toContain("host.py");
  });

  it("a grader's own traceback has them, too, and its folder may have modules called like Python's", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "regrade-names-"));
    const names = ["re", "json", "enum", "signal", "linecache", "calendar"];
    for (const name of names) writeFileSync(path.join(folder, `${name}.py`), "mine = True\n");
    const text = `import calendar
def grade(sample, item):
    try:
        assert item["row"] == 1
    except AssertionError:
        import traceback
        return {"scores": {"score": 1}, "judge": {"lines": traceback.format_exc(), "mine": calendar.mine}}
    return 1 / (item["row"] - 1)
`;
    const inFile = path.join(folder, "named.py");
    writeFileSync(inFile, text);
    const shown = "graders/named.py";
    const program = await open({ kind: "file", absolutePath: inFile, shown, ...common });
    const asked = [0, 1].map((row) => program.grade(sample(row), { ...item(false), row }));
    const [kept, raised] = await Promise.all(asked);
    await program.close();
    rmSync(folder, { recursive: true });
    const lines = expect.stringContaining('assert item["row"] == 1');
    expect(kept).toMatchObject({ kind: "scored", judge: { lines, mine: true } });
    const traceback = expect.stringContaining('return 1 / (item["row"] - 1)');
    expect(raised).toMatchObject({ type: "exception", judge: { traceback } });
  });

  it("what JSON has no word for is kept as text in judge", async () => {
    const { bad } = await gradeAll("judge_object");
    const long = `1${"0".repeat(400)}`;
    expect(bad).toMatchObject({ judge: { seen: "<a thing>", odd: "nan", long } });
  });

  it("a judge of 10 MB is cut", async () => {
    const { bad } = await gradeAll("huge_judge");
    expect(bad).toMatchObject({ judge: { truncated: true, characters: 10_000_010 } });
  });

  it("numbers and text arrive in Python as the row has them", async () => {
    const text =
      "def grade(s, i): return {'scores': {'x': 1}, 'judge': {'row': repr(i['row']), 'out': s['output_text']}}";
    const program = await open({
      kind: "source",
      text,
      shown: "<grader>",
      ...common,
      metricId: "score",
      timeoutSeconds: 5,
    });
    const row = [
      JSON.rawJSON("51.0"),
      JSON.rawJSON("12345678901234567890"),
      "é\u2028\n\ud800",
      null,
    ];
    const graded = await program.grade(
      { ...sample(1), output_text: "日本" },
      { ...item(false), row },
    );
    expect(graded).toMatchObject({
      judge: {
        row: String.raw`[51.0, 12345678901234567890, 'é\u2028\n\ud800', None]`,
        out: "日本",
      },
    });
    await program.close();
  });

  it("a number that Python refuses to read costs its own sample", async () => {
    const program = await open(fileSpec("endless.py"));
    const long = { ...item(false), long: JSON.rawJSON("9".repeat(5_000)) };
    const [bad, good] = await Promise.all([
      program.grade(sample(1), long),
      program.grade(sample(2), item(false)),
    ]);
    expect(bad).toMatchObject({ kind: "invalid", type: "unreadable_sample" });
    expect(good).toMatchObject(scoredOthers);
    await program.close();
  });
});

describe("isolation", () => {
  it("the environment of a grader holds no secret", async () => {
    const program = await open(fileSpec("environment.py"));
    const graded = await program.grade(sample(1), item(false));
    const env = graded.kind === "scored" ? (graded.judge ?? {}) : {};
    expect(JSON.stringify(env)).not.toContain("secret");
    const names = Object.keys(env).filter((name) => !name.startsWith("LC_"));
    const known = [
      "HOME",
      "PATH",
      "LANG",
      "LANGUAGE",
      "TZ",
      "TMPDIR",
      "TEMP",
      "TMP",
      "LD_LIBRARY_PATH",
    ];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    await program.close();
  });

  it("a process that a grader leaves running ends with the grader", async () => {
    const { bad } = await gradeAll("child_left", { within: free });
    const pid = Number(bad.kind === "scored" ? bad.printed : Number.NaN);
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
    // Gone, or killed and not yet buried by its parent.
    expect(stdout.trim()).toMatch(/^(|Z.*)$/);
  });

  it("no __pycache__ appears beside the user's graders", async () => {
    const program = await open(fileSpec("imports/main.py"));
    expect(existsSync(path.join(graders, "imports/__pycache__"))).toBe(false);
    await program.close();
  });

  it("Regrade's own modules are kept compiled: those of the sandbox and of its graders too", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "regrade-modules-"));
    const packageDirectory = path.join(folder, "regrade");
    cpSync(path.join(root, "python/regrade"), packageDirectory, {
      recursive: true,
      filter: isSource,
    });
    const options = { python: "python3", sandbox: "auto", env: process.env } as const;
    const python = await startPython({ ...options, packageDirectory });
    const kind = { kind: "builtin", name: "exact_match", options: {} } as const;
    await (await open({ ...common, ...kind }, python)).close();
    await python.close();
    const compiled = (of: string): string =>
      readdirSync(path.join(packageDirectory, of, "__pycache__")).join("\n");
    expect(compiled("")).toMatch(/^load\..*pyc$/m);
    expect(compiled("sandbox")).toMatch(/^hold\..*pyc$/m);
    expect(compiled("graders")).toMatch(/^exact_match\..*pyc$/m);
    rmSync(folder, { recursive: true });
  });

  it("the temporary folder of the hosts is gone after close", async () => {
    const own = await startPython({
      python: "python3",
      sandbox: "auto",
      packageDirectory: path.join(root, "python/regrade"),
      env: process.env,
    });
    const text =
      "import tempfile\ndef grade(s, i): return {'scores': {'x': 1}, 'judge': {'at': tempfile.mkdtemp()}}";
    const opened = await own.openProgram({
      kind: "source",
      text,
      shown: "<grader>",
      ...common,
      metricId: "x",
      timeoutSeconds: 5,
    });
    if ("refused" in opened) throw new Error(opened.refused.message);
    const graded = await opened.program.grade(sample(1), item(false));
    const made = graded.kind === "scored" ? JSON.stringify(graded.judge?.["at"]).slice(1, -1) : "";
    expect(readdirSync(path.dirname(made))).toHaveLength(1);
    await own.close();
    expect(existsSync(path.dirname(made))).toBe(false);
  });
});

describe("loading", () => {
  it("names every file that a grader is made of, and only those", async () => {
    const program = await open(fileSpec("imports/main.py"));
    expect(program.files.map((file) => file.path)).toEqual([
      "main.py",
      "deeper.py",
      "later.py",
      "split.py",
      "words/__init__.py",
      "words/stop.py",
    ]);
    expect(program.files.every((file) => /^sha256:[0-9a-f]{64}$/.test(file.sha256))).toBe(true);
    expect(await program.grade(sample(1), item(false))).toMatchObject(scoredOthers);
    await program.close();
  });

  it.each([
    ["syntax_error.py", { reason: "syntax", message: "unmatched ')'", line: 2 }],
    ["no_grade.py", { reason: "no_grade", message: "score" }],
    ["one_parameter.py", { reason: "signature", message: "(sample)", line: 1 }],
    ["not_callable.py", { reason: "not_callable", message: "int" }],
    ["module_missing.py", { reason: "module_missing", message: "no_such_module_here", line: 1 }],
    [
      "import_raises.py",
      {
        reason: "import_failed",
        message: "KeyError: 'labels' (graders/import_raises.py:2, in setup)",
        line: 2,
      },
    ],
    [
      "import_endless.py",
      // Whoever says it first: the host itself, or who watches it.
      {
        reason: "load_timeout",
        message: expect.stringMatching(/^it (is|was) not imported within 3 s$/),
      },
    ],
    ["import_exits.py", { reason: "died", message: "its process ended with exit code 4" }],
    ["nowhere.py", { reason: "file_unreadable", message: "No such file or directory" }],
  ])("%s is refused before the first sample", async (name, expected) => {
    expect(await refusal(name)).toEqual(expected);
  });

  it("a built-in says which option it does not take", async () => {
    const opened = await tools.openProgram({
      kind: "builtin",
      name: "exact_match",
      options: { casesensitive: true },
      ...common,
      metricId: "score",
      timeoutSeconds: 5,
    });
    expect(opened).toMatchObject({ refused: { reason: "options" } });
  });

  it("an interpreter that is not there is refused with its name", async () => {
    const options = {
      python: "no-such-python",
      sandbox: "auto" as const,
      packageDirectory: "",
      env: process.env,
    };
    await expect(startPython(options)).rejects.toThrow(/can't start Python \(no-such-python\)/);
  });
});

function regex(pattern: string): RegexSpec {
  return { type: "regex", pattern, group: undefined, flags: "" };
}

describe("surroundings that fail", () => {
  it("a grader whose file changes during the run leaves the rest ungraded, and says so", async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "regrade-test-"));
    const absolutePath = path.join(directory, "qa.py");
    writeFileSync(
      absolutePath,
      "import os\ndef grade(s, i):\n    if i['bad']: os.kill(os.getppid(), 9)\n    return 1.0\n",
    );
    const program = await open(
      {
        kind: "file",
        absolutePath,
        shown: "graders/qa.py",
        ...common,
        metricId: "score",
        timeoutSeconds: 30,
      },
      free,
    );
    expect(await program.grade(sample(1), item(false))).toMatchObject(scoredOthers);
    appendFileSync(absolutePath, "\n# changed\n");
    expect(await program.grade(sample(2), item(true))).toEqual({
      kind: "ungraded",
      type: "host_not_started",
      message: "the grader's file changed during the run",
    });
    await program.close();
    rmSync(directory, { recursive: true });
  });

  it(
    "samples are graded by the processes that there are where the machine bears no more",
    { tags: "long" },
    async () => {
      const directory = mkdtempSync(path.join(tmpdir(), "regrade-test-"));
      const packageDirectory = path.join(directory, "regrade");
      cpSync(path.join(root, "python/regrade"), packageDirectory, { recursive: true });
      // Only the first one starts: it says hello.
      const start = path.join(packageDirectory, "__main__.py");
      const text = readFileSync(start, "utf8");
      writeFileSync(start, `import sys\n"hello" in sys.argv or sys.exit(7)\n${text}`);
      const options = { python: "python3", sandbox: "off", env: process.env, hosts: 2 } as const;
      const scarce = await startPython({ ...options, packageDirectory });
      const slow = "import time\ndef grade(s, i):\n    time.sleep(0.15)\n    return 1.0";
      const spec = { kind: "source", text: slow, shown: "<grader>", ...common } as const;
      const program = await open(spec, scarce);
      // Its time is known from now on: the next ones wait for long enough to ask for another process.
      await program.grade(sample(0), item(false));
      const graded = await Promise.all(
        Array.from({ length: 8 }, (_, i) => program.grade(sample(i), item(false))),
      );
      expect(graded.map(({ kind }) => kind)).toEqual(graded.map(() => "scored"));
      await scarce.close();
      rmSync(directory, { recursive: true });
    },
  );

  it("samples that are still waiting when the grader is closed are ungraded", async () => {
    const program = await open({ ...fileSpec("sleeps.py"), timeoutSeconds: 60 });
    const waiting = Promise.all([0, 1, 2].map((i) => program.grade(sample(i), item(true))));
    await program.close();
    for (const graded of await waiting) expect(graded.kind).toBe("ungraded");
  });
});

describe("many samples", () => {
  it("each gets its own answer, whatever the order in which hosts finish", async () => {
    const text =
      "def grade(s, i): return {'scores': {'score': len(s['output_text'])}, 'judge': {'id': s['sample_id']}}";
    const program = await open({
      kind: "source",
      text,
      shown: "<grader>",
      ...common,
      metricId: "score",
      timeoutSeconds: 30,
    });
    const all = await Promise.all(
      Array.from({ length: 3_000 }, (_, i) => program.grade(sample(i), item(false))),
    );
    all.forEach((graded, i) => {
      const score = `answer ${i}`.length;
      expect(graded).toMatchObject({ scores: { score }, judge: { id: `s${i}` } });
    });
    await program.close();
  });
});

describe("regexes", () => {
  it("finds what Python's re finds", async () => {
    expect(await tools.searchRegex(regex("#### (\\d+)"), "so #### 42")).toEqual({
      kind: "found",
      text: "42",
    });
    expect(await tools.searchRegex(regex("b"), "a")).toEqual({ kind: "no_match" });
  });

  it("gives a text up that takes more than a second, and only that", async () => {
    const texts = Array.from({ length: 20 }, (_, i) => (i === 7 ? `${"a".repeat(50)}b` : "aaa"));
    const found = await Promise.all(texts.map((text) => tools.searchRegex(regex("^(a+)+$"), text)));
    expect(found.map(({ kind }) => kind)).toEqual(
      texts.map((_, i) => (i === 7 ? "timeout" : "found")),
    );
  });

  it("says what is wrong with a pattern", async () => {
    expect(await tools.checkRegex(regex("(a"))).toMatch(/missing \)/);
    expect(await tools.checkRegex(regex("a"))).toBeUndefined();
  });
});
