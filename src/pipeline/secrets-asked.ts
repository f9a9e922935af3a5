import { Refusal } from "../domain/refusal.ts";
import { readManifest } from "./prepare.ts";
import { secretNames } from "./secret-names.ts";
import type { Tools } from "./tools.ts";

/** The variables that a suite's candidates and judges are given, sorted; none where its manifest can't be read. */
export async function secretsAsked(manifest: string, tools: Tools): Promise<readonly string[]> {
  try {
    const { keys, variables } = secretNames((await readManifest(manifest, tools)).suite);
    return [...new Set([...keys, ...variables])].toSorted();
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}
