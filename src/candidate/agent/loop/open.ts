import type { AgentModel, AgentSpec } from "../../../model/models/agent.ts";
import type { FenceReport } from "../../../model/ports/fence.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { AdaptiveSlots } from "../../../model/ports/slots.ts";
import type { Candidate } from "../../../model/models/candidate.ts";
import { priceOf } from "../../../model/models/prices.ts";
import { problem, type Place, type Problem } from "../../../model/refusal.ts";
import { commandEnvironment } from "../../environment.ts";
import { copiedFor } from "../../fence/grants.ts";
import { openFence, type OpenedFence } from "../../fence/open.ts";
import type { CandidateTools } from "../../open.ts";
import { inputsProblems } from "../../program.ts";
import { findKey, keyProblems } from "../../provider/key.ts";
import { priced } from "../../provider/usage.ts";
import { contentOf } from "../content.ts";
import type { RunAgent } from "../runtime.ts";
import { filledServer, filledSettings, variableProblems } from "../variables.ts";
import { createLoopAgent } from "./run.ts";

/** An agent whose model is called by Regrade itself. */
export interface LoopSpec extends AgentSpec {
  readonly program: AgentModel;
}

interface OpenedLoop {
  readonly run: RunAgent;
  readonly acts: JsonObject;
  readonly inputs: JsonObject;
  readonly content: JsonObject;
  readonly concurrency: number;
  readonly slots?: AdaptiveSlots;
  readonly price: NonNullable<Candidate["price"]>;
  readonly isSelfContained: boolean;
  /** False if answers are recorded in a cassette, or come from one. */
  readonly isKept: boolean;
  readonly fence?: FenceReport;
}

/**
 * Limit of samples in flight if each one starts its own servers: the provider's limit says nothing about what this
 * machine can carry.
 */
const servedConcurrency = 25;

/** Checks everything before the first sample; no server is started or contacted. */
export async function openLoop(
  spec: LoopSpec,
  tools: CandidateTools,
): Promise<OpenedLoop | { readonly problems: readonly Problem[] }> {
  const { program, mcp_servers: servers } = spec;
  const place = (key: string): Place => tools.place(["candidates", spec.id, key]);
  const isReplayed = spec.cassette?.mode === "replay";
  const found = findKey(program.provider, tools.environment);
  const content = await contentOf(spec, tools);
  const inputs = await tools.hashGlobs(spec.inputs, tools.suite);
  // Each server receives only the variables that it names, under the names that it chooses.
  const { env } = commandEnvironment([], tools.environment, place("mcp_servers"));
  const started = isReplayed ? [] : startedServers(spec, tools);
  const all = [
    ...(isReplayed ? [] : keyProblems(program, found, tools.place(["candidates", spec.id]))),
    ...(isReplayed ? [] : variableProblems(spec, tools.environment, place)),
    ...(await programProblems(started, { tools, env, place })),
    ...inputsProblems(inputs, place("inputs")),
    ...inputsProblems(content.problems, place("workspace")),
  ];
  if (all.length > 0) return { problems: all };
  const opening = await openServerFence(spec, started, { inputs: inputs.files, env, tools });
  if (opening !== undefined && "problems" in opening) return opening;
  const key = found.kind === "key" ? found.key : undefined;
  const traffic = tools.trafficOf(program.provider.id, key ?? "");
  const { fence, report } = opening ?? {};
  const cassette = spec.cassette && (await tools.openCassette(spec.cassette));
  const filled = { ...spec, ...filledSettings(spec, tools.environment) };
  return {
    run: createLoopAgent({ spec: filled, key, traffic, env, fence, cassette }, tools),
    ...(report && { fence: report }),
    acts: { ...actsOf(program), ...(await cassetteOf(spec, tools)) },
    inputs: inputs.files,
    content: content.files,
    concurrency: servedConcurrency,
    ...(started.length === 0 && { slots: traffic.slots }),
    price: (tokens) => priced(tokens, priceOf(program.provider, program.name)),
    isSelfContained: Object.keys(servers).length === 0,
    isKept: spec.cassette === undefined,
  };
}

/** Replayed answers depend on the cassette's content. */
async function cassetteOf(
  { cassette }: LoopSpec,
  { hashGlobs, suite }: CandidateTools,
): Promise<JsonObject> {
  if (cassette === undefined) return {};
  const { file, mode } = cassette;
  const content = mode === "replay" ? (await hashGlobs([file.path], suite)).files : {};
  return { cassette: { path: file.path, mode, content } };
}

interface StartedServer {
  readonly id: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The servers that are started for each sample, with the values of their variables filled in. */
function startedServers(
  { mcp_servers: servers }: LoopSpec,
  { environment }: CandidateTools,
): readonly StartedServer[] {
  return Object.entries(servers).flatMap(([id, server]) => {
    const filled = filledServer(server, environment);
    return filled.type === "stdio" ? [{ id, command: filled.command, env: filled.env }] : [];
  });
}

/** Opens the fence of the tool servers. The model needs none, because Regrade itself calls it. */
async function openServerFence(
  spec: LoopSpec,
  started: readonly StartedServer[],
  {
    inputs,
    env,
    tools,
  }: {
    readonly inputs: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
    readonly tools: CandidateTools;
  },
): Promise<OpenedFence> {
  if (started.length === 0) return undefined;
  const words = started.flatMap(({ command: [program = "", ...others] }) =>
    program.includes("/") ? [program, ...others] : others,
  );
  const programs = started.flatMap(({ command }) => command.slice(0, 1));
  const { id, fence: wish } = spec;
  const copied = copiedFor(spec);
  return openFence({ id, wish, kind: "agent", words, programs, inputs, copied, env }, tools);
}

async function programProblems(
  started: readonly StartedServer[],
  {
    tools,
    env,
    place,
  }: {
    readonly tools: CandidateTools;
    readonly env: Readonly<Record<string, string>>;
    readonly place: (key: string) => Place;
  },
): Promise<readonly Problem[]> {
  const { suite, findProgram } = tools;
  const { directory } = suite;
  const checks = started.map(async ({ id, command: [program = ""], env: own }) => {
    const found = await findProgram({ name: program, directory, env: { ...env, ...own } });
    const at = place(`mcp_servers.${id}`);
    if (found === "missing")
      return [problem("program_missing", { program, relative: /[/\\]/.test(program) }, at)];
    return found === "found" ? [] : [problem("program_not_executable", { program }, at)];
  });
  return (await Promise.all(checks)).flat();
}

/** Settings that decide how long to wait and how often to retry, but not what is asked. */
const patience: readonly string[] = ["timeout_seconds", "max_retries", "max_empty_retries"];

/** Everything about the requests that determines the answers. Never the key. */
function actsOf({ provider, name, generation }: AgentModel): JsonObject {
  const { id, base_url, api, passthrough, headers = {} } = provider;
  const settings = Object.entries(generation).filter(([setting]) => !patience.includes(setting));
  const asked = { id, base_url, api, passthrough, headers };
  return { loop: { provider: asked, name, generation: Object.fromEntries(settings) } };
}
