import { slug } from "./suites.ts";

/** A suite's compact scores, which later runs are compared with. */
export function scoresArtifactName(suite: string): string {
  return `regrade-${slug(suite)}-scores`;
}

/** A mark that a run had these inputs: found by its name alone. */
export function inputsArtifactName(suite: string, inputHash: string): string {
  return `regrade-${slug(suite)}-inputs-${inputHash.slice(-64, -48)}`;
}
