import type { BrokenCase } from "../../model/outcomes/broken.ts";
import type { Circumstances } from "../../model/circumstances.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { PublishContent } from "../../model/definition/suite.ts";
import { fit } from "./budget.ts";
import { comparisonBlock } from "./comparison.ts";
import { confusionBlock } from "./confusion-block.ts";
import { commandsBlock, type Directories, type ErrorGroup } from "./detail-blocks.ts";
import { footer, heads } from "../head.ts";
import { folded, storyOf } from "./story.ts";

/** A run, with those texts of its cases that a report may show. */
export interface ShownRun {
  readonly run: Run;
  /** `ids`: no text of a case is shown. `failures`: texts of broken cases, shortened. `full`: the same texts, longer. */
  readonly content: PublishContent;
  /** The known texts of the cases that `run.gate` names as broken. */
  readonly broken?: readonly BrokenCase[];
  readonly errors?: readonly ErrorGroup[];
  /** Why the baseline's outputs are unknown, if they were looked for: a clause. */
  readonly beforeGone?: string;
}

/** Content of a summary. */
interface SummaryInput extends ShownRun {
  readonly directories?: Directories;
  readonly circumstances?: Circumstances;
  /** Limit in UTF-8 bytes. Default: GitHub's limit for one step of a job, with a margin. */
  readonly limitBytes?: number;
}

/** GitHub drops a step's whole summary if it is over 1 MiB (1,048,576 bytes). */
const markdownLimitBytes = 1_000_000;

/** `summary.md`: the verdict first, then why cases broke; everything else is folded. Never over the limit. */
export function renderSummary(input: SummaryInput): string {
  const { run, content, circumstances } = input;
  const { inSight, further, after } = storyOf(input);
  const more = [...further, confusionBlock(run, content), commandsBlock(run, input.directories)];
  const text = {
    heads: heads(run, circumstances),
    blocks: [...inSight, comparisonBlock(run), ...folded(run, input, more), ...after],
    ...(circumstances && { tail: footer(circumstances) }),
    elsewhere: circumstances === undefined ? "the run directory" : "the artifact",
  };
  return fit(text, input.limitBytes ?? markdownLimitBytes);
}
