import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Ledger } from "../domain/ledger.ts";
import type { RunStore } from "../domain/ports.ts";
import { problem, Refusal } from "../domain/refusal.ts";
import type { Run } from "../domain/run.ts";
import { inspectPath, writeFileAtomically } from "./files.ts";
import { Journal, writeFailed } from "./journal.ts";
import { compactSamples } from "./compact.ts";
import { readInterruptedRun } from "./interrupted-run.ts";
import type { InterruptedRun } from "./interrupted-run.ts";
import { systemCode } from "./reason.ts";
import { pathsIn } from "./run-files.ts";

export interface RunStart {
  readonly directory: string;
  readonly resume: boolean;
  readonly inputHash: string;
  readonly runId: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/**
 * Begins a run in an empty directory, or goes on with the one that was interrupted there.
 * Refuses a directory that is in use, and a resumption with other inputs.
 */
export async function openRunStore(start: RunStart): Promise<RunStore> {
  const earlier = start.resume ? await readInterruptedRun(start) : await claimDirectory(start);
  const paths = pathsIn(start.directory);
  const samples = await Journal.open(paths.samples, earlier?.samplesBytes);
  const generated = await Journal.open(paths.generated, earlier?.generatedBytes);
  const identity = earlier ?? start;
  await generated.append(header(start, identity));
  return {
    directory: start.directory,
    runId: identity.runId,
    createdAt: identity.createdAt,
    finished: earlier?.finished ?? new Map(),
    answers: earlier?.answers ?? new Map(),
    recordAnswer: (sampleId, answer) => generated.append({ sample_id: sampleId, ...answer }),
    recordSample: (sample) => samples.append(sample),
    seal: async () => {
      await samples.close();
      await generated.close();
      if (earlier) await compactSamples(paths.samples);
    },
    finish: (parts) => writeResults(start.directory, parts),
  };
}

/** Names who is at work, so that a second process stays out, and what a resumption must agree with. */
function header(start: RunStart, identity: Pick<InterruptedRun, "runId" | "createdAt">): unknown {
  return {
    object: "regrade.plan/1",
    run_id: identity.runId,
    input_hash: start.inputHash,
    created_at: identity.createdAt,
    pid: process.pid,
  };
}

async function claimDirectory({ directory }: RunStart): Promise<undefined> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    if (["EEXIST", "ENOTDIR"].includes(systemCode(error) ?? "")) {
      throw new Refusal(problem("out_is_file", { out: directory }), { cause: error });
    }
    throw writeFailed(directory, await whyNoFolder(directory, error));
  }
  if ((await readdir(directory)).length > 0) {
    throw new Refusal(problem("out_in_use", { out: directory }));
  }
}

/**
 * Why a folder can't be made. Of a read-only file system Node's recursive mkdir says "no such file or directory";
 * making the first missing folder alone tells.
 */
async function whyNoFolder(directory: string, error: unknown): Promise<unknown> {
  if (systemCode(error) !== "ENOENT") return error;
  const parent = dirname(directory);
  const { kind } = await inspectPath(parent);
  if (kind === "missing" && parent !== directory) return whyNoFolder(parent, error);
  return mkdir(directory).then(
    () => error,
    (found: unknown) => found,
  );
}

async function writeResults(
  directory: string,
  parts: { readonly run: Run; readonly ledger: Ledger; readonly summary: string },
): Promise<void> {
  const paths = pathsIn(directory);
  await writeFileAtomically(paths.scores, scoreLines(parts.ledger));
  await writeSummary(directory, parts.summary);
  // Last, and in one step: a directory with a run.json is a whole run.
  await writeFileAtomically(paths.run, `${JSON.stringify(parts.run, undefined, 2)}\n`);
  if (parts.run.status === "completed") await rm(paths.generated, { force: true });
}

/** Writes a run's summary.md again. */
export async function writeSummary(directory: string, summary: string): Promise<void> {
  await writeFileAtomically(pathsIn(directory).summary, summary);
}

function* scoreLines(ledger: Ledger): Generator<string> {
  for (const group of ledger.groups()) {
    for (let i = 0; i < group.size; i += 1) yield `${JSON.stringify(group.row(i))}\n`;
  }
}
