import type { AgentSpec, McpServer } from "../../model/models/agent.ts";
import type { OpenedWorkspace } from "../../model/ports/workspace.ts";
import { type JsonObject, jsonObjectIn } from "../../model/json.ts";
import type { Fence } from "../fence/grants.ts";
import { behindFence, homeVariables } from "../fence/start.ts";
import type { CandidateTools } from "../open.ts";
import { outcomeOfRun } from "./outcome.ts";
import { requireCalls } from "./require.ts";
import { filledServer, filledSettings } from "./variables.ts";
import type {
  AgentOutcome,
  AgentRequest,
  AgentRun,
  EventReader,
  Launch,
  LaunchServer,
  RunAgent,
  Runtime,
  ReportedEnd,
} from "./runtime.ts";
import { createTranscriptWriter, withoutAnswer, type TranscriptWriter } from "./transcript.ts";

/** An agent that is a program. */
export interface ProgramSpec extends AgentSpec {
  readonly program: Exclude<AgentSpec["program"], { readonly kind: "model" }>;
}

/** A program that acts as an agent: one that Regrade knows, or the user's own. */
export interface ProgramAgent {
  readonly spec: ProgramSpec;
  /** undefined: the user's own command. */
  readonly runtime: Runtime | undefined;
  /** The user's own command, with absolute paths. */
  readonly command: readonly string[];
  readonly reader: EventReader;
  readonly env: Readonly<Record<string, string>>;
  /** undefined: the agent may use all files that the user may. */
  readonly fence?: Fence;
}

/** Starts the program in a fresh workspace for each request, and collects its events and files. */
export function createProgramAgent(agent: ProgramAgent, tools: CandidateTools): RunAgent {
  return async (request) => {
    const workspace = await tools.openWorkspace({
      folders: foldersOf(agent),
      files: request.files,
    });
    if (workspace.kind === "not_opened") return notRun("workspace", workspace.message);
    try {
      return await runIn(workspace, { agent, request }, tools);
    } finally {
      await workspace.remove();
    }
  };
}

interface Asked {
  readonly agent: ProgramAgent;
  readonly request: AgentRequest;
}

async function runIn(
  workspace: OpenedWorkspace,
  { agent, request }: Asked,
  tools: CandidateTools,
): Promise<AgentRun> {
  const { spec, reader, runtime } = agent;
  const launch = launchOf(agent, workspace, tools);
  await writeHome(runtime, launch, workspace);
  const writer = createTranscriptWriter(reader, {
    maxTurns: spec.max_turns,
    servers: Object.keys(spec.mcp_servers),
  });
  const words = runtime?.argv(launch) ?? agent.command;
  const startedMs = tools.clock.now();
  const end = await tools.runLines({
    argv: behindFence(agent.fence, words, { tools, workspace }),
    directory: workspace.directory,
    env: environmentOf({ agent, request }, launch, workspace),
    input: request.prompt,
    mark: workspace.mark,
    timeoutSeconds: spec.timeout_seconds,
    signal: request.signal,
    onLine: (line) => (writer.take(line) ? "enough" : "go_on"),
  });
  const durationMs = Math.round(tools.clock.now() - startedMs);
  const aside = await asideOf(runtime, workspace);
  const reported = reader.endOf(writer.events(), aside);
  const limits = { maxTurns: spec.max_turns, timeoutSeconds: spec.timeout_seconds };
  const { program } = spec;
  const isOwn = program.kind === "command" && program.events === "regrade";
  const found = outcomeOfRun({ end, reported, isOwn, ...limits });
  const outcome = requireCalls(found, writer.entries(), spec.require);
  const transcript = wholeTranscript(writer, { outcome, reported, durationMs });
  const { usage } = reported;
  return { transcript, usage, due: { usage }, outcome, workspace: await workspace.capture() };
}

function notRun(type: string, message: string): AgentRun {
  const outcome = { kind: "unavailable", type, message } as const;
  return { transcript: [], usage: null, due: { usage: null }, outcome, workspace: undefined };
}

