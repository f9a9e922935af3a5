import type { RuleLevel, PublishContent } from "../domain/suite.ts";
import type { RuleResult, Run } from "../domain/run.ts";
import { fit, type Block } from "./budget.ts";
import { brokenBlock, fixedBlock, textsBlock } from "./case-blocks.ts";
import type { BrokenCase } from "./cases.ts";
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
import { diagnosesBlock } from "./diagnoses.ts";
import { codeSpan } from "./escape.ts";
import { heads } from "./head.ts";
import { named, renderedOnce, said, table } from "./layout.ts";
import { policyBlock } from "./policy.ts";
import { reachBlock } from "./reach-block.ts";
import { ruleWords } from "./rule-words.ts";

/** What a summary is made of. */
export interface SummaryInput {
  readonly run: Run;
  /** `ids`: no text of a case is shown. `failures`: that of broken cases, shortened. `full`: the same, longer. */
  readonly content: PublishContent;
  /** The texts of the cases that `run.gate` names as broken, as far as they are known. */
  readonly broken?: readonly BrokenCase[];
  readonly errors?: readonly ErrorGroup[];
  readonly directories?: Directories;
  /** UTF-8 bytes. Default: what one step of a GitHub job may write, less a margin. */
  readonly limitBytes?: number;
}

/** GitHub drops a step's whole summary where it is over 1 MiB (1,048,576 bytes). */
export const summaryLimitBytes = 1_000_000;

/** `summary.md`: the verdict first, the gate and the broken cases next, all else folded. Never over the limit. */
export function renderSummary(input: SummaryInput): string {
  const { run, content, broken = [], errors = [] } = input;
  const blocks = [
    gateBlock(run),
    policyBlock(run),
    diagnosesBlock(run, content),
    reachBlock(run),
    brokenBlock(run, { content, broken }),
    textsBlock(run, { content, broken }),
    fixedBlock(run),
    metricsBlock(run),
    slicesBlock(run),
    ledgerBlock(run),
    errorsBlock(errors, content),
    baselineBlock(run),
    commandsBlock(run, input.directories),
    environmentBlock(run),
  ];
  return fit(heads(run), blocks, input.limitBytes ?? summaryLimitBytes);
}

const heading = [
  "Gate",
  "Metric",
  "Baseline",
  "This run",
  "Difference",
  "Cases",
  "Rule",
  "Outcome",
];

function gateBlock(run: Run): Block {
  const rules = run.gate.rules.toSorted((a, b) => weight(a) - weight(b));
  const rows = renderedOnce(rules, (rule) => gateRow(run, rule));
  return {
    name: "rules",
    rank: 1,
    rows: rules.length,
    render: (shown) => (shown === 0 ? "" : table(heading, "llrrrrll", rows(shown))),
  };
}

function gateRow(run: Run, rule: RuleResult): readonly string[] {
  const words = ruleWords(run, rule);
  const value = said(words.value);
  return [
    words.level,
    named(words.name),
    said(words.baseline),
    rule.outcome === "missed" ? `**${value}**` : value,
    words.interval === "" ? said(words.delta) : `${said(words.delta)}<br>${said(words.interval)}`,
    words.cases,
    `${codeSpan(words.key)} ${said(words.limit)}`,
    `${words.mark} ${said(words.outcome)}`,
  ];
}

const levelWeights: Readonly<Record<RuleLevel, number>> = { block: 0, warn: 10, info: 20 };
const outcomeWeights: Readonly<Record<RuleResult["outcome"], number>> = {
  missed: 0,
  inconclusive: 1,
  unmeasured: 3,
  met: 4,
};

/** Blocking rules first, and what went wrong first among them. */
function weight(rule: RuleResult): number {
  const grey = rule.code === "drop_not_proven" ? 2 : undefined;
  return levelWeights[rule.level] + (grey ?? outcomeWeights[rule.outcome]);
}
