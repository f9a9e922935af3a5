import { findAltered } from "./io/files/altered-files.ts";
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleepFor } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import packageJson from "../package.json" with { type: "json" };
import type { DoctorReport } from "./model/doctor.ts";
import type { Secrets } from "./model/ports/secrets.ts";
import type { Report } from "./model/ports/progress.ts";
import type { RemoteTools } from "./model/ports/remote.ts";
import type { Tools } from "./tools.ts";
import { headOf, openBaseTree, openOwnCommit, openRemoteTree } from "./io/git/base-tree.ts";
import { openAnswerCache } from "./store/cache.ts";
import { runCommand } from "./io/processes/command.ts";
import { inspectMachine as examine } from "./python-host/doctor.ts";
import {
  hashFile,
  hashText,
  inspectPath,
  isEmptyFolder,
  listNames,
  openFile,
  readBytes,
  readText,
  writeFileAtomically,
} from "./io/files/files.ts";
import { makeFolders } from "./io/files/folders.ts";
import { findEdited } from "./io/git/edited.ts";
import { isOfCommit, keepOutOfGit, readGitHead, readMainBranch } from "./io/git/git.ts";
import { hashGlobs } from "./io/files/glob.ts";
import { createSendHttp } from "./io/http/http.ts";
import { createGetRemote } from "./io/http/remote-http.ts";
import { remoteSettings } from "./io/http/remote-settings.ts";
import { openRowCache } from "./store/row-cache.ts";
import { cacheFolder, findOldCache, isOwnCache } from "./store/cache-folder.ts";
import { findRepository, locateManifest } from "./io/files/locate.ts";
import { addLine, createFiles } from "./io/files/new-files.ts";
import { createWatchOpens } from "./io/processes/open-watch.ts";
import { findProgram } from "./io/processes/program.ts";
import { createOpenWorkspace } from "./io/agents/workspace.ts";
import { runLines } from "./io/agents/stream.ts";
import { createOpenCassette } from "./io/agents/cassette.ts";
import { createConnectMcp } from "./mcp/connect.ts";
import { hidingMcp } from "./io/secrets/redacting-mcp.ts";
import { hidingLines, hidingWorkspace } from "./io/secrets/redacting-agents.ts";
import { hidingCommand, hidingHttp, hidingWorker } from "./io/secrets/redacting-io.ts";
import { startPython } from "./python-host/pool.ts";
import { createSecrets } from "./io/secrets/redact.ts";
import { findBeside, findResultFiles } from "./io/files/result-files.ts";
import { haveSameFiles } from "./io/files/same-files.ts";
import {
  openSamples,
  readInputHash,
  readRegraded,
  expectRun,
  findSuiteRuns,
  readRun,
  visitSamples,
} from "./store/run-reader.ts";
import { findRunTexts } from "./store/other-runs.ts";
import { findOwnRuns } from "./store/own-runs.ts";
import { createEncryptedRuns, type EncryptedRuns } from "./store/encrypted-runs.ts";
import { openRunStore, writeSummary } from "./store/run-store.ts";
import { openScratch } from "./io/files/scratch.ts";
import { stampTree } from "./io/files/tree-stamps.ts";
import { spawnWorker } from "./io/processes/worker.ts";
import type { Environment } from "./model/ports/processes.ts";

/** This version of Regrade. */
export const version = packageJson.version;
/** The name of this package in the npm registry. */
export const packageName = packageJson.name;

export interface ToolOptions {
  /** The interpreter for graders, as the user names it. */
  readonly python: string;
  readonly sandbox: "auto" | "required" | "off";
  readonly report: Report;
  readonly secrets: Secrets;
  /** Stops the run: quick work is finished, and the run directory stays complete. */
  readonly signal: AbortSignal;
  readonly env: Environment;
  readonly workingDirectory: string;
  /** The folder for answers and rows of earlier runs; undefined: the user's own cache folder. */
  readonly cachePath?: string | undefined;
}

/** The path is the same from dist/ and from src/. */
const pythonPackage = fileURLToPath(new URL("../python/regrade", import.meta.url));
const judgingFiles = { stampTree, ownFolders: [pythonPackage, join(pythonPackage, "../../dist")] };

/** Values that may not be written or printed: created by the entry point, so that its own output is covered. */
export function openSecrets(env: ToolOptions["env"]): Secrets {
  return createSecrets(env);
}

