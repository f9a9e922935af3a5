import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import packageJson from "../package.json" with { type: "json" };
import type { Report } from "./domain/ports.ts";
import { problem, Refusal } from "./domain/refusal.ts";
import type { Tools } from "./pipeline/tools.ts";
import { runCommand } from "./process/command.ts";
import { hashText, inspectPath, openFile, readBytes, readText } from "./process/files.ts";
import { keepOutOfGit, readGitHead } from "./process/git.ts";
import { hashGlobs } from "./process/glob.ts";
import { limitHeapGrowth } from "./process/heap.ts";
import { locateManifest } from "./process/locate.ts";
import { findProgram } from "./process/program.ts";
import { startPython } from "./process/python-pool.ts";
import { readRun, visitSamples } from "./process/run-reader.ts";
import { openRunStore, writeSummary } from "./process/run-store.ts";

/** This version of Regrade. */
export const version = packageJson.version;

export interface ToolOptions {
  /** The interpreter for graders, as the user names it. */
  readonly python: string;
  readonly sandbox: "auto" | "required" | "off";
  readonly report: Report;
  /** Stops the run: what is cheap is finished, and the run directory is left whole. */
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
}

/** Beside dist/ and src/ alike. */
const pythonPackage = fileURLToPath(new URL("../python/regrade", import.meta.url));

/** The corridor's tools, made of process/. Throws a Refusal for a sandbox that this version does not have. */
export function openTools(options: ToolOptions): Tools {
  limitHeapGrowth();
  if (options.sandbox === "required") throw new Refusal(problem("sandbox_unavailable", undefined));
  return {
    files: {
      readText,
      readBytes,
      hashText,
      inspectPath,
      locate: (manifest) => locateManifest(manifest, options.workingDirectory),
    },
    startPython: () =>
      startPython({
        python: options.python,
        packageDirectory: pythonPackage,
        env: options.env,
        signal: options.signal,
      }),
    candidateTools: {
      readBytes,
      openFile,
      hashText,
      hashGlobs,
      findProgram,
      runCommand,
      environment: options.env,
      cpus: availableParallelism(),
    },
    openRunStore,
    readRun,
    visitSamples,
    writeSummary,
    readGitHead: () => readGitHead(options.workingDirectory),
    keepOutOfGit,
    newRunId: () => runId(new Date()),
    // Fractions of a millisecond: a grader takes microseconds.
    now: () => performance.timeOrigin + performance.now(),
    report: options.report,
    signal: options.signal,
    machine: { node: process.versions.node, os: process.platform, regrade: version },
    sandbox: { asked: options.sandbox },
  };
}

/** `run_20261121T223350_1f6c0a`: sorts by time, and two at once differ. */
function runId(now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return `run_${time}_${randomBytes(3).toString("hex")}`;
}
