import type { Circumstances, NoRun } from "../model/circumstances.ts";
import { commentLimitBytes, cut, type CommentSection } from "../model/comment.ts";
import { fit, type Block, type Budgeted } from "./markdown/budget.ts";
import { footer } from "./head.ts";
import { headlineOf, opening, shortest, type Headline } from "./headline.ts";
import type { ShownRun } from "./markdown/markdown.ts";
import { headlineOfNoRun, problemsBlock, verdictOfNoRun } from "./no-run.ts";
import { folded, storyOf } from "./markdown/story.ts";

/** Content of a comment's section, or of a check: a run with its texts, or the reason why there is none. */
export type CommentView =
  | (ShownRun & {
      readonly kind: "run";
      readonly circumstances: Circumstances;
    })
  | {
      readonly kind: "no_run";
      readonly suite: string;
      readonly reason: NoRun;
      readonly circumstances: Circumstances;
    };

/** A suite's section, ready for `formatComment`. */
export function commentSection(view: CommentView, roomBytes = commentLimitBytes): CommentSection {
  const { runId, attempt, sha } = view.circumstances;
  return {
    suite: view.kind === "run" ? view.run.suite.name : view.suite,
    runId,
    attempt,
    sha,
    verdict: verdictOfView(view),
    body: renderSection(view)(roomBytes),
  };
}

/** Verdict of a view. */
export function verdictOfView(view: CommentView): CommentSection["verdict"] {
  return view.kind === "run" ? view.run.gate.verdict : verdictOfNoRun(view.reason);
}

/** The markdown of a section within a number of bytes: the verdict first, then the broken cases; the rest is folded. */
export function renderSection(view: CommentView): (roomBytes: number) => string {
  const headline = headlineOfView(view);
  const text: Budgeted = {
    heads: [
      opening(headline, { lines: true }),
      opening(headline, { lines: false }),
      shortest(headline),
    ],
    blocks: view.kind === "run" ? runBlocks(view) : noRunBlocks(view.reason),
    tail: footer(view.circumstances),
    elsewhere: "the job summary and the artifact",
    separator: cut,
  };
  return (roomBytes) => fit(text, roomBytes).trimEnd();
}

/** The headline of a view. */
export function headlineOfView(view: CommentView): Headline {
  return view.kind === "run"
    ? headlineOf(view.run, view.circumstances)
    : headlineOfNoRun(view.suite, view.reason, view.circumstances);
}

function runBlocks(view: Extract<CommentView, { kind: "run" }>): readonly Block[] {
  const { inSight, further, after } = storyOf(view);
  return [...inSight, ...folded(view.run, view, further), ...after];
}

/** The blocks below the headline of a suite that was not run: the problems, if it was refused. */
export function noRunBlocks(reason: NoRun): readonly Block[] {
  return reason.kind === "refused" ? [problemsBlock(reason.problems)] : [];
}
