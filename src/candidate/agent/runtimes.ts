import type { AgentRuntime, EventFormat } from "../../model/models/agent.ts";
import { claudeRuntime } from "./claude.ts";
import { codexRuntime } from "./codex.ts";
import { copilotRuntime } from "./copilot.ts";
import { geminiRuntime } from "./gemini.ts";
import { readClaude } from "./read-claude.ts";
import { readCodex } from "./read-codex.ts";
import { readCopilot } from "./read-copilot.ts";
import { readGemini } from "./read-gemini.ts";
import { readRegrade } from "./read-regrade.ts";
import type { EventReader, Runtime } from "./runtime.ts";

/** The agent programs that can be started. */
export const runtimes: Readonly<Record<AgentRuntime, Runtime>> = {
  "claude-code": claudeRuntime,
  codex: codexRuntime,
  copilot: copilotRuntime,
  gemini: geminiRuntime,
};

/** Reader of each event format. */
export const readers: Readonly<Record<EventFormat, EventReader>> = {
  claude: readClaude,
  codex: readCodex,
  copilot: readCopilot,
  gemini: readGemini,
  regrade: readRegrade,
};
