import type { Launch, LaunchServer, Runtime } from "./runtime.ts";

const promptFile = "system.md";

/** Gemini. Its settings are a file in its private home. */
export const geminiRuntime: Runtime = {
  name: "gemini",
  skillsFolder: ".gemini/skills",
  argv: ({ model }) => [
    "gemini",
    "-o",
    "stream-json",
    "-y",
    "--skip-trust",
    ...(model === undefined ? [] : ["-m", model]),
  ],
  home: (launch) => ({
    ".gemini/settings.json": JSON.stringify(settingsOf(launch)),
    ...(launch.system_prompt !== undefined && { [promptFile]: launch.system_prompt }),
  }),
  env: ({ home, system_prompt: prompt }) => ({
    ...(prompt !== undefined && { GEMINI_SYSTEM_MD: `${home}/${promptFile}` }),
  }),
  refuses: () => [],
};

function settingsOf(launch: Launch) {
  const { servers, max_turns: turns, given } = launch;
  const isVertex = given["GOOGLE_GENAI_USE_VERTEXAI"] !== undefined;
  return {
    security: { auth: { selectedType: isVertex ? "vertex-ai" : "gemini-api-key" } },
    general: { disableAutoUpdate: true, disableUpdateNag: true, maxAttempts: 2 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ...(turns !== undefined && { model: { maxSessionTurns: turns } }),
    ...toolSettings(launch),
    mcpServers: Object.fromEntries(servers.map((server) => [server.name, entryOf(server)])),
  };
}

/**
 * Settings that limit the tools. A list of core tools excludes all others, also those of servers, unless a pattern
 * names them.
 */
function toolSettings({ tools, skills, servers }: Launch) {
  if (tools === "all") return {};
  const needed = skills.length > 0 ? [...new Set([...tools, "activate_skill"])] : tools;
  return { tools: { core: [...needed, ...servers.map(({ name }) => `mcp_${name}_*`)] } };
}

function entryOf(server: LaunchServer) {
  if (server.type === "stdio") {
    const [command = "", ...args] = server.command;
    return { command, args, env: server.env, trust: true };
  }
  const address = server.type === "http" ? { httpUrl: server.url } : { url: server.url };
  return { ...address, headers: server.headers, trust: true };
}
