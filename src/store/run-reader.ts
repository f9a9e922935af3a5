import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { nearest } from "../base/nearest.ts";
import { createLedger } from "../ledger/ledger.ts";
import type { Ledger } from "../model/figures/ledger.ts";
import type { SampleReader, StoredRun, SuiteRun } from "../model/ports/store.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { RegradedTask } from "../model/outcomes/compared.ts";
import type { Sample } from "../model/outcomes/sample.ts";
import { readJsonBatches, readJsonLines } from "../io/files/json-lines.ts";
import { inspectPath } from "../io/files/files.ts";
import { reasonOf, systemCode } from "../io/files/reason.ts";
import { plainLines, type StoredLines } from "./encrypted-lines.ts";
import { findOwnRuns } from "./own-runs.ts";
import { pathsIn } from "./run-files.ts";
import { openSampleReader } from "./sample-reader.ts";
import { generatedShape, loadRunShapes } from "./shapes.ts";

const format = "regrade.run/1";

/**
 * Reads a run directory, checked against the schemas: it may come from a stranger. `beside`: the scores that it will be compared with.
 */
export async function readRun(directory: string, beside?: Ledger): Promise<StoredRun> {
  const run = await readRunJson(directory);
  const ledger = await readScores(directory, beside);
  for (const batch of run.batches ?? []) ledger.give(batch);
  const found = ledger.groups().reduce((sum, group) => sum + group.size, 0);
  // If the file was cut short, old cases would look like new ones.
  if (found !== run.request_counts.total) {
    const reason = `it has the scores of ${found} samples, and run.json tells of ${run.request_counts.total}`;
    throw unreadable(pathsIn(directory).scores, reason);
  }
  return { directory, run, ledger };
}

/** Loads the schemas; best called while waiting for a process or a server. */
export async function expectRun(): Promise<void> {
  await loadRunShapes();
}

/** The input hash of the run in a directory, in whatever state the run is; undefined if no run has begun. */
export async function readInputHash(directory: string): Promise<string | undefined> {
  const paths = pathsIn(directory);
  // Only an incomplete run has this file; its first line identifies the run.
  for await (const { value } of readJsonLines(paths.generated, generatedShape))
    return "object" in value && value.object === "regrade.plan/1" ? value.input_hash : undefined;
  if ((await inspectPath(paths.run)).kind === "missing") return undefined;
  return (await readRunJson(directory)).input_hash;
}

/** The run.json in a directory, checked against its schema. */
export async function readRunJson(directory: string): Promise<Run> {
  const file = pathsIn(directory).run;
  const value = parse(await readText(directory), file);
  const found =
    typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
  if (typeof found === "string" && found !== format) {
    throw new Refusal(problem("run_other_format", { found, known: format }, { file }));
  }
  const { runShape } = await loadRunShapes();
  if (runShape.is(value)) return value;
  throw unreadable(file, runShape.complaint());
}

async function readText(directory: string): Promise<string> {
  const file = pathsIn(directory).run;
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const missing = ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");
    const found = missing
      ? problem("run_missing", {
          directory,
          inside: await foldersIn(directory),
          nowhere: await nameInstead(directory),
        })
      : problem("read_failed", { file, reason: reasonOf(error) });
    throw new Refusal(found, { cause: error });
  }
}

/**
 * For a folder that does not exist: the folder beside it, or the run in the default folder, with the nearest name; null
 * if none is near. undefined: it exists.
 */
async function nameInstead(directory: string): Promise<string | null | undefined> {
  if ((await inspectPath(directory)).kind !== "missing") return undefined;
  const parent = dirname(directory);
  const beside = await readdir(parent, { withFileTypes: true }).catch(() => []);
  const folders = beside
    .filter((each) => each.isDirectory())
    .map((each) => join(parent, each.name));
  const own = (await findOwnRuns(process.cwd())).runs.map((run) => run.directory);
  const byName = new Map([...own, ...folders].map((path) => [basename(path), path] as const));
  const found = nearest(basename(directory), byName.keys());
  return found === undefined ? null : (byName.get(found) ?? null);
}

/** Directories of runs one level below, sorted: a command that runs several suites makes one for each suite. */
async function foldersIn(directory: string): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(directory).catch(() => []);
  const found: string[] = [];
  for (const name of names.toSorted()) {
    const inside = join(directory, name);
    if ((await inspectPath(pathsIn(inside).run)).kind === "file") found.push(inside);
  }
  return found;
}

/** With more directories than this, they are runs collected over time rather than the suites of one command. */
const mostSuites = 100;

/** The runs one level below a directory with their suites; none if there are too many for one command. */
export async function findSuiteRuns(directory: string): Promise<readonly SuiteRun[]> {
  const folders = await foldersIn(directory);
  if (folders.length > mostSuites) return [];
  const found: SuiteRun[] = [];
  for (const each of folders) {
    const { name, path } = (await readRunJson(each)).suite;
    found.push({ directory: each, suite: name, path });
  }
  return found;
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(file, reasonOf(error));
  }
}

async function readScores(directory: string, beside?: Ledger): Promise<Ledger> {
  const file = pathsIn(directory).scores;
  const found = await inspectPath(file);
  if (found.kind !== "file") throw unreadable(file, "it has no scores.jsonl");
  return readLedger(file, beside);
}

/**
 * The baseline's scores by a run's own grader, which `run.json` lists: without them the run's comparison can't be
 * repeated.
 */
export async function readRegraded(
  directory: string,
  tasks: readonly RegradedTask[],
): Promise<Ledger> {
  const file = pathsIn(directory).regraded;
  const { kind } = await inspectPath(file);
  if (kind !== "file") throw unreadable(file, "run.json tells of it, and it is not there");
  const ledger = await readLedger(file);
  for (const { task, samples, given } of tasks) {
    const groups = ledger.groups().filter((group) => group.task === task);
    const found = groups.reduce((sum, { size }) => sum + size, 0);
    if (found === samples) for (const each of given) ledger.give({ task, ...each });
    else
      throw unreadable(
        file,
        `it has ${found} samples of ${task}, and run.json tells of ${samples}`,
      );
  }
  return ledger;
}

async function readLedger(file: string, beside?: Ledger): Promise<Ledger> {
  const { scoreShape } = await loadRunShapes();
  const ledger = createLedger(beside);
  for await (const values of readJsonBatches(file, scoreShape))
    for (const { value } of values) ledger.add(value);
  return ledger;
}

function unreadable(file: string, reason: string): Refusal {
  return new Refusal(problem("run_unreadable", { reason }, { file }));
}

/** The samples of a run, as they were written; none if the run has no samples.jsonl. */
export async function* visitSamples(
  directory: string,
  { read }: StoredLines = plainLines,
): AsyncGenerator<Sample> {
  const { sampleShape } = await loadRunShapes();
  const path = pathsIn(directory).samples;
  for await (const { value } of readJsonLines(path, sampleShape, read)) yield value;
}

/** The samples by id; of several lines with an id, the last. */
export function openSamples(directory: string, lines?: StoredLines): Promise<SampleReader> {
  return openSampleReader(pathsIn(directory).samples, lines);
}