function foldersOf({ spec, runtime }: ProgramAgent) {
  const { folder } = spec.workspace;
  const skillsFolder = runtime?.skillsFolder ?? ".agents/skills";
  return [
    ...(folder === undefined ? [] : [{ source: folder.absolute, target: "" }]),
    ...spec.skills.map(({ absolute }) => ({
      source: absolute,
      target: `${skillsFolder}/${nameOf(absolute)}`,
    })),
  ];
}

function nameOf(folder: string): string {
  return folder.split(/[/\\]/).findLast((part) => part !== "") ?? "skill";
}

function launchOf(
  { spec, env }: ProgramAgent,
  { directory, home }: OpenedWorkspace,
  tools: CandidateTools,
): Launch {
  const servers = Object.entries(spec.mcp_servers).map(([name, server]): LaunchServer =>
    Object.assign({ name }, startedFrom(server, tools)),
  );
  return {
    ...spec,
    ...filledSettings(spec, tools.environment),
    directory,
    home,
    servers,
    given: env,
  };
}

/**
 * Fills in a server's variables. A server that belongs to the suite is started in the manifest's folder, whatever
 * folder the agent works in.
 */
function startedFrom(server: McpServer, { environment, suite }: CandidateTools): McpServer {
  const filled = filledServer(server, environment);
  if (filled.type !== "stdio" || environment["OS"] === "Windows_NT") return filled;
  return { ...filled, command: inFolder(suite.directory, filled.command) };
}

/**
 * A command that runs in a folder. The shell receives a fixed line; the folder and the words are its arguments and are
 * never parsed as shell code.
 */
function inFolder(directory: string, command: readonly string[]): readonly string[] {
  return ["/bin/sh", "-c", 'cd "$0" && exec "$@"', directory, ...command];
}

async function writeHome(
  runtime: Runtime | undefined,
  launch: Launch,
  { writeHome: write }: OpenedWorkspace,
): Promise<void> {
  const files = runtime?.home(launch) ?? {};
  await Promise.all(Object.entries(files).map(([path, text]) => write(path, text)));
}

/** The agent's environment, with a private home: it sees no settings of the user, and nothing of an earlier sample. */
function environmentOf(
  { agent, request }: Asked,
  launch: Launch,
  workspace: OpenedWorkspace,
): Readonly<Record<string, string>> {
  const own = agent.runtime?.env(launch) ?? ownVariables(launch, request.fields);
  return {
    ...agent.env,
    ...homeVariables(workspace),
    REGRADE_WORKSPACE: workspace.directory,
    ...own,
  };
}

/** Variables that pass the candidate's settings to a custom agent command, which has to apply them itself. */
function ownVariables(
  { servers, model, system_prompt, tools, max_turns }: Launch,
  fields: JsonObject,
): Readonly<Record<string, string>> {
  const settings = { model, system_prompt, tools, max_turns, mcp_servers: servers };
  return { REGRADE_FIELDS: JSON.stringify(fields), REGRADE_AGENT: JSON.stringify(settings) };
}

async function asideOf(
  runtime: Runtime | undefined,
  workspace: OpenedWorkspace,
): Promise<JsonObject | undefined> {
  if (runtime?.aside === undefined) return undefined;
  const text = await workspace.readHome(runtime.aside).catch(() => undefined);
  return jsonObjectIn(text ?? "");
}

function wholeTranscript(
  writer: TranscriptWriter,
  {
    outcome,
    reported,
    durationMs,
  }: {
    readonly outcome: AgentOutcome;
    readonly reported: ReportedEnd;
    readonly durationMs: number;
  },
): AgentRun["transcript"] {
  const isAnswer = outcome.kind === "answered";
  const usd = reported.usage?.usd ?? null;
  const end = {
    type: "end",
    reason: isAnswer ? "completed" : outcome.type,
    turns: reported.turns ?? writer.turns(),
    duration_ms: durationMs,
    ...(usd !== null && { usd }),
    ...(reported.premiumRequests !== undefined && { premium_requests: reported.premiumRequests }),
  };
  const entries = isAnswer ? withoutAnswer(writer.entries(), outcome.outputText) : writer.entries();
  return [...entries, end];
}
