import { at, fieldsOf, isPresent, itemsOf, type Part, placeOf, textOf } from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import { type Traced, traced, tracedFields, tracedList } from "../origin.ts";
import {
  complain,
  flag,
  type KEvalConfig,
  mapping,
  requiredWithNames,
  withNames,
  withValues,
} from "./config.ts";

/** A condition, translated to a candidate. */
export interface Condition {
  readonly name: string;
  readonly candidate: Traced;
  readonly hasServers: boolean;
}

interface Shared {
  readonly servers: ReadonlyMap<string, Traced>;
  readonly model: Traced | undefined;
  readonly retries: number | undefined;
}

const keys = [
  "mcp_servers",
  "system_prompt",
  "allowed_tools",
  "require_mcp_tool_use",
  "require_mcp_tool_success",
];

/**
 * Translates conditions. Each is a separate agent with the tools of its servers and its allowed tools, and no others.
 */
export function readConditions(shared: Shared, config: KEvalConfig): readonly Condition[] {
  const part = at(config.root, "conditions");
  if (fieldsOf(part).length === 0) complain(part, "a mapping with a condition at least", config);
  const names = new Set<string>();
  return fieldsOf(part).map(([name, each]) => {
    const slot = slotOf(name, each, { names, config });
    return readCondition(slot, { part: mapping(each, keys, config), shared }, config);
  });
}

function slotOf(
  name: string,
  part: Part,
  { names, config }: { readonly names: Set<string>; readonly config: KEvalConfig },
): string {
  const slot = name.replaceAll(/[^A-Za-z0-9_.:@/-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  if (slot === "" || names.has(slot)) {
    const found = { name: slot === "" ? name : slot, taken: slot !== "" };
    config.refuse(problem("k_eval_condition_name", found, placeOf(part)));
  }
  names.add(slot);
  return slot;
}

function readCondition(
  name: string,
  { part, shared }: { readonly part: Part; readonly shared: Shared },
  config: KEvalConfig,
): Condition {
  const { servers, model, retries } = shared;
  const place = placeOf(part);
  const prompt = requiredWithNames(part, "system_prompt", config);
  const chosen = chosenServers(at(part, "mcp_servers"), servers, config);
  const required = {
    tool_use: requirement(part, "require_mcp_tool_use", config),
    tool_success: requirement(part, "require_mcp_tool_success", config),
  };
  const hasRequired = required.tool_use !== undefined || required.tool_success !== undefined;
  const candidate = tracedFields(
    {
      agent: traced("claude-code", placeOf(at(config.root, "agent"))),
      model,
      system_prompt:
        prompt === undefined ? undefined : traced(prompt, placeOf(at(part, "system_prompt"))),
      mcp_servers: tracedFields(Object.fromEntries(chosen), placeOf(at(part, "mcp_servers"))),
      tools: tracedList(allowed(at(part, "allowed_tools"), config), place),
      require: hasRequired ? tracedFields(required, place) : undefined,
      max_retries: retries === undefined ? undefined : traced(retries, place),
    },
    place,
  );
  return { name, candidate, hasServers: chosen.size > 0 };
}

/** The requirement that a tool is used. Only calls of the condition's own servers count. */
function requirement(part: Part, key: string, config: KEvalConfig): Traced | undefined {
  return flag(part, key, config) ? traced("mcp", placeOf(at(part, key))) : undefined;
}

function allowed(part: Part, config: KEvalConfig): readonly Traced[] {
  if (isPresent(part) && !Array.isArray(part.value)) complain(part, "a list of tools", config);
  return itemsOf(part).flatMap((item) => {
    const name = textOf(item);
    if (name === undefined) return complain(item, "the name of a tool", config) ?? [];
    return [traced(withNames(name), placeOf(item))];
  });
}

/** The servers that a condition chooses. One that is named twice counts once. */
function chosenServers(
  part: Part,
  servers: Shared["servers"],
  config: KEvalConfig,
): ReadonlyMap<string, Traced> {
  const isNone = !isPresent(part) || part.value === null;
  if (!isNone && !Array.isArray(part.value)) complain(part, "a list of servers", config);
  const chosen = new Map<string, Traced>();
  for (const item of itemsOf(part)) {
    const name = withValues(textOf(item) ?? "", config);
    const server = servers.get(name);
    if (server !== undefined) chosen.set(name, server);
    else {
      const found = { server: textOf(item) ?? "", known: [...servers.keys()] };
      config.refuse(problem("k_eval_server_unknown", found, placeOf(item)));
    }
  }
  return chosen;
}

/** The servers that conditions may choose, by name. */
export function readServers(config: KEvalConfig): ReadonlyMap<string, Traced> {
  const part = at(config.root, "mcp_servers");
  if (typeof part.value !== "object" || part.value === null || Array.isArray(part.value))
    complain(part, "a mapping; {} without servers", config);
  return new Map(fieldsOf(part).map(([name, each]) => [name, readServer(each, config)]));
}

function readServer(part: Part, config: KEvalConfig): Traced {
  const type = textOf(at(part, "type"));
  if (type === "stdio")
    return readProgram(mapping(part, ["type", "command", "args", "env"], config), config);
  if (type === "sse" || type === "http")
    return readAddress(mapping(part, ["type", "url", "headers"], config), type, config);
  complain(at(part, "type"), "stdio, sse or http", config);
  return traced(null, placeOf(part));
}

function readProgram(part: Part, config: KEvalConfig): Traced {
  const command = requiredWithNames(part, "command", config);
  const args = itemsOf(at(part, "args")).flatMap((item) => {
    const text = textOf(item);
    if (text === undefined) return complain(item, "a text", config) ?? [];
    return [traced(withNames(text), placeOf(item))];
  });
  const first = command === undefined ? [] : [traced(command, placeOf(at(part, "command")))];
  return tracedFields(
    {
      command: tracedList([...first, ...args], placeOf(at(part, "command"))),
      env: namedTexts(at(part, "env"), config),
    },
    placeOf(part),
  );
}

function readAddress(part: Part, type: string, config: KEvalConfig): Traced {
  const url = at(part, "url");
  const address = requiredWithNames(part, "url", config);
  return tracedFields(
    {
      url: address === undefined ? undefined : traced(address, placeOf(url)),
      type: traced(type, placeOf(at(part, "type"))),
      headers: namedTexts(at(part, "headers"), config),
    },
    placeOf(part),
  );
}

/**
 * `env` and `headers`, which contain secrets: the names of their variables are kept, and values are filled in when a
 * server is started.
 */
function namedTexts(part: Part, config: KEvalConfig): Traced | undefined {
  const fields = fieldsOf(part).map(([key, each]) => {
    const text = textOf(each);
    if (text === undefined) complain(each, "a text", config);
    return [key, traced(withNames(text ?? ""), placeOf(each))] as const;
  });
  return fields.length === 0 ? undefined : tracedFields(Object.fromEntries(fields), placeOf(part));
}
