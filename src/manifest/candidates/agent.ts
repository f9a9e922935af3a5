import {
  agentRuntimes,
  eventFormats,
  runtimeTraits,
  type AgentRuntime,
  type AgentSpec,
  type AgentTools,
  type EventFormat,
  type McpServer,
  type ToolKind,
  variablesIn,
  withVariables,
} from "../../model/models/agent.ts";
import { problem } from "../../model/refusal.ts";
import type { FileRef } from "../../model/definition/suite.ts";
import { readAddress } from "./address.ts";
import { checkToolNames, resolveAgentModel } from "./agent-model.ts";
import type { ManifestContext } from "../context.ts";
import { resolvePath, resolveFile, checkInside } from "../files.ts";
import type { ModelDefaults } from "./models.ts";
import {
  at,
  fieldsOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  objectOf,
  type Part,
  placeOf,
  presentKeys,
  textOf,
  textsOf,
} from "../../base/part.ts";
import { posix } from "node:path";
import type { CassetteSpec } from "../../model/models/cassette.ts";

/** Keys that agents share with programs. */
type Handed = Pick<AgentSpec, "inputs" | "env" | "pass" | "timeout_seconds" | "setup" | "fence">;

const defaultTimeoutSeconds = 600;
const defaultRetries = 2;

/** An agent: a program that Regrade knows, one of the user's own, or a model in Regrade's own loop. */
export async function resolveAgent(
  { id, part }: { readonly id: string; readonly part: Part },
  { handed, defaults }: { readonly handed: Handed; readonly defaults: ModelDefaults },
  context: ManifestContext,
): Promise<AgentSpec | undefined> {
  const program = resolveProgram(part, defaults, context);
  const system = await resolvePrompt(at(part, "system_prompt"), context);
  const mcp_servers = resolveServers(at(part, "mcp_servers"), context);
  const skills = await resolveSkills(at(part, "skills"), context);
  const workspace = await resolveWorkspace(at(part, "workspace"), context);
  if (program === undefined) return undefined;
  const runtime = program.kind === "runtime" ? program.runtime : undefined;
  if (runtime !== undefined) refuseIdlePass(part, runtime, context);
  const isOwn = program.kind === "model";
  const servers = Object.keys(mcp_servers);
  const own = await resolveOwnKeys(part, { agent: runtime ?? id, isOwn, servers }, context);
  const isUsual = runtime !== undefined && !isPresent(at(part, "env"));
  const { keys = [], settings = [] } = runtime === undefined ? {} : runtimeTraits[runtime];
  return {
    id,
    kind: "agent",
    program,
    model: textOf(at(part, "model")),
    system_prompt: system,
    mcp_servers,
    tools: toolsOf(part, isOwn),
    skills,
    workspace,
    require: requiredOf(at(part, "require")),
    max_turns: numberOf(at(part, "max_turns")),
    ...own,
    ...handed,
    ...(isUsual && { env: [...keys, ...settings] }),
    usual_env: isUsual,
    pass: [...handed.pass, ...(workspace.files === undefined ? [] : [workspace.files])],
    timeout_seconds: numberOf(at(part, "timeout_seconds")) ?? defaultTimeoutSeconds,
    max_retries: numberOf(at(part, "max_retries")) ?? defaultRetries,
  };
}

function resolveProgram(
  candidate: Part,
  defaults: ModelDefaults,
  context: ManifestContext,
): AgentSpec["program"] | undefined {
  const part = at(candidate, "agent");
  const runtime = agentRuntimes.find((each) => each === part.value);
  if (runtime !== undefined) return { kind: "runtime", runtime };
  if (objectOf(part) === undefined) return undefined;
  const [model, command, events] = [at(part, "model"), at(part, "command"), at(part, "events")];
  if (isPresent(model)) return resolveAgentModel(candidate, defaults, context);
  for (const each of [command, events]) {
    if (isPresent(each)) continue;
    const key = String(each.path.at(-1));
    return context.refuse(problem("key_missing", { key }, placeOf(part)));
  }
  const format: EventFormat | undefined = eventFormats.find((each) => each === events.value);
  return format && { kind: "command", command: textsOf(command), events: format };
}

/** The prompt as a text: written in the manifest, or read from a file. */
async function resolvePrompt(part: Part, context: ManifestContext): Promise<string | undefined> {
  if (!isPresent(part) || textOf(part) !== undefined) return textOf(part);
  const file = await resolveFile(at(part, "file"), context);
  return file && context.readText(file.absolute);
}

