import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { openCandidate, type CandidateTools } from "../src/candidate/open.ts";
import { runLines } from "../src/io/agents/stream.ts";
import { createOpenWorkspace } from "../src/io/agents/workspace.ts";
import { hashText, openFile, readBytes } from "../src/io/files/files.ts";
import { hashGlobs } from "../src/io/files/glob.ts";
import { createSendHttp } from "../src/io/http/http.ts";
import { runCommand } from "../src/io/processes/command.ts";
import { findProgram } from "../src/io/processes/program.ts";
import { createOpenCassette } from "../src/io/agents/cassette.ts";
import { createConnectMcp } from "../src/mcp/connect.ts";
import { spawnWorker } from "../src/io/processes/worker.ts";
import { createTrafficControl } from "../src/candidate/resilience/traffic.ts";
import {
  agentRuntimes,
  runtimeTraits,
  type AgentRuntime,
  type AgentSpec,
} from "../src/model/models/agent.ts";
import type { Generated } from "../src/model/models/candidate.ts";
import { startModel } from "./try-agents/model.ts";
import { scenarios, type Scenario } from "./try-agents/scenarios.ts";

/**
 * Runs the real agent programs against a model on this machine: `node scripts/try-agents.ts [runtime …] [--fence]
 * [--write]`. Missing programs are installed from npm into a folder outside the repository (REGRADE_AGENTS, default: a
 * temporary one). With `--fence` they run in a sandbox. With `--write`, their output becomes the fixtures that the
 * tests replay, and the table of docs/agents-tried.md.
 */
const root = dirname(import.meta.dirname);
const streams = join(root, "test/fixtures/agents/streams");
const example = join(root, "examples/agent");
const run = promisify(execFile);

interface Tried {
  readonly runtime: AgentRuntime;
  readonly scenario: Scenario;
  readonly generated: Generated;
  readonly lines: readonly string[];
  readonly seconds: number;
}

