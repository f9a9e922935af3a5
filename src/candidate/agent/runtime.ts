import type { AgentRuntime, AgentSpec, McpServer } from "../../model/models/agent.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Pay } from "../../model/models/candidate.ts";
import type { Usage } from "../../model/outcomes/sample.ts";
import type { Transcript } from "../../model/models/transcript.ts";
import type { Workspace } from "../../model/ports/workspace.ts";

/** Runs an agent once: a program, or a loop of Regrade's own. */
export type RunAgent = (request: AgentRequest) => Promise<AgentRun>;

export interface AgentRequest {
  /** Identifies the sample. */
  readonly sample: { readonly task: string; readonly case: string; readonly repeat: number };
  readonly prompt: string;
  /** Files of the case, by path in the workspace. */
  readonly files: Readonly<Record<string, string>>;
  /** Fields of the row that `pass` names. */
  readonly fields: JsonObject;
  readonly signal: AbortSignal;
  /** Called with the cost of each answer of the agent's model; a program reports its cost only at its end. */
  readonly pay: Pay;
}

/** Result of an agent's run. */
export interface AgentRun {
  readonly transcript: Transcript;
  /** Usage of the whole run. */
  readonly usage: Usage | null;
  /** The last answer, if its cost is not counted yet. */
  readonly due?: { readonly usage: Usage | null };
  readonly outcome: AgentOutcome;
  readonly workspace: Workspace | undefined;
}

/** Has the kinds of `Generated`. `unavailable` is retried, unless `isFinal` says that it was retried already. */
export type AgentOutcome =
  | {
      readonly kind: "answered";
      readonly outputText: string;
      /** True if the token limit cut the text off. */
      readonly incomplete?: boolean;
    }
  | {
      readonly kind: "refused" | "failed" | "unavailable" | "halted";
      readonly type: string;
      readonly message: string;
      readonly isFinal?: boolean;
    };

/** Reads the events of one format. Pure; an unknown event is kept unchanged. */
export interface EventReader {
  /** Transcript entries of an event; undefined if the event is unknown. */
  readonly entriesOf: (
    event: JsonObject,
    /** Names of the servers that the agent was given. */
    servers: readonly string[],
  ) => Transcript | undefined;
  /** How the run ended, read from all events. */
  readonly endOf: (events: readonly JsonObject[], aside: JsonObject | undefined) => ReportedEnd;
}

/** The agent's report of its own end. */
export interface ReportedEnd {
  /** undefined if there was no answer. */
  readonly outputText: string | undefined;
  readonly usage: Usage | null;
  readonly turns?: number;
  readonly usd?: number;
  /** Copilot's unit of billing. */
  readonly premiumRequests?: number;
  readonly failure?: ReportedFailure;
}

export interface ReportedFailure {
  readonly reason: "api" | "max_turns" | "refused" | "error";
  /** Status of the provider's response, if known. */
  readonly status?: number;
  readonly message: string;
}

/** An agent program as data: how it is started, and which settings it supports. */
export interface Runtime {
  readonly name: AgentRuntime;
  readonly argv: (launch: Launch) => readonly string[];
  /** Files of the agent's private home, by path. */
  readonly home: (launch: Launch) => Readonly<Record<string, string>>;
  readonly env: (launch: Launch) => Readonly<Record<string, string>>;
  /** Folder for skills, within the workspace. */
  readonly skillsFolder: string;
  /** A file in its home with data that stdout lacks. */
  readonly aside?: string;
  /** Manifest keys that it can't support, with the reason; empty if it supports all. */
  readonly refuses: (launch: LaunchSettings) => readonly RefusedKey[];
}

interface RefusedKey {
  readonly key: "system_prompt" | "tools" | "skills" | "mcp_servers" | "model";
  readonly why: string;
  readonly instead: string;
}

type LaunchSettings = Pick<
  AgentSpec,
  "model" | "system_prompt" | "mcp_servers" | "tools" | "skills" | "max_turns"
>;

/** Settings for starting a runtime. Paths are absolute. */
export interface Launch extends LaunchSettings {
  readonly directory: string;
  readonly home: string;
  /** The servers, with the values of their variables. */
  readonly servers: readonly LaunchServer[];
  /** The variables that the agent receives. */
  readonly given: Readonly<Record<string, string>>;
}

export type LaunchServer = { readonly name: string } & McpServer;
