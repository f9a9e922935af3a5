import type { Launch, LaunchServer, Runtime } from "./runtime.ts";

const serversFile = "mcp.json";
const promptFile = "system-prompt.md";

/** Names of Claude Code's built-in tools; `dontAsk` denies every tool that is not allowed by name. */
const builtIn = [
  "Agent",
  "Bash",
  "BashOutput",
  "CronCreate",
  "CronDelete",
  "CronList",
  "Edit",
  "EnterWorktree",
  "ExitWorktree",
  "Glob",
  "Grep",
  "KillShell",
  "LS",
  "MultiEdit",
  "NotebookEdit",
  "Read",
  "ReportFindings",
  "ScheduleWakeup",
  "SendMessage",
  "Skill",
  "Task",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskOutput",
  "TaskStop",
  "TaskUpdate",
  "TodoWrite",
  "WebFetch",
  "WebSearch",
  "Workflow",
  "Write",
];

/**
 * Claude Code. It refuses to bypass permissions as root, so tools are allowed by name. The prompt goes through stdin,
 * because a flag with any number of values would swallow a prompt among the arguments.
 */
export const claudeRuntime: Runtime = {
  name: "claude-code",
  skillsFolder: ".claude/skills",
  argv: (launch) => [
    "claude",
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--strict-mcp-config",
    "--mcp-config",
    `${launch.home}/${serversFile}`,
    "--setting-sources",
    launch.skills.length > 0 ? "project" : "",
    "--no-session-persistence",
    "--permission-mode",
    "dontAsk",
    "--tools",
    toolsOf(launch),
    ...allowedFlags(launch),
    ...(launch.model === undefined ? [] : ["--model", launch.model]),
    ...(launch.system_prompt === undefined
      ? []
      : ["--system-prompt-file", `${launch.home}/${promptFile}`]),
    ...(launch.max_turns === undefined ? [] : ["--max-turns", String(launch.max_turns)]),
  ],
  home: ({ servers, system_prompt: prompt }) => ({
    [serversFile]: JSON.stringify({
      mcpServers: Object.fromEntries(servers.map((server) => [server.name, entryOf(server)])),
    }),
    ...(prompt !== undefined && { [promptFile]: prompt }),
  }),
  env: () => ({
    // Its own ten retries take minutes, even after a refused key; `max_retries` covers retries instead.
    CLAUDE_CODE_MAX_RETRIES: "2",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
  }),
  refuses: () => [],
};

function toolsOf({ tools, skills }: Launch): string {
  if (tools === "all") return "default";
  const needed = skills.length > 0 && !tools.includes("Skill") ? [...tools, "Skill"] : tools;
  return needed.map((tool) => tool.replace(/\(.*$/s, "")).join(",");
}

/** Flags that allow tools; a tool may be limited, as in `Bash(git *)`. */
function allowedFlags({ tools, skills, servers }: Launch): readonly string[] {
  const own = tools === "all" ? builtIn : tools;
  const needed = skills.length > 0 && !own.includes("Skill") ? [...own, "Skill"] : own;
  const allowed = [...needed, ...servers.map(({ name }) => `mcp__${name}`)];
  return allowed.length === 0 ? [] : ["--allowedTools", ...allowed];
}

function entryOf(server: LaunchServer) {
  if (server.type !== "stdio")
    return { type: server.type, url: server.url, headers: server.headers };
  const [command = "", ...args] = server.command;
  return { type: "stdio", command, args, env: server.env };
}
