import type { LinesEnd } from "../../model/ports/processes.ts";
import { lastWords } from "../program.ts";
import type { AgentOutcome, ReportedEnd, ReportedFailure } from "./runtime.ts";

/** How the process ended, what the agent reported, and its limits. */
interface AgentEnding {
  readonly end: LinesEnd;
  readonly reported: ReportedEnd;
  /** True for a program of the user's own, which writes the events of docs/agents.md. */
  readonly isOwn: boolean;
  readonly maxTurns: number | undefined;
  readonly timeoutSeconds: number;
}

/**
 * Outcome of a run. The agent's own report of its end takes precedence over its exit code, because most agents end a
 * failed run with code 1.
 */
export function outcomeOfRun({
  end,
  reported,
  isOwn,
  maxTurns,
  timeoutSeconds,
}: AgentEnding): AgentOutcome {
  switch (end.kind) {
    case "cancelled":
      return { kind: "unavailable", type: "cancelled", message: "the run was stopped" };
    case "not_started":
      return { kind: "unavailable", type: end.type, message: end.message };
    case "timed_out":
      return failedOutcome("timeout", `not done within ${timeoutSeconds} s (timeout_seconds)`);
    case "output_too_large": {
      const limit = end.limitBytes / 1_000_000;
      return failedOutcome("output_too_large", `it wrote more than ${limit} MB of events`);
    }
    case "enough":
      return failedOutcome("max_turns", `not done after ${maxTurns} turns (max_turns)`);
    case "killed":
    case "exited":
      return reportedOutcome(reported) ?? silentOutcome(end, isOwn);
  }
}

function reportedOutcome({ failure, outputText }: ReportedEnd): AgentOutcome | undefined {
  if (failure !== undefined) return outcomeOfFailure(failure);
  return outputText === undefined ? undefined : { kind: "answered", outputText };
}

function silentOutcome(
  end: Extract<LinesEnd, { readonly kind: "exited" | "killed" }>,
  isOwn: boolean,
): AgentOutcome {
  const words = lastWords(end.stderr);
  if (end.kind === "killed") return failedOutcome("signal", `ended by ${end.signal}${words}`);
  if (end.code !== 0) return failedOutcome("exit_code", `exit code ${end.code}${words}`);
  return failedOutcome(
    "no_result",
    `it ended without an answer: its events break off${isOwn ? expectedEnd : ""}${words}`,
  );
}

const expectedEnd =
  ' (write a line {"type": "answer", "output_text": "…"} to standard output, or a message, as docs/agents.md has them)';

/**
 * Outcome of a failure that the agent reported. If the provider refuses the key, the model or the account, the agent
 * can't answer any case, and the run stops. If the provider is busy, down or unreachable, the case is ungraded.
 */
function outcomeOfFailure({ reason, status, message }: ReportedFailure): AgentOutcome {
  switch (reason) {
    case "max_turns":
      return failedOutcome("max_turns", message);
    case "refused":
      return { kind: "refused", type: "refused", message };
    case "error":
      return failedOutcome("agent_error", message);
    case "api":
      return apiOutcome(status, message);
  }
}

const lockedOut = /invalid api key|\/login|credit balance|quota exceeded for|authentication/i;

function apiOutcome(status: number | undefined, message: string): AgentOutcome {
  const words = status === undefined ? message : withStatus(status, message);
  if (status === 401 || status === 403 || status === 404 || lockedOut.test(message))
    return { kind: "halted", type: "agent_refused", message: words };
  if (status === undefined || status === 408 || status === 429 || status >= 500)
    return {
      kind: "unavailable",
      type: status === 429 ? "rate_limited" : "provider",
      message: words,
    };
  return failedOutcome("provider_refused", words);
}

function withStatus(status: number, message: string): string {
  return message.includes(String(status)) ? message : `${status}: ${message}`;
}

function failedOutcome(type: string, message: string): AgentOutcome {
  return { kind: "failed", type, message };
}
