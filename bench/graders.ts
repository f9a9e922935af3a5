import { execFile, execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type {
  GraderProgram,
  GraderProgramSpec,
  ProgramSource,
  PythonTools,
} from "../src/model/ports/programs.ts";
import type { GraderItem, GraderSample } from "../src/model/outcomes/sample.ts";
import { startPython } from "../src/python-host/pool.ts";
import { median } from "./measure.ts";
import { milliseconds, type Row } from "./table.ts";

const run = promisify(execFile);
const grader = join(import.meta.dirname, "grader.py");
const runningGrader = join(import.meta.dirname, "running_grader.py");
const bareLoop = join(import.meta.dirname, "bare_grader.py");
/** As many as a run has under way. */
const underWay = 512;

export interface GraderBench {
  readonly folder: string;
  readonly quick: boolean;
}

/**
 * Speed of graders in sandboxed hosts: compared with a bare loop and with one interpreter per sample, and the time until
 * they are ready.
 */
export async function grading({ folder, quick }: GraderBench): Promise<Row[]> {
  // The interpreter itself: the launcher of a version manager (pyenv's takes 200 ms) must not be measured.
  const python = execFileSync("python3", ["-c", "import sys; print(sys.executable)"])
    .toString()
    .trim();
  const packageDirectory = join(import.meta.dirname, "..", "python", "regrade");
  const tools = await startPython({ python, sandbox: "auto", packageDirectory, env: process.env });
  try {
    const rounds = quick ? 3 : 7;
    return [
      await inChunks({ tools, python, folder, rounds }),
      await inForks({ tools, python, folder, rounds }),
      ...(await runningText({ tools, python, folder, rounds })),
      await starting({ tools, python, folder, rounds: 3 * rounds }),
    ];
  } finally {
    await tools.close();
  }
}

interface Bench {
  readonly tools: PythonTools;
  readonly python: string;
  readonly folder: string;
  readonly rounds: number;
}

async function inChunks({ tools, python, folder, rounds }: Bench): Promise<Row> {
  const count = 10_000;
  const data = join(folder, "jobs.jsonl");
  const cases = makeCases(count);
  await writeFile(data, cases.map(([sample, item]) => givenTo(sample, item)).join("\n"));
  const bare: number[] = [];
  const hosts: number[] = [];
  const program = await open(tools, "chunk");
  await gradeAll(program, cases.slice(0, 1_000));
  for (let round = 0; round < rounds; round += 1) {
    const { stdout } = await run(python, ["-I", bareLoop, data, grader]);
    bare.push(Number(stdout));
    hosts.push(await gradeAll(program, cases));
  }
  await program.close();
  const ratio = median(bare) / median(hosts);
  const rate = (took: number): number => Math.round(count / took);
  return {
    what: "graded samples a second, isolation chunk : a bare Python loop",
    ratio,
    limit: "≥ 0.5",
    kept: ratio >= 0.5,
    seen: `${rate(median(hosts))} : ${rate(median(bare))} (sandbox: ${level(tools)})`,
  };
}

async function inForks({ tools, python, rounds }: Bench): Promise<Row> {
  const count = 200;
  const each: number[] = [];
  const forks: number[] = [];
  const program = await open(tools, "sample");
  const cases = makeCases(count);
  await gradeAll(program, cases.slice(0, 20));
  for (let round = 0; round < rounds; round += 1) {
    each.push(await interpreterSeconds(python));
    forks.push((await gradeAll(program, cases)) / count);
  }
  await program.close();
  const ratio = median(each) / median(forks);
  return {
    what: "graded samples a second, isolation sample : an interpreter a sample",
    ratio,
    limit: "≥ 10",
    kept: ratio >= 10,
    seen: `${Math.round(1 / median(forks))} : ${Math.round(1 / median(each))} (sandbox: ${level(tools)})`,
  };
}

/** The price of a process a sample, which only a grader that runs text pays unasked. */
async function runningText({ tools, rounds }: Bench): Promise<Row[]> {
  const cases = makeCases(4_000);
  const few = cases.slice(0, 200);
  const builtin = { kind: "builtin", name: "token_f1", options: {}, isolation: "chunk" } as const;
  const plain = await timedProgram(await open(tools, "chunk"), cases);
  const unasked = await timedProgram(await open(tools, undefined), cases);
  const token = await timedProgram(await openSpec(tools, builtin), cases);
  const runs = await timedProgram(await open(tools, undefined, runningGrader), few);
  const together = await timedProgram(await open(tools, "chunk", runningGrader), cases);
  const all = [plain, unasked, token, runs, together];
  // Interleaved, so that a busy moment of the machine affects all of them.
  for (let round = 0; round < rounds; round += 1) for (const one of all) await one.time();
  for (const one of all) await one.program.close();
  const row = (what: string, [one, other]: readonly [Timed, Timed], most: number): Row => {
    const ratio = median(one.took) / median(other.took);
    const seen = `${shown(one)} : ${shown(other)} a sample (sandbox: ${level(tools)})`;
    return { what, ratio, limit: `≤ ${most}`, kept: ratio <= most, seen };
  };
  return [
    row("time of a plain grader, isolation by default : chunk", [unasked, plain], 1.5),
    row("time of the built-in token_f1 : of a plain grader in chunks", [token, plain], 2),
    row("time of a grader that runs text, by default : in chunks", [runs, together], 150),
  ];
}

interface Timed {
  readonly program: GraderProgram;
  /** Seconds a sample. */
  readonly took: number[];
  readonly time: () => Promise<void>;
}

async function timedProgram(program: GraderProgram, cases: readonly Case[]): Promise<Timed> {
  await gradeAll(program, cases.slice(0, 200));
  const took: number[] = [];
  const time = async (): Promise<void> => {
    took.push((await gradeAll(program, cases)) / cases.length);
  };
  return { program, took, time };
}

function shown({ took }: Timed): string {
  return `${(median(took) * 1000).toFixed(3)} ms`;
}

/** Seconds of a sample with its own interpreter, which imports the grader and grades it. */
async function interpreterSeconds(python: string): Promise<number> {
  const code = [
    "import json, runpy, sys",
    "sample, item = json.loads(sys.argv[2])",
    "print(json.dumps(runpy.run_path(sys.argv[1])['grade'](sample, item)))",
  ].join("\n");
  const count = 5;
  const started = performance.now();
  for (let i = 0; i < count; i += 1)
    await run(python, ["-I", "-c", code, grader, givenTo(makeSample(i), makeItem(i))]);
  return (performance.now() - started) / 1000 / count;
}

async function starting({ tools, python, rounds }: Bench): Promise<Row> {
  const bare: number[] = [];
  const hosts: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await seconds(() => run(python, ["-I", "-c", "pass"])));
    let program: GraderProgram | undefined;
    hosts.push(await seconds(async () => (program = await open(tools, "chunk"))));
    await program?.close();
  }
  const ratio = median(hosts) / median(bare);
  return {
    what: "start of a host until its grader is ready : python3 -I -c pass",
    ratio,
    limit: "≤ 3",
    kept: ratio <= 3,
    seen: `${milliseconds(median(hosts))} : ${milliseconds(median(bare))} (sandbox: ${level(tools)})`,
  };
}

