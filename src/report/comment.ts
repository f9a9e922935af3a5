import type { Circumstances, NoRun } from "../model/circumstances.ts";
import { commentLimitBytes, cut, type CommentSection } from "../model/comment.ts";
import { failingBlock } from "./already.ts";
import { fit, grouped, type Block, type Budgeted } from "./budget.ts";
import { brokenBlock, fixedBlock, textsBlock } from "./case-blocks.ts";
import {
  baselineBlock,
  environmentBlock,
  errorsBlock,
  ledgerBlock,
  metricsBlock,
  slicesBlock,
} from "./detail-blocks.ts";
import { diagnosesBlock } from "./diagnoses.ts";
import { headlineOf, opening, shortest, type Headline } from "./headline.ts";
import { gateBlock } from "./gate-block.ts";
import { baselineLine, factsLine, footer } from "./head.ts";
import { details, dressed } from "./layout.ts";
import type { SummaryInput } from "./markdown.ts";
import { faceOfNoRun, problemsBlock, verdictOfNoRun } from "./no-run.ts";
import { policyBlock, policyLines, policyMatters } from "./policy.ts";
import { reachBlock } from "./detectable-block.ts";
import { showLine } from "./show-line.ts";

/** What a comment's section, or a check, is made of: a run with its texts, or why there is none. */
export type CommentView =
  | (Pick<SummaryInput, "run" | "content" | "broken" | "errors" | "beforeGone"> & {
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

/** What a view's verdict counts as. */
export function verdictOfView(view: CommentView): CommentSection["verdict"] {
  return view.kind === "run" ? view.run.gate.verdict : verdictOfNoRun(view.reason);
}

/** The markdown of a section, in at most so many bytes: the verdict first, what broke next, all else on a click. */
export function renderSection(view: CommentView): (roomBytes: number) => string {
  const face = faceOfView(view);
  const text: Budgeted = {
    heads: [opening(face, { lines: true }), opening(face, { lines: false }), shortest(face)],
    blocks: view.kind === "run" ? runBlocks(view) : noRunBlocks(view.reason),
    tail: footer(view.circumstances),
    elsewhere: "the job summary and the artifact",
    separator: cut,
  };
  return (roomBytes) => fit(text, roomBytes).trimEnd();
}

/** The beginning of a view's report. */
export function faceOfView(view: CommentView): Headline {
  return view.kind === "run"
    ? headlineOf(view.run, view.circumstances)
    : faceOfNoRun(view.suite, view.reason, view.circumstances);
}

/** Rows of broken cases that are in sight; all others are on a click. */
const brokenInSight = 5;

function runBlocks(view: Extract<CommentView, { kind: "run" }>): readonly Block[] {
  const { run, content, broken = [], errors = [], beforeGone, circumstances } = view;
  return [
    gateBlock(run, circumstances),
    brokenBlock(run, { content, broken, open: brokenInSight }),
    ...(policyMatters(run) ? [policyBlock(run)] : []),
    diagnosesBlock(run, content),
    reachBlock(run),
    provenanceBlock(view),
    textsBlock(run, { content, broken, beforeGone }),
    fixedBlock(run),
    failingBlock(run, circumstances),
    errorsBlock(errors, content),
    grouped(figures, [
      metricsBlock(run),
      ledgerBlock(run),
      baselineBlock(run),
      environmentBlock(run),
      slicesBlock(run),
    ]),
  ];
}

const figures = {
  name: "rows of further figures",
  rank: 12,
  wrap: (body: string): string =>
    details("All figures, the case ledger, cost and environment", body),
};

export function noRunBlocks(reason: NoRun): readonly Block[] {
  return reason.kind === "refused" ? [problemsBlock(reason.problems)] : [];
}

/** The counts, the baseline and the command: what makes the figures above believable. */
export function provenanceBlock({
  run,
  circumstances,
}: Extract<CommentView, { kind: "run" }>): Block {
  const policy = policyMatters(run) ? [] : policyLines(run).map(dressed);
  const origin = [baselineLine(run, circumstances), ...policy].join("<br>");
  const lines = [factsLine(run), origin, ...showLine(run, circumstances)];
  return {
    name: "counts",
    rank: 0,
    rows: 1,
    render: (rows) => (rows === 0 ? "" : lines.join("\n\n")),
  };
}
