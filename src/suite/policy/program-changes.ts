import { isDeepStrictEqual } from "node:util";
import type { AgentSpec } from "../../model/models/agent.ts";
import type { PolicyChange } from "../../model/outcomes/policy.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import type { Tools } from "../../tools.ts";
import { counterpartOf, isProgram, keepFences } from "./compose.ts";

/** Reports programs whose terms the change alters: their sandbox and, for agents, their workspace and required calls. */
export async function programChanges(
  base: readonly CandidateSpec[],
  head: readonly CandidateSpec[],
  { hashGlobs }: Tools["candidateTools"],
): Promise<readonly PolicyChange[]> {
  const changes: PolicyChange[] = [];
  const fenced = keepFences(base, head);
  for (const [i, each] of head.entries()) {
    const kept = fenced[i];
    if (!isProgram(each) || kept === undefined || isDeepStrictEqual(each, kept)) continue;
    changes.push(aChange(each, "fence"));
  }
  for (const each of head) {
    const before = counterpartOf(each, base, head);
    if (each.kind !== "agent" || before?.kind !== "agent") continue;
    if (!isDeepStrictEqual(before.require, each.require)) changes.push(aChange(each, "require"));
    const [one, other] = await Promise.all([filesOf(before, hashGlobs), filesOf(each, hashGlobs)]);
    if (!isDeepStrictEqual(one, other)) changes.push(aChange(each, "workspace"));
  }
  return changes;
}

function aChange({ id, kind }: CandidateSpec, key: string): PolicyChange {
  const note = `\`${key}\` of the ${kind} \`${id}\` differs`;
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
