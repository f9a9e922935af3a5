import type { Launch, LaunchServer, Runtime } from "./runtime.ts";

const promptFile = "instructions.md";

/** Features with tools of their own: a shell, sub-agents, connected services. */
const toolFeatures = ["shell_tool", "unified_exec", "goals"];
/** Features that are always turned off, because they contact services that no suite names. */
const connected = ["apps", "plugins"];

/**
 * Codex. Without its own tools it is limited to reading, because a model may bring along a patch tool. It has no turn
 * limit, so its events are counted. It reads its key from CODEX_API_KEY alone.
 */
export const codexRuntime: Runtime = {
  name: "codex",
  skillsFolder: ".agents/skills",
  argv: ({ directory, model, tools }) => [
    "codex",
    "exec",
    "--json",
    "--ephemeral",
    "--ignore-rules",
    "--skip-git-repo-check",
    "-s",
    tools === "all" ? "danger-full-access" : "read-only",
    "-C",
    directory,
    ...(model === undefined ? [] : ["-m", model]),
    "-",
  ],
  home: (launch) => ({
    ".codex/config.toml": configOf(launch),
    ...(launch.system_prompt !== undefined && { [promptFile]: launch.system_prompt }),
  }),
  env: ({ home, given }) => {
    const { OPENAI_API_KEY: key, CODEX_API_KEY: own = key } = given;
    return { CODEX_HOME: `${home}/.codex`, ...(own !== undefined && { CODEX_API_KEY: own }) };
  },
  refuses: ({ tools, mcp_servers: servers }) => [
    ...(tools === "all" || tools.length === 0
      ? []
      : [
          {
            key: "tools" as const,
            why: "it has its shell and its patches, or neither",
            instead: "Write `tools: all` or `tools: []`.",
          },
        ]),
    ...(Object.values(servers).some(({ type }) => type === "sse")
      ? [
          {
            key: "mcp_servers" as const,
            why: "it does not speak to servers of the type sse",
            instead: "Serve the tools over `type: http`, or by a command.",
          },
        ]
      : []),
  ],
};

/** A TOML string. It is written like a JSON string, except that DEL is escaped. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll("\u007F", String.raw`\u007F`);
}

function list(values: readonly string[]): string {
  return `[${values.map(text).join(", ")}]`;
}

function table(values: Readonly<Record<string, string>>): string {
  const fields = Object.entries(values).map(([name, value]) => `${text(name)} = ${text(value)}`);
  return `{ ${fields.join(", ")} }`;
}

function configOf(launch: Launch): string {
  const { system_prompt, home, tools, given, servers } = launch;
  const { OPENAI_BASE_URL: address } = given;
  const off = [...connected, ...(tools === "all" ? [] : toolFeatures)];
  return [
    ...(system_prompt === undefined
      ? []
      : [`model_instructions_file = ${text(`${home}/${promptFile}`)}`]),
    ...(address === undefined ? [] : ['model_provider = "given"']),
    "[features]",
    ...off.map((name) => `${name} = false`),
    ...(tools === "all" ? [] : ["[agents]", "enabled = false"]),
    ...(address === undefined ? [] : providerLines(address)),
    ...servers.flatMap(serverLines),
    "",
  ].join("\n");
}

/** A provider's lines in the settings. Codex's own retries are kept short, because Regrade retries by itself. */
function providerLines(address: string): readonly string[] {
  return [
    "[model_providers.given]",
    'name = "given"',
    `base_url = ${text(address)}`,
    'wire_api = "responses"',
    'env_key = "CODEX_API_KEY"',
    "request_max_retries = 2",
    "stream_max_retries = 2",
  ];
}

function serverLines(server: LaunchServer): readonly string[] {
  const head = [`[mcp_servers.${text(server.name)}]`, 'default_tools_approval_mode = "approve"'];
  if (server.type !== "stdio")
    return [...head, `url = ${text(server.url)}`, `http_headers = ${table(server.headers)}`];
  const [command = "", ...args] = server.command;
  const lines = [
    `command = ${text(command)}`,
    `args = ${list(args)}`,
    `env = ${table(server.env)}`,
  ];
  return [...head, ...lines];
}
