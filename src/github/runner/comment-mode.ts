import type { CommentSection } from "../../model/comment.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Verdict } from "../../model/outcomes/verdict.ts";

/** When the pull request gets a comment. */
export type CommentMode = "always" | "changes" | "failures" | "never";

export const commentModes = ["changes", "always", "failures", "never"] as const;

const bad: ReadonlySet<Verdict> = new Set(["fail", "error", "inconclusive"]);

/**
 * True if a suite's section is written. An existing section is kept up to date, and a red one is resolved. If only
 * failures are reported, a section that is already green is left unchanged.
 */
export function isTold(
  mode: CommentMode,
  existing: Pick<CommentSection, "verdict"> | undefined,
  now: { readonly verdict: Verdict; readonly changed: boolean },
): boolean {
  switch (mode) {
    case "never":
      return false;
    case "always":
      return true;
    case "changes":
      return existing !== undefined || now.changed;
    case "failures":
      return bad.has(now.verdict) || (existing !== undefined && bad.has(existing.verdict));
  }
}

/** True if a run differs from its baseline, or was judged in a way that a reviewer should see. */
export function hasChanged({ gate, cases, policy }: Run): boolean {
  const moved = gate.rules.some(
    ({ broke, fixed, outcome, level }) =>
      (broke ?? 0) + (fixed ?? 0) > 0 || (outcome !== "met" && level !== "info"),
  );
  const { new: added, missing, renamed, failed, invalid, ungraded, otherwise = 0 } = cases;
  const odd = added + missing + renamed + failed + invalid + ungraded + otherwise > 0;
  return moved || odd || (policy?.changed.length ?? 0) > 0 || (policy?.recorded.length ?? 0) > 0;
}
