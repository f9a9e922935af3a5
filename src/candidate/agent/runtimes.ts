import type { AgentRuntime, EventFormat } from "../../model/agent.ts";
import { claudeRuntime } from "./claude.ts";
import { readClaude } from "./read-claude.ts";
import { readRegrade } from "./read-regrade.ts";
import type { EventReader, Runtime } from "./runtime.ts";

/** The agent programs that can be started. */
export const runtimes: Readonly<Partial<Record<AgentRuntime, Runtime>>> = {
  "claude-code": claudeRuntime,
};

/** Who reads which events. */
export const readers: Readonly<Partial<Record<EventFormat, EventReader>>> = {
  claude: readClaude,
  regrade: readRegrade,
};