function resolveServers(part: Part, context: ManifestContext): Readonly<Record<string, McpServer>> {
  const servers = fieldsOf(part).flatMap(([name, each]) => {
    const server = resolveServer(each, context);
    return server === undefined ? [] : [[name, server] as const];
  });
  return Object.fromEntries(servers);
}

function resolveServer(part: Part, context: ManifestContext): McpServer | undefined {
  const [command, url] = [at(part, "command"), at(part, "url")];
  const found = presentKeys(part, ["command", "url"]);
  if (found.length === 0) {
    if (objectOf(part) === undefined || context.misspelt(part)) return undefined;
    return context.refuse(problem("keys_none", { keys: ["command", "url"] }, placeOf(part)));
  }
  if (found.length === 2) {
    const keys = ["command", "url"];
    return context.refuse(problem("keys_exclusive", { found, keys }, keyPlaceOf(url)));
  }
  const idle = isPresent(command) ? ["headers", "type"] : ["env"];
  for (const key of presentKeys(part, idle)) {
    const why = isPresent(command)
      ? "a server that is started has none"
      : "a server at a `url` has none";
    context.refuse(problem("server_key_idle", { key, why }, keyPlaceOf(at(part, key))));
  }
  const limit = numberOf(at(part, "timeout_seconds"));
  const timed = limit === undefined ? {} : { timeout_seconds: limit };
  if (isPresent(command))
    return { type: "stdio", command: textsOf(command), env: namedTexts(at(part, "env")), ...timed };
  const address = textOf(url);
  if (address === undefined || !isServerAddress(address, url, context)) return undefined;
  const type = textOf(at(part, "type")) === "sse" ? "sse" : "http";
  return { type, url: address, headers: namedTexts(at(part, "headers")), ...timed };
}

