import type { McpServer } from "../models/agent.ts";
import type { JsonObject } from "../json.ts";

/** Connects to an MCP server of tools. Never throws because of the server. */
export type ConnectMcp = (wanted: McpToConnect) => Promise<McpConnection | McpNotConnected>;

export interface McpToConnect {
  readonly name: string;
  /** The server, with its variables filled in. */
  readonly server: McpServer;
  /** For a server that is started: its folder, its whole environment, and the mark of its processes. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mark: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

export interface McpNotConnected {
  readonly kind: "not_connected";
  /** Reason, without the server's name. */
  readonly message: string;
}

export interface McpConnection {
  readonly kind: "connected";
  readonly tools: readonly McpTool[];
  readonly call: (asked: McpCall) => Promise<McpResult>;
  /** Ends the session, and the server if it was started for it. */
  readonly close: () => Promise<void>;
}

/** A tool as the server describes it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly schema: JsonObject;
}

export interface McpCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** `failed`: there is no result, because of an error of the protocol, a time-out, or a server that has ended. */
export type McpResult =
  | {
      readonly kind: "result";
      readonly content: readonly JsonObject[];
      readonly isError: boolean;
    }
  | { readonly kind: "failed"; readonly message: string };
