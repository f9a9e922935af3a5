import { findAffected } from "../../suite/selection/affected.ts";
import type { BaseTree } from "../../model/outcomes/policy.ts";
import type { Tools } from "../../tools.ts";
import type { StepEnd } from "./ends.ts";
import type { Step } from "./step.ts";

export interface AffectedContext {
  readonly changedOnly: boolean;
  /** The base's tree; undefined: there is nothing to compare with, and every suite is run. */
  readonly tree: BaseTree | undefined;
}

/** Tells of a suite whether the change touches it. */
export type LookUp = (manifest: string, tree: BaseTree) => ReturnType<typeof findAffected>;

/**
 * Looks which suites the change touches. All are looked at before the first one is run: its program could put the files of
 * another back as the base has them.
 */
export async function lookAtAll(
  manifests: readonly string[],
  { changedOnly, tree }: AffectedContext,
  tools: Tools,
): Promise<LookUp> {
  const lookUp = lookUpBy(tools);
  const looked = new Map<string, ReturnType<LookUp>>();
  for (const manifest of changedOnly ? manifests : []) {
    if (tree === undefined) break;
    const looking = lookUp(manifest, tree);
    looked.set(manifest, looking);
    // A failure is thrown when the suite's turn comes.
    await looking.catch(() => undefined);
  }
  return (manifest, base) => looked.get(manifest) ?? lookUp(manifest, base);
}

/** Looks when it is asked, for a step that runs no program. */
export function lookUpBy(tools: Tools): LookUp {
  return (manifest, tree) => findAffected(manifest, tree, tools);
}

/** The end of a suite that the change does not touch, if such suites are skipped; undefined if it must be run. */
export async function leaveAlone(
  manifest: string,
  { changedOnly, tree }: AffectedContext,
  { lookUp, log }: { readonly lookUp: LookUp; readonly log: Step["log"] },
): Promise<StepEnd | undefined> {
  if (!changedOnly) return undefined;
  if (tree === undefined) {
    log.info("changed-only: there is no base to compare with, and every suite is run.");
    return undefined;
  }
  const found = await lookUp(manifest, tree);
  if (found.kind === "affected") {
    log.info(`changed-only: run, as ${found.because}.`);
    return undefined;
  }
  const base = (tree.sha ?? tree.source).slice(0, 12);
  log.info(`changed-only: not affected: nothing that the suite depends on differs from ${base}.`);
  const reason = { kind: "not_affected", base: tree.sha ?? tree.source } as const;
  return { kind: "not_run", manifest, suite: found.suite, reason };
}
