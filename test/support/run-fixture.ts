import type { FsFixture } from "fs-fixture";
import { readFile } from "node:fs/promises";
import type { BatchGraded, BatchSample, GradeBatch, Graded } from "../../src/model/grading.ts";
import type {
  Preprocessed,
  PreprocessorProgram,
  PythonTools,
} from "../../src/model/ports/programs.ts";
import type { Progress } from "../../src/model/ports/progress.ts";
import type { Run } from "../../src/model/outcomes/run.ts";
import type { GraderSample, Sample, ScoreRow } from "../../src/model/outcomes/sample.ts";
import type { FinishedRun } from "../../src/run/finish.ts";
import { validateSuite } from "../../src/runs/check-suite.ts";
import { runSuite } from "../../src/runs/run-suite.ts";
import type { RunChoices } from "../../src/suite/selection/choices.ts";
import type { Tools } from "../../src/tools.ts";
import { openSecrets, openTools } from "../../src/wiring.ts";
import { parseLines } from "./cli.ts";

/** Plain functions in place of the Python side. */
export interface FakePython {
  readonly gradeBatch?: (
    samples: readonly BatchSample[],
    about: Parameters<GradeBatch>[0],
  ) => BatchGraded | Promise<BatchGraded>;
  /** For a grader of single samples; several graders are distinguished by their name in messages. */
  readonly grade?: (sample: GraderSample, shown: string) => Graded;
  readonly row?: (row: string) => Preprocessed;
  readonly batch?: (rows: readonly string[]) => Preprocessed;
  /** The hash of the preprocessor's only file. */
  readonly code?: string;
}

export interface Start {
  readonly python: FakePython;
  readonly resume?: boolean;
  readonly rerun?: boolean;
  readonly choices?: RunChoices;
  readonly out?: string;
  readonly baseline?: string;
  readonly signal?: AbortSignal;
  readonly report?: (event: Progress) => void;
  /** Changes of the run's tools. */
  readonly tools?: (tools: Tools) => Tools;
}

/** Runs `suite.yaml` of a project as the product runs it, with real files and no Python. */
export function runFixture(fixture: FsFixture, start: Start): Promise<FinishedRun> {
  const request = {
    manifest: fixture.getPath("suite.yaml"),
    out: fixture.getPath(start.out ?? "out"),
    baseline: start.baseline === undefined ? "none" : fixture.getPath(start.baseline),
    candidates: [],
    tasks: [],
    resume: start.resume ?? false,
    rerun: start.rerun ?? false,
    choices: start.choices,
    cache: false,
    publish: "full" as const,
    git: { sha: null, base_sha: null, ref: null },
  };
  return runSuite(request, toolsFor(fixture, start));
}

/** The same for `regrade validate`. */
export async function validateFixture(fixture: FsFixture, start: Start): Promise<void> {
  const manifest = fixture.getPath("suite.yaml");
  await validateSuite(
    { manifest, baseline: "none", candidates: [], tasks: [] },
    toolsFor(fixture, start),
  );
}

function toolsFor(fixture: FsFixture, start: Start): Tools {
  const env = { PATH: process.env["PATH"] };
  const tools = openTools({
    python: "python3",
    sandbox: "auto",
    report: start.report ?? (() => undefined),
    secrets: openSecrets(env),
    signal: start.signal ?? new AbortController().signal,
    env,
    workingDirectory: fixture.path,
  });
  const played = { ...tools, startPython: async () => pythonOf(start.python) };
  return start.tools?.(played) ?? played;
}

async function close(): Promise<void> {}

function pythonOf(fake: FakePython): PythonTools {
  return {
    version: "3.12.0",
    openProgram: async (spec) => ({
      program: {
        files: [{ path: "grader.py", sha256: "sha256:grader" }],
        runsText: undefined,
        grade: async (sample) => {
          if (fake.grade === undefined) throw new Error("grade was called for a batch");
          return fake.grade(sample, spec.kind === "builtin" ? spec.name : spec.shown);
        },
        hurry: () => undefined,
        gradeBatch: async (about, samples) => {
          const lines: BatchSample[] = [];
          for await (const line of samples) lines.push(JSON.parse(line) as BatchSample);
          if (fake.gradeBatch === undefined) throw new Error("no grade_batch");
          return fake.gradeBatch(lines, about);
        },
        close,
      },
    }),
    openPreprocessor: async () => ({ program: preprocessorOf(fake) }),
    openHeldProgram: () => Promise.reject(new Error("no programs")),
    searchRegex: async () => ({ kind: "no_match" }),
    checkRegex: async () => undefined,
    probeRegex: async () => "harmless",
    sandbox: () => undefined,
    close,
  };
}

function preprocessorOf({ row, batch, code = "sha256:rows" }: FakePython): PreprocessorProgram {
  return {
    files: [{ path: "rows.py", sha256: code }],
    row: async (text) => row?.(text) ?? { kind: "rows", rows: [text] },
    batch: async (rows) => {
      const all: string[] = [];
      for await (const text of rows) all.push(text);
      return batch?.(all) ?? { kind: "rows", rows: all };
    },
    close,
  };
}

/** Files of a run. */
export async function leftBy(fixture: FsFixture, out = "out") {
  const text = (name: string): Promise<string> => readFile(fixture.getPath(out, name), "utf8");
  const scoresText = await text("scores.jsonl");
  return {
    run: JSON.parse(await text("run.json")) as Run,
    samples: parseLines(await text("samples.jsonl")) as Sample[],
    scores: parseLines(scoresText) as ScoreRow[],
    scoresText,
    summary: await text("summary.md"),
  };
}

/** A batch's good result. */
export function gave(
  metrics: Readonly<Record<string, number>>,
  updates: Extract<BatchGraded, { kind: "graded" }>["updates"] = [],
): BatchGraded {
  return { kind: "graded", metrics, updates, printed: null, notes: [] };
}
