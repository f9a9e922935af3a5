import type { Launch, LaunchServer, Runtime } from "./runtime.ts";

const serversFile = "mcp.json";
const usageFile = "usage.json";

/**
 * Copilot. It writes its tokens to a file instead of printing them. With its own provider (COPILOT_PROVIDER_BASE_URL)
 * it contacts no other server. It has no turn limit, so its events are counted.
 */
export const copilotRuntime: Runtime = {
  name: "copilot",
  skillsFolder: ".github/skills",
  argv: (launch) => [
    "copilot",
    "--output-format",
    "json",
    "--allow-all-tools",
    "--no-ask-user",
    "--no-auto-update",
    "--no-color",
    "--disable-builtin-mcps",
    "--usage-output-file",
    `${launch.home}/${usageFile}`,
    "--additional-mcp-config",
    `@${launch.home}/${serversFile}`,
    ...availableFlags(launch),
    ...(launch.model === undefined ? [] : ["--model", launch.model]),
  ],
  home: ({ servers }) => ({
    [serversFile]: JSON.stringify({
      mcpServers: Object.fromEntries(servers.map((server) => [server.name, entryOf(server)])),
    }),
  }),
  env: ({ given }) => ({
    ...(given["COPILOT_PROVIDER_BASE_URL"] !== undefined && { COPILOT_OFFLINE: "true" }),
  }),
  aside: usageFile,
  refuses: ({ system_prompt }) =>
    system_prompt === undefined
      ? []
      : [
          {
            key: "system_prompt",
            why: "it has a system prompt of its own, which nothing replaces",
            instead: "Put an AGENTS.md into its `workspace`, or say it in the prompt.",
          },
        ],
};

/**
 * Flags that make tools available. A server's name allows all of its tools; if there is no name at all, a name that no
 * tool has is passed.
 */
function availableFlags({ tools, skills, servers }: Launch): readonly string[] {
  if (tools === "all") return [];
  const needed = skills.length > 0 && !tools.includes("skill") ? [...tools, "skill"] : tools;
  const names = [...needed, ...servers.map(({ name }) => name)];
  return (names.length === 0 ? ["none"] : names).map((name) => `--available-tools=${name}`);
}

function entryOf(server: LaunchServer) {
  if (server.type !== "stdio")
    return { type: server.type, url: server.url, headers: server.headers, tools: ["*"] };
  const [command = "", ...args] = server.command;
  return { type: "local", command, args, env: server.env, tools: ["*"] };
}
