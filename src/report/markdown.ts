import type { Circumstances } from "../model/circumstances.ts";
import type { Run } from "../model/run.ts";
import type { PublishContent } from "../model/suite.ts";
import { failingBlock } from "./already.ts";
import { fit } from "./budget.ts";
import { brokenBlock, fixedBlock, textsBlock } from "./case-blocks.ts";
import type { BrokenCase } from "../model/broken.ts";
import { comparisonBlock } from "./comparison.ts";
import {
  baselineBlock,
  commandsBlock,
  environmentBlock,
  errorsBlock,
  ledgerBlock,
  metricsBlock,
  slicesBlock,
  type Directories,
  type ErrorGroup,
} from "./detail-blocks.ts";
import { confusionBlock } from "./confusion-block.ts";
import { diagnosesBlock } from "./diagnoses.ts";
import { gateBlock } from "./gate-block.ts";
import { footer, heads } from "./head.ts";
import { policyBlock } from "./policy.ts";
import { reachBlock } from "./detectable-block.ts";

/** What a summary is made of. */
export interface SummaryInput {
  readonly run: Run;
  /** `ids`: no text of a case is shown. `failures`: that of broken cases, shortened. `full`: the same, longer. */
  readonly content: PublishContent;
  /** The texts of the cases that `run.gate` names as broken, as far as they are known. */
  readonly broken?: readonly BrokenCase[];
  readonly errors?: readonly ErrorGroup[];
  /** Why the outputs before are not known, where they were looked for: a clause. */
  readonly beforeGone?: string;
  readonly directories?: Directories;
  readonly circumstances?: Circumstances;
  /** UTF-8 bytes. Default: what one step of a GitHub job may write, less a margin. */
  readonly limitBytes?: number;
}

/** GitHub drops a step's whole summary where it is over 1 MiB (1,048,576 bytes). */
const markdownLimitBytes = 1_000_000;

/** `summary.md`: the verdict first, the gate and the broken cases next, all else folded. Never over the limit. */
export function renderSummary(input: SummaryInput): string {
  const { run, content, broken = [], errors = [], beforeGone, circumstances } = input;
  const blocks = [
    gateBlock(run, circumstances),
    comparisonBlock(run),
    policyBlock(run),
    diagnosesBlock(run, content),
    reachBlock(run),
    brokenBlock(run, { content, broken }),
    textsBlock(run, { content, broken, beforeGone }),
    fixedBlock(run),
    failingBlock(run, circumstances),
    metricsBlock(run),
    slicesBlock(run),
    confusionBlock(run, content),
    ledgerBlock(run),
    errorsBlock(errors, content),
    baselineBlock(run),
    commandsBlock(run, input.directories),
    environmentBlock(run),
  ];
  const text = {
    heads: heads(run, circumstances),
    blocks,
    ...(circumstances && { tail: footer(circumstances) }),
    elsewhere: circumstances === undefined ? "the run directory" : "the artifact",
  };
  return fit(text, input.limitBytes ?? markdownLimitBytes);
}
