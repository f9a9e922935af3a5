import type { AgentSpec } from "../../model/models/agent.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";

/** The words of the commands that start a candidate's programs, including an agent's servers. */
export function wordsOf(candidate: CandidateSpec): readonly string[] {
  if ("command" in candidate) return candidate.command;
  if ("worker" in candidate) return candidate.worker;
  return candidate.kind === "agent" ? agentWords(candidate) : [];
}

/** Commands of an agent's program and of its servers. */
function agentWords({ program, mcp_servers: servers }: AgentSpec): readonly string[] {
  const own = program.kind === "command" ? program.command : [];
  const started = Object.values(servers).flatMap((each) =>
    each.type === "stdio" ? each.command : [],
  );
  return [...own, ...started];
}

/**
 * Paths that the words of a command may name: the word itself, the part after `=`, parts of a shell line, and the Python
 * module after `-m`.
 */
export function pathsInWords(command: readonly string[]): ReadonlySet<string> {
  const parts = command.flatMap((word) => word.split(/[\s=:;,|&<>()'"`]+/));
  const modules = parts.flatMap((part, i) => {
    const [first = ""] = part.split(".");
    return parts[i - 1] === "-m" ? [first, `${first}.py`] : [];
  });
  return new Set([...command, ...parts, ...modules].filter((path) => path !== ""));
}
