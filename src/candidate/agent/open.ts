import { namedVariables, type AgentSpec } from "../../model/models/agent.ts";
import { canonicalJson, type Json, type JsonObject } from "../../model/json.ts";
import type { Candidate } from "../../model/models/candidate.ts";
import type { Problem } from "../../model/refusal.ts";
import type { CandidateTools, OpenedCandidate } from "../open.ts";
import { heldBy } from "../fence/open.ts";
import { answerKey } from "../program.ts";
import { runAttempts } from "./attempts.ts";
import { checkAgent } from "./check.ts";
import { openLoop } from "./loop/open.ts";
import { createProgramAgent, type ProgramSpec } from "./program.ts";
import type { RunAgent } from "./runtime.ts";

/** An agent that is ready to run: a program, or a loop of Regrade's own. */
interface OpenedAgent extends Pick<Candidate, "concurrency" | "slots" | "price" | "fence"> {
  readonly run: RunAgent;
  /** Description of the program or model, for hashes. */
  readonly acts: JsonObject;
  /** Hashes of the files that `inputs` names, and of the workspace and skills. */
  readonly inputs: JsonObject;
  readonly content: JsonObject;
  /** True if answers are known to depend on nothing but this description. */
  readonly isSelfContained: boolean;
  /** False if an answer must not be kept for later runs. */
  readonly isKept?: boolean;
}

/** Opens an agent candidate. Its agent is started for each sample, in its own workspace. */
export async function openAgent(spec: AgentSpec, tools: CandidateTools): Promise<OpenedCandidate> {
  const { program } = spec;
  const opened = await (program.kind === "model"
    ? openLoop({ ...spec, program }, tools)
    : openProgram({ ...spec, program }, tools));
  if ("problems" in opened) return opened;
  const { run, content, concurrency, slots, price, fence } = opened;
  const asked = askedOf(spec, opened);
  const given = [...spec.env, ...namedVariables(spec)];
  const isKnown = opened.isSelfContained || spec.inputs.length > 0;
  const isKept = isKnown && opened.isKept !== false;
  return {
    candidate: {
      id: spec.id,
      generate: (request, signal, pay = async () => true) =>
        runAttempts({ spec, run, tools }, { request, signal, pay }),
      concurrency,
      ...(slots && { slots }),
      ...(price && { price }),
      costly: true,
      ...(fence !== undefined && { fence }),
      cacheKey: isKept ? answerKey(given, heldBy(asked, fence), tools.environment) : undefined,
      terms: termsOf(spec, content),
      close: async () => undefined,
    },
    hash: { ...asked, timeout_seconds: spec.timeout_seconds },
  };
}

async function openProgram(
  spec: ProgramSpec,
  tools: CandidateTools,
): Promise<OpenedAgent | { readonly problems: readonly Problem[] }> {
  const checked = await checkAgent(spec, tools);
  if ("problems" in checked) return checked;
  const { program } = spec;
  const acts =
    program.kind === "runtime"
      ? { runtime: program.runtime }
      : { command: program.command, events: program.events };
  const run = createProgramAgent(checked.agent, tools);
  return { ...checked, run, acts, concurrency: tools.cpus, isSelfContained: false };
}

/** Everything that determines the answers, as a part of hashes. It never contains a key. */
function askedOf(
  spec: AgentSpec,
  { acts, inputs, content }: OpenedAgent,
): Readonly<Record<string, Json>> {
  const { model = null, system_prompt = null, tools, max_turns = null, pass, env } = spec;
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
