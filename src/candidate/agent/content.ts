import type { AgentSpec } from "../../model/models/agent.ts";
import type { JsonObject } from "../../model/json.ts";
import type { CandidateTools } from "../open.ts";
import type { inputsProblems } from "../program.ts";

/**
 * Hashes of an agent's starting folder and skills, by the paths that the agent sees, so that they do not depend on
 * where a folder lies.
 */
export async function contentOf(
  { workspace, skills }: AgentSpec,
  tools: CandidateTools,
): Promise<{
  readonly files: JsonObject;
  readonly problems: Parameters<typeof inputsProblems>[0];
}> {
  const folders = [...(workspace.folder === undefined ? [] : [workspace.folder]), ...skills];
  const found = await Promise.all(
    folders.map(async ({ path, absolute }) => {
      const hashed = await tools.hashGlobs(["**"], { directory: absolute, root: absolute });
      return Object.assign({ path }, hashed);
    }),
  );
  const files = Object.fromEntries(found.map(({ path, files: hashes }) => [path, hashes]));
  const outside = found.flatMap((each) => each.outside.map((path) => `${each.path}/${path}`));
  const unnamed = found.flatMap((each) => each.unnamed.map((path) => `${each.path}/${path}`));
  return { files, problems: { unmatched: [], outside, unnamed } };
}
