import { findAffected } from "../../suite/affected.ts";
import type { BaseTree } from "../../model/policy.ts";
import type { Tools } from "../../tools.ts";
import type { StepEnd } from "./ends.ts";
import type { Step } from "./step.ts";

interface AffectedContext {
  readonly changedOnly: boolean;
  /** The base's tree; undefined: there is nothing to compare with, and every suite is run. */
  readonly tree: BaseTree | undefined;
}

/** The end of a suite that the change does not touch, if such suites are skipped; undefined if it must be run. */
export async function leaveAlone(
  manifest: string,
  { changedOnly, tree }: AffectedContext,
  { tools, log }: { readonly tools: Tools; readonly log: Step["log"] },
): Promise<StepEnd | undefined> {
  if (!changedOnly) return undefined;
  if (tree === undefined) {
    log.info("changed-only: there is no base to compare with, and every suite is run.");
    return undefined;
  }
  const found = await findAffected(manifest, tree, tools);
  if (found.kind === "affected") {
    log.info(`changed-only: run, as ${found.because}.`);
    return undefined;
  }
  const base = (tree.sha ?? tree.source).slice(0, 12);
  log.info(`changed-only: not affected: nothing that the suite depends on differs from ${base}.`);
  const reason = { kind: "not_affected", base: tree.sha ?? tree.source } as const;
  return { kind: "not_run", manifest, suite: found.suite, reason };
}
