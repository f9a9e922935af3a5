import { toolServer, type AgentTools } from "../../../model/models/agent.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { McpConnection } from "../../../model/ports/mcp.ts";
import { serverTool } from "../fields.ts";

/** Providers refuse more tools: https://developers.openai.com/api/reference, `tools`. */
const mostTools = 128;
/** Limit of all descriptions and schemas together, as JSON, in characters: every request carries them. */
const mostDefinitions = 1_000_000;
/** Limits that providers set for the name of a function. */
const longestName = 64;
const refusedCharacters = /[^A-Za-z0-9_-]/g;

/** A connected tool server. */
export interface NamedServer {
  readonly name: string;
  readonly connection: McpConnection;
}

/** A tool that the model may call. */
export interface OfferedTool {
  /** Its name for the model. */
  readonly name: string;
  /** Its name in transcripts, `mcp__SERVER__TOOL`. */
  readonly fullName: string;
  readonly server: string;
  /** Its name at the server. */
  readonly tool: string;
  readonly call: McpConnection["call"];
  readonly definition: JsonObject;
}

/** The tools of the servers that the candidate names, or the reason why they can't be offered. */
export function offerTools(
  servers: readonly NamedServer[],
  wanted: AgentTools,
): readonly OfferedTool[] | { readonly problem: string } {
  const known = servers.flatMap(toolsOf);
  const missing = wanted === "all" ? [] : wanted.filter((name) => !known.some(isNamed(name)));
  if (missing.length > 0) return { problem: missingWords(missing, known) };
  const chosen =
    wanted === "all" ? known : known.filter((tool) => wanted.some((name) => isNamed(name)(tool)));
  if (chosen.length > mostTools) return { problem: tooManyWords(chosen.length, servers) };
  const offered = withDistinctNames(chosen);
  const size = offered.reduce((sum, each) => sum + JSON.stringify(each.definition).length, 0);
  if (size <= mostDefinitions) return offered;
  const limit = mostDefinitions / 1_000_000;
  return {
    problem: `the descriptions of the tools take more than ${limit} MB: name the needed tools in 'tools'`,
  };
}

type KnownTool = Omit<OfferedTool, "name" | "definition"> & {
  readonly described: McpConnection["tools"][number];
};

/** The tools of one server. If the server lists a name twice, the later entry counts. */
function toolsOf({ name: server, connection }: NamedServer): readonly KnownTool[] {
  const byName = new Map(connection.tools.map((described) => [described.name, described]));
  return [...byName.values()].map((described) => ({
    fullName: serverTool(server, described.name).name,
    server,
    tool: described.name,
    call: connection.call,
    described,
  }));
}

function isNamed(name: string): (tool: KnownTool) => boolean {
  const isFull = toolServer(name) !== undefined;
  return ({ fullName, tool }) => fullName === name || (!isFull && tool === name);
}

/** Gives tools names that providers accept. If a changed name equals another one, it gets a number. */
function withDistinctNames(tools: readonly KnownTool[]): readonly OfferedTool[] {
  const taken = new Set(tools.map(({ fullName }) => fullName).filter(isTaken));
  return tools.map(({ described, ...tool }) => {
    const name = isTaken(tool.fullName) ? tool.fullName : nameFor(tool.fullName, taken);
    taken.add(name);
    return { ...tool, name, definition: definitionOf(name, described) };
  });
}

function isTaken(name: string): boolean {
  return name.length <= longestName && name.search(refusedCharacters) === -1;
}

function nameFor(fullName: string, taken: ReadonlySet<string>): string {
  const clean = fullName.replaceAll(refusedCharacters, "_");
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? "" : `_${number}`;
    const name = clean.slice(0, longestName - suffix.length) + suffix;
    if (!taken.has(name)) return name;
  }
}

/** A tool's definition in the form of the Responses API. Providers require `properties`, and some refuse `$schema`. */
function definitionOf(
  name: string,
  { description, schema }: McpConnection["tools"][number],
): JsonObject {
  const { $schema: _schema, ...rest } = schema;
  const parameters = { type: "object", properties: {}, ...rest };
  return { type: "function", name, ...(description !== "" && { description }), parameters };
}

function missingWords(missing: readonly string[], known: readonly KnownTool[]): string {
  const names = known.map(({ fullName }) => fullName);
  const there = names.length === 0 ? "no tools" : shortList(names);
  return `'tools' names ${missing.join(", ")}, and the servers have ${there}`;
}

function tooManyWords(count: number, servers: readonly NamedServer[]): string {
  const each = servers.map(({ name, connection }) => `${name} ${connection.tools.length}`);
  return `the servers offer ${count} tools (${each.join(", ")}), and providers take at most ${mostTools}: name the needed ones in 'tools'`;
}

/** Limit of names in a message. */
const namesShown = 20;

/** Names for a message: the first 20, each shortened, and the number of the others. */
export function shortList(names: readonly string[]): string {
  const shown = names.slice(0, namesShown).map((name) => name.slice(0, 2 * longestName));
  const more = names.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
