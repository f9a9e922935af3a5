import { nearest } from "../../base/nearest.ts";
import {
  at,
  isPresent,
  itemsOf,
  keyPlaceOf,
  objectOf,
  type Part,
  placeOf,
  presentKeys,
  textOf,
} from "../../base/part.ts";
import { ownLoop, toolServer, type AgentModel } from "../../model/models/agent.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import type { ManifestContext } from "../context.ts";
import { checkSent, mergeSettings, readSettings } from "./generation.ts";
import { type ModelDefaults, resolveModelRef } from "./models.ts";

/** Keys of a candidate that concern the agent rather than the requests to its model. */
const agentKeys: readonly string[] = [
  "agent",
  "model",
  "system_prompt",
  "mcp_servers",
  "tools",
  "skills",
  "workspace",
  "require",
  "max_turns",
  "cassette",
  "fence",
  "env",
  "setup",
  "timeout_seconds",
  "pass",
  "inputs",
];

/** Settings of the run that apply only to model candidates: an agent has its own keys for them. */
const ofModelsAlone: readonly string[] = ["instructions", "tools", "tool_choice", "max_tool_calls"];

/** The model of Regrade's own loop, with the settings beside it: `agent: {model: provider:name}`. */
export function resolveAgentModel(
  part: Part,
  defaults: ModelDefaults,
  context: ManifestContext,
): AgentModel | undefined {
  const agent = at(part, "agent");
  const found = presentKeys(agent, ["model", "command", "events"]);
  if (found.length > 1) {
    const keys = ["model", "command"];
    const other = keyPlaceOf(at(agent, found[1] ?? ""));
    return context.refuse(problem("keys_exclusive", { found, keys }, other));
  }
  const named = at(agent, "model");
  const ref = resolveModelRef(named, defaults.providers, context);
  refuseIdleKeys(part, context);
  const generation = mergeSettings(
    withoutKeys(defaults.settings, ofModelsAlone),
    ownSettings(part, context),
  );
  if (ref === undefined || generation === undefined) return undefined;
  checkSent({ generation, provider: ref.provider, model: ref.model }, part, context);
  return { kind: "model", ...ref, generation };
}

/** A tool's full name has its server. */
export function checkToolNames(
  part: Part,
  servers: readonly string[],
  context: ManifestContext,
): void {
  for (const item of itemsOf(part)) {
    const name = textOf(item) ?? "";
    const server = name.includes("{{") ? undefined : toolServer(name);
    if (server === undefined || servers.includes(server)) continue;
    const found = { tool: name, server, known: servers, nearest: nearest(server, servers) };
    context.refuse(problem("tool_server_unknown", found, placeOf(item)));
  }
}

function ownSettings(part: Part, context: ManifestContext): JsonObject {
  return withoutKeys(readSettings(part, context), agentKeys);
}

function withoutKeys(settings: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !keys.includes(key)));
}

const idle: readonly (readonly [key: string, why: string, instead: string])[] = [
  ["model", "`agent` names its model", "Leave it out."],
  [
    "skills",
    "it has no tool of its own that reads them",
    "Put their text into `system_prompt`, or use another agent.",
  ],
  ["env", "no program is started for it", "Give variables to a server: `env` below `mcp_servers`."],
  [
    "pass",
    "it is told its prompt, and nothing else of the row",
    "Put the field into the prompt, or let `workspace: {files: FIELD}` write files.",
  ],
];

function refuseIdleKeys(part: Part, context: ManifestContext): void {
  for (const [key, why, instead] of idle) {
    const given = at(part, key);
    if (!isPresent(given)) continue;
    context.refuse(problem("agent_key", { agent: ownLoop, key, why, instead }, keyPlaceOf(given)));
  }
  refuseServerlessKeys(part, context);
}

/** Without a started server nothing could read or write files. */
function refuseServerlessKeys(part: Part, context: ManifestContext): void {
  const servers = Object.values(objectOf(at(part, "mcp_servers")) ?? {});
  const isServed = servers.some((each) => isJsonObject(each) && each["command"] !== undefined);
  if (isServed) return;
  for (const key of ["workspace", "fence"]) {
    const given = at(part, key);
    if (!isPresent(given) || given.value === "off") continue;
    const why = "without a server that is started for it nothing can read or write files";
    const instead = "Leave it out, or add a server with a `command`.";
    context.refuse(problem("agent_key", { agent: ownLoop, key, why, instead }, keyPlaceOf(given)));
  }
}
