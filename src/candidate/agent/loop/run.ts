import type { Cassette } from "../../../model/models/cassette.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { McpConnection, McpNotConnected } from "../../../model/ports/mcp.ts";
import type { OpenedWorkspace } from "../../../model/ports/workspace.ts";
import type { Fence } from "../../fence/grants.ts";
import { behindFence, homeVariables } from "../../fence/start.ts";
import type { CandidateTools } from "../../open.ts";
import { createSendPrompt, type SendPrompt } from "../../provider/ask.ts";
import type { Traffic } from "../../resilience/traffic.ts";
import { requireCalls } from "../require.ts";
import type { AgentOutcome, AgentRequest, AgentRun, RunAgent } from "../runtime.ts";
import { filledServer } from "../variables.ts";
import { createEntryList } from "../transcript.ts";
import { tapedTraffic, type SampleTraffic } from "./cassette.ts";
import { offerTools, type NamedServer, type OfferedTool } from "./offer.ts";
import type { LoopSpec } from "./open.ts";
import { createTimeLimit, type TimeLimit } from "./time-limit.ts";
import { takeTurns } from "./turns.ts";
import type { ModelSpec } from "../../../model/definition/candidate-kinds.ts";

/** Turn limit if the manifest sets none: a model that never stops would cost money until its time is up. */
const defaultTurns = 50;
/** Time limit of a server's start and of a call, if the manifest sets none. */
const defaultServerSeconds = 60;

interface LoopAgent {
  readonly spec: LoopSpec;
  readonly key: string | undefined;
  readonly traffic: Traffic;
  /** Environment of started servers, without the variables that each of them names. */
  readonly env: Readonly<Record<string, string>>;
  /** undefined: servers may use all files that the user may. */
  readonly fence: Fence | undefined;
  readonly cassette: Cassette | undefined;
}

/**
 * Makes a function that runs an agent. Each sample has its own servers, so that no sample sees the state of another.
 */
export function createLoopAgent(agent: LoopAgent, tools: CandidateTools): RunAgent {
  return async (request) => {
    const traffic = trafficOf({ agent, request, tools });
    const sample = { agent, request, tools: { ...tools, ...traffic }, missing: traffic.missing };
    if (!startsServers(agent.spec)) return runSample(sample, undefined);
    const { folder } = agent.spec.workspace;
    const folders = folder === undefined ? [] : [{ source: folder.absolute, target: "" }];
    const workspace = await tools.openWorkspace({ folders, files: request.files });
    if (workspace.kind === "not_opened") return notRun(workspace.message);
    try {
      return await runSample(sample, workspace);
    } finally {
      await workspace.remove();
    }
  };
}

/** The real model and servers, or the candidate's cassette. */
function trafficOf({ agent, request, tools }: Omit<Sample, "missing">): SampleTraffic {
  const { spec, cassette } = agent;
  const live = { sendHttp: tools.sendHttp, connectMcp: tools.connectMcp };
  if (cassette === undefined || spec.cassette === undefined)
    return { ...live, missing: () => undefined };
  const { mode } = spec.cassette;
  const { hashText } = tools;
  return tapedTraffic({ cassette, mode, hashText, sample: request.sample }, live);
}

function startsServers({ mcp_servers: servers, cassette }: LoopSpec): boolean {
  return cassette?.mode !== "replay" && Object.values(servers).some(({ type }) => type === "stdio");
}

function notRun(message: string): AgentRun {
  const outcome = { kind: "unavailable", type: "workspace", message } as const;
  return { transcript: [], usage: null, outcome, workspace: undefined };
}

interface Sample {
  readonly agent: LoopAgent;
  readonly request: AgentRequest;
  readonly tools: CandidateTools;
  readonly missing: SampleTraffic["missing"];
}

