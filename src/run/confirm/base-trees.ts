import type { BaseTree } from "../../model/outcomes/policy.ts";
import { Refusal } from "../../model/refusal.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { openBaseSuite, readBaseSuite, type BaseSuite } from "../rerun/base-suite.ts";
import type { Tools } from "../../tools.ts";
import { createPrepare } from "./base-side.ts";
import { cannot, type Obstacle } from "./rounds.ts";
import type { Resolved } from "../../suite/read-manifest.ts";

/** The base's files, which are checked out on the first request. */
export interface BaseTrees {
  /** The suite at the baseline's commit, or at the policy's commit if that is not available. */
  readonly open: () => Promise<PreparedBase | Obstacle>;
  /** The suite as the policy's tree has it, read only; undefined without one. */
  readonly policySuite: () => Promise<Resolved | undefined>;
  readonly close: () => Promise<void>;
}

interface PreparedBase extends BaseSuite {
  /** Runs a candidate's setup in the checkout, only once; returns the reason if it fails. */
  readonly prepare: (spec: CandidateSpec) => Promise<string | undefined>;
}

interface Sources {
  readonly manifest: string;
  readonly baseline: Run;
  readonly policyFrom: BaseTree | undefined;
}

/** Trees are opened on request. */
export function createBaseTrees(sources: Sources, tools: Tools): BaseTrees {
  const { manifest, policyFrom } = sources;
  let opening: Promise<PreparedBase | Obstacle> | undefined;
  let reading: Promise<Resolved | undefined> | undefined;
  return {
    open: () => {
      opening ??= openFirst(sources, tools);
      return opening;
    },
    policySuite: () => {
      reading ??=
        policyFrom === undefined
          ? Promise.resolve(undefined)
          : readBaseSuite(manifest, { ...policyFrom, candidatesMayLack: true }, tools);
      return reading;
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      if (opened !== undefined && "close" in opened) await opened.close();
    },
  };
}

/** Prefers the commit that the baseline was made from; if it is not available, opens the current base. */
async function openFirst(sources: Sources, tools: Tools): Promise<PreparedBase | Obstacle> {
  const { manifest, policyFrom } = sources;
  const { sha } = sources.baseline.git;
  const commit = await openCommit(sha, tools);
  const tree = commit ?? (policyFrom && (await policyFrom.checkOutAgain()));
  if (tree === undefined) {
    return cannot(
      "no_tree",
      sha === null
        ? "the baseline does not say of which commit it is; `--policy-from` names one"
        : `the baseline's commit ${sha.slice(0, 12)} is not in this checkout; fetch it, or name the base with \`--policy-from\``,
    );
  }
  const found = await openBaseSuite(manifest, { ...tree, candidatesMayLack: true }, tools);
  if (found === undefined)
    return cannot("no_tree", `${tree.sha?.slice(0, 12) ?? tree.source} does not have this suite`);
  return { ...found, prepare: createPrepare(found, tools) };
}

/** undefined if the value is not a commit, or can't be fetched. */
async function openCommit(sha: string | null, tools: Tools): Promise<BaseTree | undefined> {
  // The value comes from a file that may be a stranger's: accept hashes only, no folder names.
  if (sha === null || !/^[0-9a-f]{40,64}$/.test(sha)) return undefined;
  try {
    return await tools.openCommit(sha);
  } catch (error) {
    if (error instanceof Refusal && !tools.signal.aborted) return undefined;
    throw error;
  }
}
