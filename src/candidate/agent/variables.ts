import {
  serverVariables,
  settingVariables,
  withVariables,
  type AgentSettings,
  type AgentSpec,
  type McpServer,
} from "../../model/models/agent.ts";
import type { Place, Problem } from "../../model/refusal.ts";
import { commandEnvironment } from "../environment.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** Problems with variables that an agent's texts name but that are not set. */
export function variableProblems(
  spec: AgentSpec,
  environment: Environment,
  place: (key: string) => Place,
): readonly Problem[] {
  const named = serverVariables(spec.mcp_servers);
  const servers = commandEnvironment(named, environment, place("mcp_servers")).problems;
  const settings = settingVariables(spec).flatMap(([key, names]) => {
    // A text may use an empty variable; a server with an empty variable does not work.
    const filled = names.filter((name) => environment[name] !== "");
    return commandEnvironment(filled, environment, place(key)).problems;
  });
  return [...servers, ...settings];
}

/** The settings with the values of their variables. */
export function filledSettings(
  { model, system_prompt: prompt, tools }: AgentSettings,
  environment: Environment,
): AgentSettings {
  return {
    model: model === undefined ? undefined : withVariables(model, environment),
    system_prompt: prompt === undefined ? undefined : withVariables(prompt, environment),
    tools: tools === "all" ? tools : tools.map((name) => withVariables(name, environment)),
  };
}

/** A server with the values of the variables that it names. */
export function filledServer(server: McpServer, environment: Environment): McpServer {
  const fill = (text: string): string => withVariables(text, environment);
  const filled = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]));
  return server.type === "stdio"
    ? { ...server, command: server.command.map(fill), env: filled(server.env) }
    : { ...server, url: fill(server.url), headers: filled(server.headers) };
}
