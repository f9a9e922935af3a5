import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { Graded } from "../../src/model/grading.ts";
import type {
  GraderProgramSpec,
  ProgramSource,
  PythonTools,
} from "../../src/model/ports/programs.ts";
import { startPython } from "../../src/python-host/pool.ts";

/** Graders that know how they are run, and use it against the run. */
const count = 20;
const attacker = 5;

/** The frames' own objects, where a grader can find them. */
const up = `import sys
def up(name):
    frame = sys._getframe()
    while frame is not None:
        if name in frame.f_locals: return frame.f_locals[name]
        frame = frame.f_back
`;

async function start(): Promise<PythonTools> {
  return startPython({
    python: "python3",
    sandbox: "auto",
    packageDirectory: path.resolve(import.meta.dirname, "../../python/regrade"),
    env: process.env,
    hosts: 1,
    graceSeconds: 0.5,
  });
}

async function gradeAll(
  tools: PythonTools,
  source: ProgramSource,
  spec: Partial<GraderProgramSpec> = {},
): Promise<readonly Graded[]> {
  const opened = await tools.openProgram({
    metricId: "score",
    timeoutSeconds: 1,
    execution: "per_sample",
    contract: "sample",
    isolation: "chunk",
    allowRead: [],
    models: undefined,
    ...spec,
    ...source,
  });
  if ("refused" in opened) throw new Error(JSON.stringify(opened.refused));
  const ids = Array.from({ length: count }, (_, i) => `q${i}`);
  return Promise.all(
    ids.map((prompt) => {
      const common = { prompt, task_id: "qa" };
      const told = { ...common, output_text: "", extracted_output: "", model: "m", run_id: "r" };
      const item = { ...common, target: null, choices: [] };
      return opened.program.grade({ ...told, sample_id: prompt }, item);
    }),
  );
}

function attack(body: string): ProgramSource {
  const text = `${up}
def grade(sample, item):
    if item["prompt"] != "q${attacker}": return 1.0
${body.replaceAll(/^/gm, "    ")}
    return 1.0`;
  return { kind: "source", text, shown: "<grader>" };
}

function expectOthersScored(graded: readonly Graded[]): void {
  for (const [i, each] of graded.entries()) {
    if (i !== attacker)
      expect(each, `q${i}`).toMatchObject({ kind: "scored", scores: { score: 1 } });
  }
}

describe("a hostile grader", () => {
  it("can't break the journal by a judge that is nested too deep to be written", async () => {
    const tools = await start();
    const graded = await gradeAll(
      tools,
      attack(`sys.setrecursionlimit(10**6)
x = []
for _ in range(12000): x = [x]
return {"scores": {"score": 1.0}, "judge": {"a": x}}`),
    );
    expectOthersScored(graded);
    expect(JSON.stringify(graded[attacker]).length).toBeLessThan(10_000);
    await tools.close();
  });

  it("can't put off its time-out by saying that other samples are under way", async () => {
    const tools = await start();
    const graded = await gradeAll(
      tools,
      attack(`import signal, time
mark = up("pipe").mark
signal.setitimer(signal.ITIMER_REAL, 0)
for k in range(10**9):
    mark.set(k % 5, time.monotonic())
    time.sleep(0.1)`),
    );
    expect(graded.filter(({ kind }) => kind === "invalid").length).toBeLessThanOrEqual(1);
    expect(graded.filter(({ kind }) => kind === "scored").length).toBeGreaterThanOrEqual(count - 1);
    await tools.close();
  }, 30_000);

  it.each(["E\\xff", "E[]", "E{}"])(
    "can't end the host by a last word that is none: %s",
    async (word) => {
      const tools = await start();
      const graded = await gradeAll(
        tools,
        attack(`import os, struct, time
pipe = up("pipe")
b = pipe._token + b"${word}"
os.write(pipe._out, struct.pack(">I", len(b)) + b)
time.sleep(0.2)`),
      );
      expectOthersScored(graded);
      expect(graded[attacker]).toMatchObject({ kind: "invalid", type: "forged_result" });
      await tools.close();
    },
  );

  it("can't lose a run by paths in its temporary folder that are too long to be removed", async () => {
    const tools = await start();
    const graded = await gradeAll(
      tools,
      attack(`import os
os.chdir(os.environ["TMPDIR"])
for _ in range(30):
    os.mkdir("a" * 200); os.chdir("a" * 200)`),
      { isolation: "sample" },
    );
    expectOthersScored(graded);
    await expect(tools.close()).resolves.toBeUndefined();
  });

  it("is run from its source, whatever bytecode lies beside it", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "regrade-test-"));
    const helper = path.join(folder, "helper.py");
    writeFileSync(helper, "score = 0.0\n");
    const compile = `import py_compile
py_compile.compile(${JSON.stringify(helper)}, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)`;
    execFileSync("python3", ["-c", compile]);
    writeFileSync(helper, "score = 1.0\n");
    const main = path.join(folder, "main.py");
    writeFileSync(main, "from helper import score\ndef grade(sample, item): return score\n");
    const tools = await start();
    const graded = await gradeAll(tools, { kind: "file", absolutePath: main, shown: "main.py" });
    for (const each of graded) expect(each).toMatchObject({ kind: "scored", scores: { score: 1 } });
    await tools.close();
  });
});