/** Built from viewer/. The path is the same from dist/ and from src/. */
const pageTemplate = fileURLToPath(new URL("../dist/report.html", import.meta.url));

/** The functions that read run directories. They decrypt the journals of runs that this process has under way. */
function runReaders({ linesOf }: EncryptedRuns) {
  return {
    readRun,
    expectRun,
    findSuiteRuns,
    readInputHash,
    visitSamples: (directory: string) => visitSamples(directory, linesOf(directory)),
    openSamples: (directory: string) => openSamples(directory, linesOf(directory)),
    readRegraded,
  };
}

/** Makes the tools of a run from the adapters. */
export function openTools(options: ToolOptions): Tools {
  const { secrets } = options;
  const keptIn = cacheFolder(options.cachePath, options);
  const encrypted = createEncryptedRuns();
  return {
    files: fileTools(options),
    remote: remoteTools(options, keptIn),
    startPython: () =>
      startPython({
        python: options.python,
        sandbox: options.sandbox,
        packageDirectory: pythonPackage,
        env: options.env,
        signal: options.signal,
      }),
    candidateTools: candidateTools(options),
    openRunStore: (start) => openRunStore(start, secrets, encrypted),
    openAnswerCache: answerCache(options, keptIn),
    ...runReaders(encrypted),
    writeSummary: (directory, summary) => writeSummary(directory, secrets.redact(summary)),
    writeText: textWriter(options),
    readPageTemplate: () => readText(pageTemplate),
    secrets,
    readGitHead: () => readGitHead(options.workingDirectory),
    openBaseTree: (source) => openBaseTree(source, options.workingDirectory, options.signal),
    openCommit: (sha) => openOwnCommit(sha, options.workingDirectory, options.signal),
    isOfCommit,
    cache: cacheTools(options, keptIn),
    watchOpens: createWatchOpens([
      interpreterPath(options),
      "-I",
      "-S",
      join(pythonPackage, "watch.py"),
    ]),
    ...judgingFiles,
    findRunTexts: (places, except) => findRunTexts(options.workingDirectory, { places, except }),
    findOwnRuns: () => findOwnRuns(options.workingDirectory),
    keepOutOfGit,
    newRunId: () => runId(new Date()),
    now,
    report: options.report,
    signal: options.signal,
    machine: { node: process.versions.node, os: process.platform, regrade: version },
  };
}

function answerCache({ report }: ToolOptions, keptIn: string): Tools["openAnswerCache"] {
  const directory = join(keptIn, "answers");
  const onTrouble = (text: string): void => report({ kind: "warning", text });
  return (id, writtenBefore) => openAnswerCache({ directory, runId: id, writtenBefore, onTrouble });
}

function fileTools(options: ToolOptions): Tools["files"] {
  const { workingDirectory } = options;
  return {
    readText,
    readBytes,
    hashText,
    hashFile,
    inspectPath,
    isEmptyFolder,
    openScratch,
    openFile,
    findResultFiles,
    haveSameFiles,
    findEdited,
    findAltered: (root, base) => findAltered(root, base, interpreterPath(options)),
    findBeside,
    locate: (manifest) => locateManifest(manifest, workingDirectory),
  };
}

function cacheTools({ workingDirectory }: ToolOptions, folder: string): Tools["cache"] {
  return {
    folder,
    isOwn: () => isOwnCache(folder, workingDirectory),
    findOld: () => findOldCache(folder, workingDirectory),
  };
}

/** Writes a file that the user named, with the secrets hidden. */
function textWriter({ secrets, workingDirectory }: ToolOptions): Tools["writeText"] {
  return async (file, pieces) => {
    const path = resolve(workingDirectory, file);
    await makeFolders(dirname(path));
    await writeFileAtomically(path, redacted(pieces, secrets));
  };
}

/** Tools for downloading data sets of Hugging Face. */
function remoteTools(options: ToolOptions, keptIn: string): RemoteTools {
  const { env, secrets, report, signal, workingDirectory } = options;
  const { servers, testHosts } = remoteSettings(env);
  return {
    get: createGetRemote({ environment: env, testHosts }),
    rowCache: openRowCache(join(keptIn, "datasets"), () => isOwnCache(keptIn, workingDirectory)),
    redact: secrets.redact,
    clock: { now, sleep, random: Math.random },
    signal,
    servers,
    token: env["HF_TOKEN"] || undefined,
    onPause: ({ host, seconds }) => report({ kind: "throttled", provider: host, seconds }),
  };
}