function level(tools: PythonTools): string {
  return tools.sandbox()?.level ?? "none";
}

function open(
  tools: PythonTools,
  isolation: GraderProgramSpec["isolation"],
  absolutePath = grader,
): Promise<GraderProgram> {
  return openSpec(tools, { kind: "file", absolutePath, shown: "grader.py", isolation });
}

async function openSpec(
  tools: PythonTools,
  source: ProgramSource & Pick<GraderProgramSpec, "isolation">,
): Promise<GraderProgram> {
  const opened = await tools.openProgram({
    ...source,
    metricId: "score",
    timeoutSeconds: 30,
    execution: "per_sample",
    contract: "sample",
    allowRead: [],
    models: undefined,
  });
  if ("refused" in opened) throw new Error(opened.refused.message);
  return opened.program;
}

/** Seconds for all of them, some hundreds under way at a time. */
async function gradeAll(program: GraderProgram, cases: readonly Case[]): Promise<number> {
  const waiting = cases.values();
  const worker = async (): Promise<void> => {
    for (const [sample, item] of waiting) {
      const graded = await program.grade(sample, item);
      if (graded.kind !== "scored") throw new Error(`${graded.kind}: ${graded.message}`);
    }
  };
  return seconds(() => Promise.all(Array.from({ length: underWay }, worker)));
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

const vocabulary =
  "the order was shipped on monday and arrives late because customs asked for papers".split(" ");

function words(seed: number, count: number): string {
  return Array.from(
    { length: count },
    (_, k) => vocabulary[(seed + k * (1 + (seed % 5))) % vocabulary.length],
  ).join(" ");
}

type Case = readonly [GraderSample, GraderItem];

function makeCases(count: number): readonly Case[] {
  return Array.from({ length: count }, (_, i) => [makeSample(i), makeItem(i)] as const);
}

/** A grader's input as JSON, including the reference answer, which hosts add themselves. */
function givenTo(sample: GraderSample, item: GraderItem): string {
  return JSON.stringify([sample, { ...item, reference_answer: item.target }]);
}

function makeSample(i: number): GraderSample {
  const output = words(i * 7 + 3, 50);
  return {
    output_text: output,
    extracted_output: output,
    model: "main",
    prompt: words(i, 40),
    task_id: "qa",
    run_id: "run_bench",
    sample_id: `sample-${i}`,
  };
}

function makeItem(i: number): GraderItem {
  const target = words(i * 7, 50);
  return {
    question: words(i, 40),
    prompt: words(i, 40),
    target,
    choices: [],
    task_id: "qa",
  };
}
