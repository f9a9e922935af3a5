import path from "node:path";
import { describe, expect } from "vitest";
import type { Graded } from "../../src/model/grading.ts";
import { startPython } from "../../src/python-host/pool.ts";
import type { PythonTools } from "../../src/model/ports/programs.ts";
import { itSome } from "../support/rows.ts";

const linux = process.platform === "linux";
const count = 20;
const badAt = 7;

/** Statements that don't end by themselves, and that no alarm ends either. */
const stopping: Readonly<Record<string, string>> = {
  "blocks all signals":
    "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()); time.sleep(60)",
  "stops itself": "os.kill(os.getpid(), signal.SIGSTOP); time.sleep(60)",
};

/** Statements that don't end by themselves, and what they do to their time-out. */
const stubborn: Readonly<Record<string, string>> = {
  ...stopping,
  "catches every interruption": `while True:
        try:
            while True: pass
        except BaseException: pass`,
  "takes the alarm away": "signal.signal(signal.SIGALRM, signal.SIG_IGN); time.sleep(60)",
  "counts in C": "str(10 ** 10 ** 8)",
  "holds the interpreter in C": "sys.setswitchinterval(1e6); sum(iter(int, 1))",
  "backtracks in a pattern": 're.match("(a+|a)*b", "a" * 60)',
  "prints without end": 'while True: os.write(1, b"x" * 65536)',
  "reads its own output away": `fd = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
    while True:
        os.write(1, b"x" * 100)
        try: os.read(fd, 65536)
        except BlockingIOError: pass`,
  "fills its memory": `rows = []
    while True: rows.append(bytearray(1 << 20))`,
};

/** Only where no sandbox holds it. */
const unheld: Readonly<Record<string, string>> = {
  "stops the process that forked it": "os.kill(os.getppid(), signal.SIGSTOP); time.sleep(60)",
  "forks, and all of them sleep": "os.fork(); os.fork(); time.sleep(60)",
};

interface Row {
  readonly does: string;
  readonly isolation: "chunk" | "sample";
  readonly sandbox: "auto" | "off";
  readonly code: string;
}

function rowsOf(
  codes: Readonly<Record<string, string>>,
  common: Pick<Row, "isolation" | "sandbox">,
): readonly Row[] {
  return Object.entries(codes).map(([does, code]) => Object.assign({ does, code }, common));
}

const rows: readonly Row[] = [
  ...rowsOf(stubborn, { isolation: "chunk", sandbox: "auto" }),
  ...rowsOf(unheld, { isolation: "chunk", sandbox: "off" }),
  ...rowsOf(stopping, { isolation: "sample", sandbox: "auto" }),
  ...rowsOf(unheld, { isolation: "sample", sandbox: "off" }),
];

function start(sandbox: Row["sandbox"]): Promise<PythonTools> {
  const packageDirectory = path.resolve(import.meta.dirname, "../../python/regrade");
  return startPython({ python: "python3", sandbox, packageDirectory, env: process.env, hosts: 1 });
}

/** What a bad sample among good ones says after how many seconds. */
async function graded(
  tools: PythonTools,
  row: Row,
): Promise<{ readonly all: readonly Graded[]; readonly seconds: number }> {
  const text = `import os, re, signal, sys, time
def stay():
    ${row.code}
def grade(sample, item):
    if item["bad"]: stay()
    return 1.0
`;
  const opened = await tools.openProgram({
    kind: "source",
    text,
    shown: "<grader>",
    metricId: "score",
    timeoutSeconds: 1,
    execution: "per_sample",
    contract: "sample",
    isolation: row.isolation,
    allowRead: [],
    models: undefined,
  });
  if ("refused" in opened) throw new Error(opened.refused.message);
  const { program } = opened;
  const common = { prompt: "?", task_id: "qa" };
  const told = { ...common, output_text: "", extracted_output: "", model: "m", run_id: "r" };
  const started = performance.now();
  let seconds = 0;
  const all = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const item = { ...common, target: null, choices: [], bad: i === badAt };
      const answer = await program.grade({ ...told, sample_id: `s${i}` }, item);
      if (i === badAt) seconds = (performance.now() - started) / 1000;
      return answer;
    }),
  );
  await program.close();
  return { all, seconds };
}

describe.skipIf(!linux)(
  "a time-out of a second ends a sample soon after it, when the sample",
  () => {
    itSome(rows)(
      "$does (isolation: $isolation, sandbox: $sandbox)",
      { timeout: 30_000 },
      async (row) => {
        await using tools = {
          ...(await start(row.sandbox)),
          [Symbol.asyncDispose]: () => tools.close(),
        };
        const prompt = await graded(tools, { ...row, code: "time.sleep(60)" });
        const { all, seconds } = await graded(tools, row);
        expect(all[badAt]).toMatchObject({ kind: "invalid", type: "timeout" });
        for (const [i, each] of all.entries())
          if (i !== badAt)
            expect(each, `s${i}`).toMatchObject({ kind: "scored", scores: { score: 1 } });
        // As long again as one that lets itself be interrupted: 1.6 s to 1.1 s where nothing else runs.
        expect(seconds).toBeLessThan(2 * prompt.seconds);
      },
    );
  },
);
