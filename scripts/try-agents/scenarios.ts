import type { AgentRuntime, AgentSpec, McpServer } from "../../src/model/models/agent.ts";
import type { Asked, Step } from "./model.ts";

/** An agent's prompt, the model's behaviour, and the expected result. */
export interface Scenario {
  readonly name: string;
  /** A word in the prompt by which the model recognizes the scenario. */
  readonly word: string;
  readonly says: (asked: Asked) => Step;
  readonly more?: Partial<AgentSpec>;
  /** The outcome, as `kind` or `kind type`. */
  readonly wanted:
    | string
    | (Readonly<Partial<Record<AgentRuntime, string>>> & { readonly others: string });
}

const done: Step = { kind: "text", text: "load calls parse" };
const dead: McpServer = {
  type: "stdio",
  command: ["python3", "-c", "raise SystemExit(3)"],
  env: {},
};
const away: McpServer = { type: "http", url: "http://127.0.0.1:9/mcp", headers: {} };

function callOf({ tools, results }: Asked, name: string): Step {
  const tool = tools.find((each) => each.endsWith("callers"));
  if (results > 0 || tool === undefined) return done;
  return { kind: "call", tool, arguments: { name } };
}

function skillOf({ tools, results }: Asked): Step {
  if (results > 0) return done;
  if (tools.includes("Skill"))
    return { kind: "call", tool: "Skill", arguments: { skill: "callers" } };
  if (tools.includes("skill"))
    return { kind: "call", tool: "skill", arguments: { skill: "callers" } };
  if (tools.includes("activate_skill"))
    return { kind: "call", tool: "activate_skill", arguments: { name: "callers" } };
  return done;
}

/** Calls the tool for ever. */
function loop({ tools }: Asked): Step {
  const tool = tools.find((each) => each.endsWith("callers"));
  return tool === undefined ? done : { kind: "call", tool, arguments: { name: "parse" } };
}

export const scenarios: readonly Scenario[] = [
  {
    name: "answer",
    word: "GREET",
    says: () => done,
    more: { mcp_servers: {}, tools: [] },
    wanted: "answered",
  },
  { name: "tool", word: "LOOKUP", says: (asked) => callOf(asked, "parse"), wanted: "answered" },
  {
    name: "tool-error",
    word: "MISTAKEN",
    says: (asked) => callOf(asked, "nothing"),
    wanted: "answered",
  },
  {
    name: "skill",
    word: "SKILLED",
    says: skillOf,
    more: { tools: "all", mcp_servers: {} },
    wanted: "answered",
  },
  {
    name: "401",
    word: "DENIED",
    says: () => ({ kind: "status", status: 401 }),
    wanted: "halted agent_refused",
  },
  {
    name: "429",
    word: "BUSY",
    says: () => ({ kind: "status", status: 429 }),
    wanted: "unavailable rate_limited",
  },
  {
    name: "500",
    word: "BROKEN",
    says: () => ({ kind: "status", status: 500 }),
    wanted: "unavailable provider",
  },
  {
    name: "turn-limit",
    word: "FOREVER",
    says: loop,
    more: { max_turns: 3 },
    wanted: "failed max_turns",
  },
  {
    name: "server-away",
    word: "AWAY",
    says: (asked) => callOf(asked, "parse"),
    more: { mcp_servers: { graph: away }, require: { tool_use: "mcp" } },
    wanted: "unavailable mcp_not_used",
  },
  {
    name: "server-dying",
    word: "DYING",
    says: (asked) => callOf(asked, "parse"),
    more: { mcp_servers: { graph: dead }, require: { tool_use: "mcp" } },
    wanted: "unavailable mcp_not_used",
  },
];
