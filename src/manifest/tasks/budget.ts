import { at, isPresent, keyPlaceOf, type Part } from "../../base/part.ts";
import type { AgentSpec } from "../../model/models/agent.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { asksModels } from "../../model/definition/graders.ts";
import { problem } from "../../model/refusal.ts";
import type { Suite } from "../../model/definition/suite.ts";
import type { ManifestContext } from "../context.ts";

/**
 * Warns of a limit that can't end the run, because Regrade does not learn what the candidates spend: dollars of an agent
 * that reports none; and any limit where programs and apps are all that spends.
 */
export function warnBlindBudget(
  root: Part,
  { tasks, candidates }: Pick<Suite, "tasks" | "candidates">,
  context: ManifestContext,
): void {
  const budget = at(at(root, "run"), "budget");
  const isJudged = tasks.some(({ grader }) => asksModels(grader));
  for (const unit of ["usd", "tokens"] as const) {
    const part = at(budget, unit);
    const blind = candidates.filter((each) => isBlind(each, unit));
    const isAll = blind.length === candidates.length && !isJudged;
    const named = isAll ? blind : blind.filter(({ kind }) => kind === "agent");
    if (!isPresent(part) || named.length === 0) continue;
    const found = { unit, candidates: named.map(({ id }) => id) };
    context.warn(problem("budget_blind", found, keyPlaceOf(part)));
  }
}

function isBlind(candidate: CandidateSpec, unit: "usd" | "tokens"): boolean {
  switch (candidate.kind) {
    case "command":
    case "http":
      return true;
    case "agent":
      return unit === "usd" && !tellsDollars(candidate);
    case "model":
    case "worker":
    case "replay":
    case "answer":
      return false;
  }
}

/** As docs/agents.md says: of the agents that Regrade knows, Claude Code alone reports dollars. */
function tellsDollars({ program }: AgentSpec): boolean {
  switch (program.kind) {
    case "runtime":
      return program.runtime === "claude-code";
    case "command":
      return program.events === "claude" || program.events === "regrade";
    case "model":
      return true;
  }
}