/** Whether a server's address is valid. The values of variables are checked too, but never shown. */
function isServerAddress(text: string, part: Part, context: ManifestContext): boolean {
  const origin = /^[^/]*\/\/[^/?#]*/.exec(text)?.[0] ?? text;
  if (variablesIn([origin]).length === 0) return readAddress(text, part, context) !== undefined;
  // A variable that is not set is reported when the agent is opened.
  const { environment } = context;
  if (variablesIn([text]).some((name) => environment[name] === undefined)) return true;
  const hidden = { ...context, warn: () => undefined, refuse: () => undefined };
  if (readAddress(withVariables(text, environment), part, hidden) !== undefined) return true;
  context.refuse(problem("url_malformed", { found: text }, placeOf(part)));
  return false;
}

/** A list names variables that are passed on under their own names. */
function namedTexts(part: Part): Readonly<Record<string, string>> {
  const listed = textsOf(part).map((name) => [name, `{{env.${name}}}`] as const);
  const named = fieldsOf(part).map(([name, each]) => [name, textOf(each) ?? ""] as const);
  return Object.fromEntries([...listed, ...named]);
}

/**
 * The agent's own tools. No tools if servers give them, and neither skills nor files need others; Regrade's own loop
 * has no other tools.
 */
function toolsOf(part: Part, isOwn: boolean): AgentTools {
  const tools = at(part, "tools");
  if (Array.isArray(tools.value)) return textsOf(tools);
  if (isPresent(tools) || isOwn) return "all";
  const [servers, skills] = [fieldsOf(at(part, "mcp_servers")), itemsOf(at(part, "skills"))];
  const isServed = servers.length > 0 && skills.length === 0 && !isPresent(at(part, "workspace"));
  return isServed ? [] : "all";
}

async function resolveSkills(part: Part, context: ManifestContext): Promise<readonly FileRef[]> {
  const skills: FileRef[] = [];
  const names = new Set<string>();
  for (const item of itemsOf(part)) {
    const folder = await resolvePath(item, context);
    if (folder === undefined) continue;
    const file = `${folder.absolute}/SKILL.md`;
    if ((await context.inspectPath(file)).kind !== "file") {
      context.refuse(problem("skill_without_file", { path: folder.path }, placeOf(item)));
      continue;
    }
    const name = posix.basename(folder.path);
    if (names.has(name)) context.refuse(problem("skill_twice", { name }, placeOf(item)));
    names.add(name);
    skills.push(folder);
  }
  return skills;
}

async function resolveWorkspace(
  part: Part,
  context: ManifestContext,
): Promise<AgentSpec["workspace"]> {
  const named = objectOf(part) === undefined ? part : at(part, "folder");
  const folder = await resolvePath(named, context);
  if (folder !== undefined) await checkFolder(folder, named, context);
  return { folder, files: textOf(at(part, "files")) };
}

/** The manifest names the data set: copying it would reveal the answers. */
async function checkFolder(folder: FileRef, part: Part, context: ManifestContext): Promise<void> {
  const { kind, real } = await context.inspectPath(folder.absolute);
  if (kind !== "directory")
    return context.refuse(problem("workspace_not_folder", { path: folder.path }, placeOf(part)));
  const own = await context.inspectPath(context.directory);
  const isAround = `${own.real}/`.startsWith(`${real}/`);
  if (isAround) context.refuse(problem("workspace_of_suite", { path: folder.path }, placeOf(part)));
  return undefined;
}

function requiredOf(part: Part): AgentSpec["require"] {
  const kind = (key: string): ToolKind | undefined => {
    const value = textOf(at(part, key));
    return value === "any" || value === "mcp" ? value : undefined;
  };
  const [use, success] = [kind("tool_use"), kind("tool_success")];
  return {
    ...(use !== undefined && { tool_use: use }),
    ...(success !== undefined && { tool_success: success }),
  };
}

/** Resolves the keys that only Regrade's own loop can honour. */
async function resolveOwnKeys(
  part: Part,
  {
    servers,
    ...about
  }: { readonly agent: string; readonly isOwn: boolean; readonly servers: readonly string[] },
  context: ManifestContext,
): Promise<Pick<AgentSpec, "cassette">> {
  if (about.isOwn) checkToolNames(at(part, "tools"), servers, context);
  else refuseServerLimits(part, about.agent, context);
  const cassette = await resolveCassette(part, about, context);
  return cassette === undefined ? {} : { cassette };
}

/** Only Regrade's own loop calls the servers of an agent. */
function refuseServerLimits(part: Part, agent: string, context: ManifestContext): void {
  for (const [, server] of fieldsOf(at(part, "mcp_servers"))) {
    const limit = at(server, "timeout_seconds");
    if (!isPresent(limit)) continue;
    const why = "it calls its servers by itself";
    const instead = "Limit the whole sample: `timeout_seconds` of the candidate.";
    const found = { agent, key: "timeout_seconds", why, instead };
    context.refuse(problem("agent_key", found, keyPlaceOf(limit)));
  }
}

/** A known agent receives only its prompt. */
function refuseIdlePass(part: Part, agent: AgentRuntime, context: ManifestContext): void {
  const pass = at(part, "pass");
  if (!isPresent(pass)) return;
  const why = "it is told its prompt, and nothing else of the row";
  const instead = "Put the field into the prompt, or let `workspace: {files: FIELD}` write files.";
  context.refuse(problem("agent_key", { agent, key: "pass", why, instead }, keyPlaceOf(pass)));
}

/** The file with the traffic of Regrade's own loop: an existing one, or one that `record` creates. */
async function resolveCassette(
  candidate: Part,
  { agent, isOwn }: { readonly agent: string; readonly isOwn: boolean },
  context: ManifestContext,
): Promise<CassetteSpec | undefined> {
  const part = at(candidate, "cassette");
  if (!isPresent(part)) return undefined;
  if (!isOwn || isPresent(at(candidate, "workspace"))) {
    const why = isOwn
      ? "files that its servers leave in a `workspace` are not kept there"
      : "it speaks to its model and its servers by itself";
    const instead = isOwn
      ? "Leave one of both out."
      : "Leave it out, or let Regrade ask the model: `agent: {model: …}`. A run is replayed by `replay`.";
    return context.refuse(
      problem("agent_key", { agent, key: "cassette", why, instead }, keyPlaceOf(part)),
    );
  }
  const [path, mode] = [at(part, "path"), at(part, "mode")];
  for (const each of [path, mode]) {
    if (isPresent(each)) continue;
    return context.refuse(problem("key_missing", { key: String(each.path.at(-1)) }, placeOf(part)));
  }
  if (mode.value !== "record") {
    const file = await resolveFile(path, context);
    return file && { file, mode: "replay" };
  }
  const file = await checkInside(path, context);
  return file && { file, mode: "record" };
}
