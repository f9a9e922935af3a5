import type { CheckOutput } from "../model/check.ts";
import type { Circumstances } from "../model/circumstances.ts";
import { annotationsOf } from "./annotations.ts";
import { fit, type Block } from "./markdown/budget.ts";
import { headlineOfView, noRunBlocks, type CommentView } from "./comment.ts";
import { clip, escapeLogLine } from "./escape.ts";
import { footer } from "./head.ts";
import { opening, shortest, type Headline } from "./headline.ts";
import { storyOf } from "./markdown/story.ts";

/**
 * Limit in UTF-8 bytes of a check's summary, and of its text: GitHub allows 65,535 characters of each, and a text never
 * has more characters than bytes. The limit leaves room for what redaction adds.
 */
const checkLimitBytes = 65_000;

const longestTitle = 140;
const longestBranch = 40;

/** A check run's texts: the verdict, the gate and the broken cases in the summary, everything else in the text below it. */
export function renderCheck(view: CommentView, limitBytes = checkLimitBytes): CheckOutput {
  const headline = headlineOfView(view);
  const heads = [
    opening(headline, { lines: true }),
    opening(headline, { lines: false }),
    shortest(headline),
  ];
  const [shown, further] = view.kind === "run" ? runBlocks(view) : [noRunBlocks(view.reason), []];
  const summary = { heads, blocks: shown, tail: footer(view.circumstances), elsewhere };
  return {
    title: titleOf(headline, view.circumstances),
    summary: fit(summary, limitBytes).trimEnd(),
    text: fit({ heads: [""], blocks: further, elsewhere }, limitBytes).trim(),
    annotations: annotationsOf(view),
  };
}

const elsewhere = "the job summary and the artifact";

function runBlocks(
  view: Extract<CommentView, { kind: "run" }>,
): readonly [readonly Block[], readonly Block[]] {
  const { inSight, further, after } = storyOf(view);
  return [[...inSight, ...after], further];
}

/** The title, as one plain line: GitHub shows it beside the check's name. */
function titleOf({ title, sentence }: Headline, { judgedAgainst: base }: Circumstances): string {
  const words = sentence.map((piece) => piece.text).join("");
  // A pull request that is pointed at another base keeps its commit, and with it this check.
  const against = base === undefined ? "" : `, against ${clip(base, longestBranch)}`;
  const whole = clip(`${title}${against}: ${words}`, longestTitle);
  return escapeLogLine(whole).slice(0, 2 * longestTitle);
}