async function runSample(
  sample: Sample,
  workspace: OpenedWorkspace | undefined,
): Promise<AgentRun> {
  const { agent, request, tools } = sample;
  const { spec } = agent;
  const startedMs = tools.clock.now();
  const limit = createTimeLimit(spec.timeout_seconds, request.signal, tools.clock);
  const list = createEntryList();
  const servers = await limit.during(() => connectAll(sample, workspace, limit));
  try {
    const end = await runConnected({ ...sample, limit, list }, servers);
    const outcome =
      missingOutcome(sample) ?? requireCalls(end.outcome, list.entries(), spec.require);
    const durationMs = Math.round(tools.clock.now() - startedMs);
    list.add(endEntry(outcome, { ...end, durationMs }));
    const left = await filesLeft(spec, workspace);
    const { usage, due } = end;
    return { transcript: list.entries(), usage, ...(due && { due }), outcome, workspace: left };
  } finally {
    await Promise.all(
      servers.map(async ({ found }) => {
        if (found.kind === "connected") await found.close();
      }),
    );
  }
}

/**
 * The outcome if the cassette lacked a request: whatever the loop ended with, it is not what the agent would have done.
 */
function missingOutcome({ agent: { spec }, missing }: Sample): AgentOutcome | undefined {
  const about = missing();
  if (about === undefined) return undefined;
  const message = `the cassette ${spec.cassette?.file.path ?? ""} does not have ${about}, as this sample asks for it: record it again (\`mode: record\`)`;
  return { kind: "unavailable", type: "cassette_miss", message, isFinal: true };
}

/** The files of the workspace after the run. Servers without a `workspace` also get a folder; it is not kept. */
async function filesLeft(
  { workspace: { folder, files } }: LoopSpec,
  workspace: OpenedWorkspace | undefined,
): Promise<AgentRun["workspace"]> {
  return folder === undefined && files === undefined ? undefined : workspace?.capture();
}

interface Server {
  readonly name: string;
  readonly found: McpConnection | McpNotConnected;
}

function connectAll(
  { agent: { spec, env, fence }, tools }: Sample,
  workspace: OpenedWorkspace | undefined,
  { signal }: TimeLimit,
): Promise<readonly Server[]> {
  const { environment, suite, connectMcp } = tools;
  const own = workspace === undefined ? env : { ...env, ...variablesOf(workspace) };
  return Promise.all(
    Object.entries(spec.mcp_servers).map(async ([name, server], i) => {
      const filled = filledServer(server, environment);
      const isStarted = filled.type === "stdio" && workspace !== undefined;
      const found = await connectMcp({
        name,
        server: isStarted
          ? { ...filled, command: behindFence(fence, filled.command, { tools, workspace }) }
          : filled,
        directory: suite.directory,
        env: filled.type === "stdio" ? { ...own, ...filled.env } : {},
        mark: `${workspace?.mark ?? ""}-${i}`,
        timeoutSeconds: server.timeout_seconds ?? defaultServerSeconds,
        signal,
      });
      return { name, found };
    }),
  );
}

/** Variables of a private home, as agent programs have it. */
function variablesOf(workspace: OpenedWorkspace): Readonly<Record<string, string>> {
  return { ...homeVariables(workspace), REGRADE_WORKSPACE: workspace.directory };
}

interface Running extends Sample {
  readonly limit: TimeLimit;
  readonly list: ReturnType<typeof createEntryList>;
}

type Ended = Awaited<ReturnType<typeof takeTurns>>;

async function runConnected(running: Running, servers: readonly Server[]): Promise<Ended> {
  const { agent, request, limit, list } = running;
  const { spec } = agent;
  const connected = servers.flatMap(({ name, found }): readonly NamedServer[] =>
    found.kind === "connected" ? [{ name, connection: found }] : [],
  );
  const offered = offerTools(connected, spec.tools);
  const names = "problem" in offered ? [] : offered.map(({ fullName }) => fullName);
  list.add(sessionEntry(spec, servers, names));
  const lost = lostServer(servers, running);
  if (lost !== undefined) return notAsked(lost);
  if ("problem" in offered)
    return notAsked({
      kind: "halted",
      type: "tools_unusable",
      message: `candidates.${spec.id}: ${offered.problem}`,
    });
  return takeTurns({
    program: spec.program,
    prompt: request.prompt,
    ...senders(running, offered),
    offered,
    timeoutOf: (server) => spec.mcp_servers[server]?.timeout_seconds ?? defaultServerSeconds,
    maxTurns: spec.max_turns ?? defaultTurns,
    limit,
    pay: request.pay,
    add: list.add,
  });
}

