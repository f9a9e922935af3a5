import { isDeepStrictEqual } from "node:util";
import type { AgentSpec } from "../../model/agent.ts";
import type { PolicyChange } from "../../model/policy.ts";
import type { CandidateSpec } from "../../model/suite.ts";
import type { Tools } from "../../tools.ts";
import { counterpartOf } from "./compose.ts";

/** Agents whose terms the change alters: their workspace, and their required calls. */
export async function agentChanges(
  base: readonly CandidateSpec[],
  head: readonly CandidateSpec[],
  { hashGlobs }: Pick<Tools["candidateTools"], "hashGlobs">,
): Promise<readonly PolicyChange[]> {
  const changes: PolicyChange[] = [];
  for (const each of head) {
    const before = counterpartOf(each, base, head);
    if (each.kind !== "agent" || before?.kind !== "agent") continue;
    if (!isDeepStrictEqual(before.require, each.require)) changes.push(aChange(each, "require"));
    const [one, other] = await Promise.all([filesOf(before, hashGlobs), filesOf(each, hashGlobs)]);
    if (!isDeepStrictEqual(one, other)) changes.push(aChange(each, "workspace"));
  }
  return changes;
}

function aChange({ id }: AgentSpec, key: string): PolicyChange {
  const note = `\`${key}\` of the agent \`${id}\` differs`;
  return { part: "candidates", task: null, effect: "changed", note };
}

async function filesOf(
  { workspace: { folder, files } }: AgentSpec,
  hashGlobs: Tools["candidateTools"]["hashGlobs"],
): Promise<unknown> {
  if (folder === undefined) return { files };
  const { absolute } = folder;
  const content = await hashGlobs(["**"], { directory: absolute, root: absolute });
  return { files, content: content.files };
}
