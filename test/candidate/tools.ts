import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type CandidateTools, openCandidate } from "../../src/candidate/open.ts";
import { createTrafficControl } from "../../src/candidate/resilience/traffic.ts";
import type { GenerateRequest, Generated } from "../../src/model/models/candidate.ts";
import type { CandidateSpec } from "../../src/model/definition/candidate-spec.ts";
import { runCommand } from "../../src/io/processes/command.ts";
import { hashText, openFile, readBytes } from "../../src/io/files/files.ts";
import { hashGlobs } from "../../src/io/files/glob.ts";
import { createSendHttp } from "../../src/io/http/http.ts";
import { findProgram } from "../../src/io/processes/program.ts";
import { spawnWorker } from "../../src/io/processes/worker.ts";
import { createOpenWorkspace } from "../../src/io/agents/workspace.ts";
import { createOpenCassette } from "../../src/io/agents/cassette.ts";
import { createConnectMcp } from "../../src/mcp/connect.ts";
import { runLines } from "../../src/io/agents/stream.ts";

export const bin = fileURLToPath(new URL("../fixtures/bin/", import.meta.url));

const clock: CandidateTools["clock"] = {
  now: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  },
  random: () => 0.5,
};

export const tools: CandidateTools = {
  suite: { path: "evals/suite.yaml", directory: bin, root: bin, tasks: [] },
  place: (path) => ({ file: "evals/suite.yaml", path: path.join(".") }),
  withheld: [],
  readBytes,
  openFile,
  hashText,
  hashGlobs,
  findProgram,
  runCommand,
  spawnWorker,
  openWorkspace: createOpenWorkspace(),
  runLines,
  connectMcp: createConnectMcp({}),
  openCassette: createOpenCassette({ stringify: (value) => JSON.stringify(value) }),
  fenceLauncher: [
    "python3",
    "-I",
    "-S",
    fileURLToPath(new URL("../../python/regrade/fence.py", import.meta.url)),
  ],
  sendHttp: createSendHttp({}),
  environment: { PATH: process.env["PATH"], HOME: "/home/someone", GITHUB_TOKEN: "ghs_secret" },
  cpus: 3,
  clock,
  trafficOf: createTrafficControl(clock, () => undefined).of,
};

export function ask(caseId: string, more: Partial<GenerateRequest> = {}): GenerateRequest {
  return { taskId: "qa", caseId, repeat: 0, prompt: "P", fields: {}, ...more };
}

/** Opens a candidate, asks it, closes it. */
export async function answers(
  spec: CandidateSpec,
  requests: readonly GenerateRequest[],
  given: CandidateTools = tools,
): Promise<readonly Generated[]> {
  const opened = await openCandidate(spec, given);
  if ("problems" in opened)
    throw new Error(opened.problems.map(({ message }) => message).join("\n"));
  const { signal } = new AbortController();
  const all = [];
  for (const request of requests) all.push(await opened.candidate.generate(request, signal));
  await opened.candidate.close();
  return all;
}

/** What is wrong with a candidate, as `code place`. */
export async function complaints(
  spec: CandidateSpec,
  given: CandidateTools = tools,
): Promise<readonly string[]> {
  const opened = await openCandidate(spec, given);
  if ("candidate" in opened) {
    await opened.candidate.close();
    return [];
  }
  return opened.problems.map(({ code, place }) =>
    [code, place?.file, place?.line, place?.path].filter((part) => part !== undefined).join(" "),
  );
}