async function main(): Promise<void> {
  const named = process.argv.slice(2).filter((each) => !each.startsWith("--"));
  const chosen = agentRuntimes.filter((each) => named.length === 0 || named.includes(each));
  const only = process.env["TRY_AGENTS_SCENARIO"];
  const bin = await install(chosen);
  const model = await startModel((asked) => {
    const found = scenarios.find(({ word }) => asked.text.includes(`${word}: who`));
    return found === undefined ? { kind: "text", text: "?" } : found.says(asked);
  });
  const tried: Tried[] = [];
  for (const runtime of chosen)
    for (const scenario of scenarios.filter(({ name }) => only === undefined || name === only)) {
      const one = await attempt({ runtime, scenario, bin, url: model.url });
      tried.push(one);
      process.stdout.write(`${lineOf(one)}\n`);
    }
  model.close();
  if (process.argv.includes("--write")) await write(tried, bin);
  const wrong = tried.filter((each) => endOf(each.generated) !== wantedOf(each));
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

async function install(chosen: readonly AgentRuntime[]): Promise<string> {
  const folder = process.env["REGRADE_AGENTS"] ?? join(tmpdir(), "regrade-agents");
  await mkdir(folder, { recursive: true });
  const packages = chosen.map((each) => runtimeTraits[each].package);
  const isThere = await Promise.all(
    chosen.map((each) =>
      run(join(folder, "node_modules/.bin", runtimeTraits[each].program), ["--version"]).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (isThere.includes(false))
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefix", folder, ...packages]);
  return join(folder, "node_modules/.bin");
}

interface Attempt {
  readonly runtime: AgentRuntime;
  readonly scenario: Scenario;
  readonly bin: string;
  readonly url: string;
}

/** Environment variables that point each runtime to the model on this machine. */
function keysOf(url: string): Readonly<Record<AgentRuntime, Readonly<Record<string, string>>>> {
  return {
    "claude-code": { ANTHROPIC_API_KEY: "sk-ant-loopback-key", ANTHROPIC_BASE_URL: url },
    codex: { CODEX_API_KEY: "sk-loopback-key-codex", OPENAI_BASE_URL: `${url}/v1` },
    copilot: {
      COPILOT_PROVIDER_API_KEY: "sk-loopback-key-copilot",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
    },
    gemini: { GEMINI_API_KEY: "loopback-key-gemini", GOOGLE_GEMINI_BASE_URL: url },
  };
}

const models: Readonly<Record<AgentRuntime, string>> = {
  "claude-code": "claude-sonnet-4-5",
  codex: "gpt-5.4-mini",
  copilot: "gpt-5.4-mini",
  gemini: "gemini-2.5-flash",
};

async function attempt({ runtime, scenario, bin, url }: Attempt): Promise<Tried> {
  const lines: string[] = [];
  const keys = keysOf(url)[runtime];
  const { PATH = "" } = process.env;
  const tools = toolsFor({ PATH: `${bin}:${PATH}`, ...keys }, (line) => lines.push(line));
  const spec: AgentSpec = {
    id: runtime,
    kind: "agent",
    program: { kind: "runtime", runtime },
    model: models[runtime],
    system_prompt: runtime === "copilot" ? undefined : "You explain a small program.",
    mcp_servers: { graph: { type: "stdio", command: ["python3", "graph_server.py"], env: {} } },
    tools: [],
    skills: [skill],
    workspace: { folder: undefined, files: undefined },
    require: {},
    max_turns: undefined,
    inputs: [],
    env: Object.keys(keys),
    usual_env: false,
    pass: [],
    timeout_seconds: 120,
    max_retries: 0,
    ...(process.argv.includes("--fence") && fenced),
    ...scenario.more,
    ...(scenario.name !== "skill" && { skills: [] }),
  };
  const opened = await openCandidate(spec, tools);
  if ("problems" in opened) throw new Error(opened.problems.map((each) => each.message).join("; "));
  const started = performance.now();
  const prompt = `${scenario.word}: who calls parse?`;
  const request = { taskId: "t", caseId: "c", repeat: 0, prompt, fields: {} };
  const generated = await opened.candidate.generate(request, new AbortController().signal);
  return { runtime, scenario, generated, lines, seconds: (performance.now() - started) / 1000 };
}

const fenced = { fence: "required", inputs: ["graph_server.py"] } as const;

const skill = { path: "skills/callers", absolute: join(example, "skills/callers") };

function toolsFor(
  environment: Record<string, string>,
  onLine: (line: string) => void,
): CandidateTools {
  const clock: CandidateTools["clock"] = {
    now: () => performance.now(),
    sleep: async () => undefined,
    random: () => 0,
  };
  return {
    suite: { path: "suite.yaml", directory: example, root: root, tasks: [] },
    place: (path) => ({ file: "suite.yaml", path: path.join(".") }),
    withheld: [],
    readBytes,
    openFile,
    hashText,
    hashGlobs,
    findProgram,
    runCommand,
    spawnWorker,
    connectMcp: createConnectMcp({}),
    openCassette: createOpenCassette({ stringify: (value) => JSON.stringify(value) }),
    openWorkspace: createOpenWorkspace(),
    runLines: (program) =>
      runLines({
        ...program,
        onLine: (line) => {
          onLine(line);
          return program.onLine(line);
        },
      }),
    fenceLauncher: ["python3", "-I", "-S", join(root, "python/regrade/fence.py")],
    sendHttp: createSendHttp({}),
    environment,
    cpus: 1,
    clock,
    trafficOf: createTrafficControl(clock, () => undefined).of,
  };
}

function endOf(generated: Generated): string {
  return generated.kind === "answered" ? generated.kind : `${generated.kind} ${generated.type}`;
}

function wantedOf({ scenario: { wanted }, runtime }: Tried): string {
  return typeof wanted === "string" ? wanted : (wanted[runtime] ?? wanted.others);
}

function lineOf(tried: Tried): string {
  const { runtime, scenario, generated, seconds } = tried;
  const mark = endOf(generated) === wantedOf(tried) ? "ok  " : "BAD ";
  const said = generated.kind === "answered" ? generated.outputText : generated.message;
  return `${mark} ${runtime.padEnd(12)} ${scenario.name.padEnd(13)} ${seconds.toFixed(1)} s  ${endOf(generated)}: ${said.split("\n")[0]?.slice(0, 150)}`;
}

async function versionOf(runtime: AgentRuntime, bin: string): Promise<string> {
  const { stdout } = await run(join(bin, runtimeTraits[runtime].program), ["--version"]);
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? "?";
}

async function write(tried: readonly Tried[], bin: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "regrade-tried-"));
  await mkdir(streams, { recursive: true });
  for (const { runtime, scenario, lines } of tried)
    await writeFile(
      join(streams, `${runtime}-${scenario.name}.jsonl`),
      lines.map((line) => `${cleaned(line)}\n`).join(""),
    );
  const runtimes = [...new Set(tried.map(({ runtime }) => runtime))];
  const versions = await Promise.all(runtimes.map((each) => versionOf(each, bin)));
  const head = `| scenario | ${runtimes.map((each, i) => `${each} ${versions[i]}`).join(" | ")} |\n|---|${runtimes.map(() => "---|").join("")}\n`;
  const rows = scenarios.map(({ name }) => {
    const cells = runtimes.map((each) => {
      const found = tried.find((one) => one.runtime === each && one.scenario.name === name);
      return found === undefined ? "" : `${endOf(found.generated)} (${found.seconds.toFixed(1)} s)`;
    });
    return `| ${name} | ${cells.join(" | ")} |\n`;
  });
  await writeFile(join(root, "docs/agents-tried.md"), page(head + rows.join("")));
  await rm(folder, { recursive: true, force: true });
}

function page(table: string): string {
  return `# Agents that were tried

The agent programs themselves, each started by Regrade against a model on the same machine that does what a scenario says: made by
\`node scripts/try-agents.ts --write\`, which installs them from npm outside of the repository. What they printed is what the tests of
their readers replay. Times are of a small machine with other work.

${table}`;
}

/** Removes everything specific to this machine: folders, ports, times. */
function cleaned(line: string): string {
  return line
    .replaceAll(root, "/repository")
    .replaceAll(/\/tmp\/regrade-agent-[A-Za-z0-9]+/g, "/tmp/agent")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8000");
}

await main();
