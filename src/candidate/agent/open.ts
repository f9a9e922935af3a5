import { backOffMs, type BackOff } from "../../base/back-off.ts";
import { readField } from "../../base/fields.ts";
import { namedVariables, type AgentSpec } from "../../model/agent.ts";
import { canonicalJson, type Json, type JsonObject } from "../../model/json.ts";
import type { GenerateRequest, Generated, Pay } from "../../model/ports.ts";
import { plus, type Usage } from "../../model/sample.ts";
import type { CandidateTools, OpenedCandidate } from "../open.ts";
import { heldBy } from "../fence/open.ts";
import { programCacheKey } from "../program.ts";
import { caseFiles } from "./case-files.ts";
import { checkAgent } from "./check.ts";
import { createProgramAgent } from "./program.ts";
import type { AgentRun, RunAgent } from "./runtime.ts";

/** The first pause before an agent is retried; its provider's client has retried by itself by then. */
const pauses: BackOff = { firstMs: 1000, longestMs: 30_000, jitter: 1 };

/** An agent that is started for each sample, in its own workspace. */
export async function openAgent(spec: AgentSpec, tools: CandidateTools): Promise<OpenedCandidate> {
  const checked = await checkAgent(spec, tools);
  if ("problems" in checked) return checked;
  const { agent, inputs, content, fence } = checked;
  const run = createProgramAgent(agent, tools);
  const asked = askedOf(spec, inputs, content);
  const given = [...spec.env, ...namedVariables(spec)];
  const cached = { inputs: spec.inputs, env: given };
  return {
    candidate: {
      id: spec.id,
      generate: (request, signal, pay = async () => true) =>
        generate({ spec, run, tools }, { request, signal, pay }),
      concurrency: tools.cpus,
      costly: true,
      ...(fence !== undefined && { fence }),
      cacheKey: programCacheKey(cached, heldBy(asked, fence), tools.environment),
      terms: termsOf(spec, content),
      close: async () => undefined,
    },
    hash: { ...asked, timeout_seconds: spec.timeout_seconds },
  };
}

/** Everything that determines the answers. Never a key. */
function askedOf(
  spec: AgentSpec,
  inputs: JsonObject,
  content: JsonObject,
): Readonly<Record<string, Json>> {
  const { program, model = null, system_prompt = null, tools, max_turns = null, pass, env } = spec;
  const acts =
    program.kind === "runtime"
      ? { runtime: program.runtime }
      : { command: program.command, events: program.events };
  const servers: JsonObject = Object.fromEntries(
    Object.entries(spec.mcp_servers).map(([name, server]) => [name, { ...server }]),
  );
  return {
    kind: "agent",
    ...acts,
    model,
    system_prompt,
    mcp_servers: servers,
    tools,
    max_turns,
    pass,
    env,
    inputs,
    content,
    files: spec.workspace.files ?? null,
    require: { ...spec.require },
    ...(spec.fence !== undefined && { fence: spec.fence }),
  };
}

function termsOf({ workspace, require }: AgentSpec, content: JsonObject): string {
  const { folder, files = null } = workspace;
  const begins = folder === undefined ? null : (content[folder.path] ?? null);
  return canonicalJson([begins, files, { ...require }]);
}

interface Agent {
  readonly spec: AgentSpec;
  readonly run: RunAgent;
  readonly tools: CandidateTools;
}

interface Asking {
  readonly request: GenerateRequest;
  readonly signal: AbortSignal;
  readonly pay: Pay;
}

/** All attempts count as usage. Failures that are nobody's fault are retried up to `max_retries` times. */
async function generate({ spec, run, tools }: Agent, asking: Asking): Promise<Generated> {
  const { request, signal, pay } = asking;
  const files = caseFiles(spec, request.fields);
  if ("kind" in files) return files;
  const fields = Object.fromEntries(
    spec.pass.flatMap((name) => {
      const value = readField(request.fields, name);
      return value === undefined || name === spec.workspace.files ? [] : [[name, value] as const];
    }),
  );
  let usage: Usage | null = null;
  for (let tries = 0; ; tries += 1) {
    const done = await run({ prompt: request.prompt, files: files.files, fields, signal });
    usage = sum(usage, done.usage);
    const again = mayRetry(done) && tries < spec.max_retries && !signal.aborted;
    const mayGoOn = await pay(done.usage, again);
    if (!again || !mayGoOn) return generatedOf(done, usage);
    await tools.clock.sleep(backOffMs(tries, pauses, tools.clock.random()), signal);
    if (signal.aborted) return generatedOf(done, usage);
  }
}

function mayRetry({ outcome }: AgentRun): boolean {
  return outcome.kind === "unavailable" && outcome.type !== "cancelled";
}

function sum(one: Usage | null, other: Usage | null): Usage | null {
  return one === null || other === null ? (one ?? other) : plus(one, other);
}

function generatedOf({ outcome, transcript, workspace }: AgentRun, usage: Usage | null): Generated {
  const left = { transcript, responseId: null, ...(workspace && { workspace }) };
  if (outcome.kind !== "answered") return { ...outcome, ...left, ...(usage && { usage }) };
  return { ...outcome, incomplete: false, usage, ...left };
}