function candidateTools(options: ToolOptions): Tools["candidateTools"] {
  const { env, secrets } = options;
  return {
    readBytes,
    openFile,
    hashText,
    hashGlobs,
    findProgram,
    runCommand: hidingCommand(runCommand, secrets),
    sendHttp: hidingHttp(createSendHttp(env), secrets),
    spawnWorker: hidingWorker(spawnWorker, secrets),
    openWorkspace: hidingWorkspace(createOpenWorkspace(), secrets),
    runLines: hidingLines(runLines, secrets),
    openCassette: createOpenCassette(secrets),
    connectMcp: hidingMcp(createConnectMcp(env), secrets),
    withheld: [],
    fenceLauncher: [interpreterPath(options), "-I", "-S", join(pythonPackage, "fence.py")],
    environment: env,
    cpus: availableParallelism(),
    clock: { now, sleep, random: Math.random },
  };
}

/** An absolute path, because agents start in their own workspaces. */
function interpreterPath({ python, workingDirectory }: ToolOptions): string {
  return python.includes("/") ? resolve(workingDirectory, python) : python;
}

/** Needed by the action: a commit's tree on GitHub. */
export { headOf, openRemoteTree };
export { readRunJson } from "./store/run-reader.ts";
export { findSubmodule, isInGit, readCheckout } from "./io/git/git.ts";
export { reasonOf } from "./io/files/reason.ts";
export { findRepository } from "./io/files/locate.ts";
export { findTaskFile } from "./io/files/task-file.ts";
export { openWatcher, type FileWatcher } from "./io/files/watch.ts";
export { findSuites, lookForSuites, refuseGaps, type FoundSuites } from "./io/files/suites.ts";
export { openInBrowser } from "./io/processes/browser.ts";
export { showInPager } from "./io/processes/pager.ts";
export { keepInspectorShut } from "./io/processes/inspector.ts";

/** Examines this machine, and tries whether a grader can escape the sandbox. */
export function examineMachine(
  options: Pick<ToolOptions, "python" | "sandbox" | "env" | "signal">,
): Promise<DoctorReport> {
  const { python, sandbox, env, signal } = options;
  return examine({
    python,
    sandbox,
    env,
    signal,
    packageDirectory: pythonPackage,
    regrade: version,
  });
}

/** Tools for writing a first suite. */
export function openFirstSuiteTools(): FirstSuiteTools {
  const python = process.platform === "win32" ? "python" : "python3";
  const files = {
    inspectPath,
    readBytes,
    readText,
    hashText,
    findRepository,
    listNames,
    createFiles,
    addLine,
  };
  return { ...files, python, ownAction, readMainBranch };
}

/**
 * The GitHub repository from which this program was cloned, in the form of `uses:`; undefined if it was not cloned, or
 * not from GitHub.
 */
async function ownAction(): Promise<string | undefined> {
  const config = resolve(pythonPackage, "../../.git/config");
  if ((await inspectPath(config)).kind !== "file") return undefined;
  const text = await readText(config);
  const [, repository] =
    /^\s*url\s*=\s*\S*github\.com[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?\s*$/m.exec(text) ?? [];
  return repository === undefined ? undefined : `${repository}@v1`;
}

export interface FirstSuiteTools {
  readonly inspectPath: typeof inspectPath;
  readonly readBytes: typeof readBytes;
  readonly hashText: typeof hashText;
  readonly findRepository: typeof findRepository;
  readonly listNames: typeof listNames;
  readonly readMainBranch: typeof readMainBranch;
  readonly createFiles: typeof createFiles;
  readonly addLine: typeof addLine;
  readonly readText: typeof readText;
  readonly ownAction: typeof ownAction;
  /** The name of the Python command on this system. */
  readonly python: string;
}

/** Milliseconds with fractions, because a grader takes microseconds. Never goes back, even if the system's clock is set. */
function now(): number {
  return processStartedAt + performance.now();
}

/** Read only once, because Node's getter takes longer than the clock. */
const processStartedAt = performance.timeOrigin;

async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleepFor(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** `run_20261121T223350_1f6c0a`: ids sort by time, and differ for runs that start together. */
function runId(startedAt: Date): string {
  const time = startedAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return `run_${time}_${randomBytes(3).toString("hex")}`;
}

async function* redacted(pieces: AsyncIterable<string>, secrets: Secrets): AsyncGenerator<string> {
  for await (const piece of pieces) yield secrets.redact(piece);
}
