import type { CassetteSpec } from "./cassette.ts";
import type { FenceWish } from "../ports/fence.ts";
import type { FileRef, ModelRef } from "../definition/suite.ts";
import type { Generation } from "../definition/candidate-spec.ts";
import type { Environment } from "../ports/processes.ts";

/** Agent programs that Regrade knows how to start and to read. */
export const agentRuntimes = ["claude-code", "codex", "copilot", "gemini"] as const;
export type AgentRuntime = (typeof agentRuntimes)[number];

/** Format of a program's stdout lines. `regrade`: transcript entries, as docs/agents.md lists them. */
export const eventFormats = ["claude", "codex", "copilot", "gemini", "regrade"] as const;
export type EventFormat = (typeof eventFormats)[number];

/** The program behind the agent: a known runtime, any command, or a model in Regrade's own loop. */
type AgentProgram =
  | { readonly kind: "runtime"; readonly runtime: AgentRuntime }
  | { readonly kind: "command"; readonly command: readonly string[]; readonly events: EventFormat }
  | AgentModel;

/** A model that Regrade asks in turns, with the results of the tools that it calls in between. */
export interface AgentModel extends ModelRef {
  readonly kind: "model";
  /** Settings of each request; instructions and tools are the agent's. */
  readonly generation: Generation;
}

/** A server of tools. Its texts may contain `{{env.NAME}}`, which is filled in when an agent is started. */
export type McpServer =
  | {
      readonly type: "stdio";
      readonly command: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Limit of its start and of each call, in Regrade's own loop; undefined: the default. */
      readonly timeout_seconds?: number;
    }
  | {
      readonly type: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly timeout_seconds?: number;
    };

/** `mcp`: of tools that come from servers; `any`: of all tools. */
export type ToolKind = "any" | "mcp";

/** A folder that is copied in before each sample. */
interface AgentWorkspace {
  /** undefined: the workspace begins empty. */
  readonly folder: FileRef | undefined;
  /** The row's field with files of the case: an object of texts by path. */
  readonly files: string | undefined;
}

/** Built-in tools by name, or all that the agent has; in Regrade's own loop the servers' tools. */
export type AgentTools = "all" | readonly string[];

/** An agent as a candidate. */
export interface AgentSpec {
  readonly id: string;
  readonly kind: "agent";
  readonly program: AgentProgram;
  /**
   * The model's name in the agent's own form; undefined: the agent chooses. Like `system_prompt` and `tools` it may
   * contain `{{env.NAME}}`, which is filled in when the agent is started.
   */
  readonly model: string | undefined;
  readonly system_prompt: string | undefined;
  readonly mcp_servers: Readonly<Record<string, McpServer>>;
  readonly tools: AgentTools;
  /** Folders with a SKILL.md. */
  readonly skills: readonly FileRef[];
  readonly workspace: AgentWorkspace;
  /** Kinds of tool calls that a sample must have; without them it says nothing about the agent and is ungraded. */
  readonly require: { readonly tool_use?: ToolKind; readonly tool_success?: ToolKind };
  readonly max_turns: number | undefined;
  /** For Regrade's own loop: the file that records its traffic, or replays it. */
  readonly cassette?: CassetteSpec;
  /** undefined: it may use all files that the user may. */
  readonly fence?: FenceWish;
  /** Command that prepares a checkout of the base before this candidate runs there; undefined: it is not known how. */
  readonly setup?: readonly string[];
  readonly inputs: readonly string[];
  /** Names of environment variables to pass on. */
  readonly env: readonly string[];
  /**
   * True if the manifest names no variables: `env` then lists the usual key variables of the runtime, and those that are
   * set are passed on.
   */
  readonly usual_env: boolean;
  readonly pass: readonly string[];
  readonly timeout_seconds: number;
  readonly max_retries: number;
}

/** Name of Regrade's own loop in messages and transcripts. */
export const ownLoop = "Regrade's loop";

/** The server in a tool's full name, `mcp__SERVER__TOOL`; undefined if it names none. Server names contain no `__`. */
export function toolServer(name: string): string | undefined {
  return /^mcp__(.+?)__/.exec(name)?.[1];
}

const fromEnvironment = /\{\{\s*env\.([^{}"\n]*?)\s*\}\}/g;

/** The variables that servers are given, in the order of the manifest. */
export function serverVariables(servers: Readonly<Record<string, McpServer>>): readonly string[] {
  const texts = Object.values(servers).flatMap((server) =>
    server.type === "stdio"
      ? server.command.concat(Object.values(server.env))
      : [server.url].concat(Object.values(server.headers)),
  );
  return variablesIn(texts);
}

/** The names of variables in texts, each once. */
export function variablesIn(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) =>
    [...text.matchAll(fromEnvironment)].map(([, name]) => name ?? ""),
  );
  return [...new Set(names)];
}

/** Settings of an agent that may name variables. */
export type AgentSettings = Pick<AgentSpec, "model" | "system_prompt" | "tools">;

/** The variables that its settings name, by key. */
export function settingVariables(
  spec: AgentSettings,
): readonly (readonly [key: keyof AgentSettings, names: readonly string[]])[] {
  const { model = "", system_prompt: prompt = "", tools } = spec;
  return [
    ["model", variablesIn([model])],
    ["system_prompt", variablesIn([prompt])],
    ["tools", variablesIn(tools === "all" ? [] : tools)],
  ];
}

/** All variables that an agent and its servers are given by name. */
export function namedVariables(spec: AgentSpec): readonly string[] {
  const own = settingVariables(spec).flatMap(([, names]) => names);
  return [...new Set([...serverVariables(spec.mcp_servers), ...own])];
}

/** The text with the values of the variables that it names. */
export function withVariables(text: string, environment: Environment): string {
  return text.replaceAll(fromEnvironment, (_, name: string) => environment[name] ?? "");
}

/** Traits of a runtime that code other than its starter needs. */
interface RuntimeTraits {
  /** Name of the executable, and the npm package that installs it. */
  readonly program: string;
  readonly package: string;
  readonly events: EventFormat;
  /** Variables that may hold its key: the first is the usual one. */
  readonly keys: readonly string[];
  /** Further variables from which it learns its provider. */
  readonly settings: readonly string[];
}

export const runtimeTraits: Readonly<Record<AgentRuntime, RuntimeTraits>> = {
  "claude-code": {
    program: "claude",
    package: "@anthropic-ai/claude-code",
    events: "claude",
    keys: [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CODE_USE_BEDROCK",
      "CLAUDE_CODE_USE_VERTEX",
    ],
    settings: ["ANTHROPIC_BASE_URL"],
  },
  codex: {
    program: "codex",
    package: "@openai/codex",
    events: "codex",
    keys: ["CODEX_API_KEY", "OPENAI_API_KEY"],
    settings: ["OPENAI_BASE_URL"],
  },
  copilot: {
    program: "copilot",
    package: "@github/copilot",
    events: "copilot",
    keys: ["COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BASE_URL"],
    settings: ["COPILOT_PROVIDER_TYPE", "COPILOT_MODEL"],
  },
  gemini: {
    program: "gemini",
    package: "@google/gemini-cli",
    events: "gemini",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
    settings: ["GOOGLE_GEMINI_BASE_URL", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"],
  },
};