function notAsked(outcome: AgentOutcome): Ended {
  return { outcome, usage: null, turns: 0 };
}

function sessionEntry(
  { program }: LoopSpec,
  servers: readonly Server[],
  tools: readonly string[],
): JsonObject {
  return {
    type: "session",
    runtime: "regrade",
    model: program.model,
    tools,
    mcp_servers: servers.map(({ name, found }) =>
      found.kind === "connected"
        ? { name, status: "connected" }
        : { name, status: "failed", error: found.message },
    ),
  };
}

/** The outcome if a tool server is missing: the answer of an agent without it would say nothing about this agent. */
function lostServer(
  servers: readonly Server[],
  { request, limit }: Running,
): AgentOutcome | undefined {
  if (request.signal.aborted)
    return { kind: "unavailable", type: "cancelled", message: "the run was stopped" };
  const lost = servers.flatMap(({ name, found }) =>
    found.kind === "connected" ? [] : [`${name}: ${found.message}`],
  );
  if (lost.length === 0 && !limit.isOver()) return undefined;
  const words = lost.length === 0 ? "not ready within timeout_seconds" : lost.join("; ");
  return {
    kind: "unavailable",
    type: "mcp_failed",
    message: `a server of tools could not be used, so the model was not asked (${words})`,
  };
}

/**
 * Functions that call the model, the first time and later. `tool_choice` applies to the first answer only: a model that
 * must call a tool each time would never end.
 */
function senders(
  { agent, tools, limit }: Running,
  offered: readonly OfferedTool[],
): { readonly askFirst: SendPrompt; readonly ask: SendPrompt } {
  const { spec, key, traffic } = agent;
  const { program } = spec;
  const access = {
    key,
    traffic,
    clock: tools.clock,
    sendHttp: (sent: Parameters<CandidateTools["sendHttp"]>[0]) =>
      limit.during(
        () => tools.sendHttp(sent),
        (end) => end.kind === "response" && end.status < 400,
      ),
  };
  const { tool_choice, ...generation } = program.generation;
  const system = spec.system_prompt === undefined ? {} : { instructions: spec.system_prompt };
  const definitions = offered.map(({ definition }) => forApi(definition, program.provider.api));
  const given = definitions.length === 0 ? {} : { tools: definitions };
  const settings = { ...generation, ...system, ...given };
  const model: ModelSpec = { id: spec.id, ...program, generation: settings };
  const ask = createSendPrompt(model, access);
  if (tool_choice === undefined || definitions.length === 0) return { askFirst: ask, ask };
  const first = { ...model, generation: { ...settings, tool_choice } };
  return { askFirst: createSendPrompt(first, access), ask };
}

/**
 * A tool's definition for the API. The Responses API would make every schema strict, and servers' schemas are seldom
 * strict.
 */
function forApi(definition: JsonObject, api: LoopSpec["program"]["provider"]["api"]): JsonObject {
  return api === "responses" ? { ...definition, strict: false } : definition;
}

function endEntry(
  outcome: AgentOutcome,
  { turns, durationMs, usage }: Ended & { readonly durationMs: number },
): JsonObject {
  const usd = usage?.usd ?? null;
  return {
    type: "end",
    reason: outcome.kind === "answered" ? "completed" : outcome.type,
    turns,
    duration_ms: durationMs,
    ...(usd !== null && { usd }),
  };
}
