import type { Circumstances } from "../../model/circumstances.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { failingBlock } from "./already.ts";
import type { Block } from "./budget.ts";
import { beyondBlock, brokenBlock, fixedBlock } from "./case-blocks.ts";
import { textsBlock } from "./case-texts.ts";
import {
  baselineBlock,
  environmentBlock,
  ledgerBlock,
  metricsBlock,
  metricsInSight,
  slicesBlock,
} from "./detail-blocks.ts";
import { reachBlock } from "./detectable-block.ts";
import { errorsBlock } from "./errors-block.ts";
import { diagnosesBlock } from "./diagnoses.ts";
import { codeSpan, htmlCode, link } from "../escape.ts";
import { changedGroups, failingGroups } from "../cases.ts";
import { gateBlock } from "./gate-block.ts";
import { beyondGroupsBlock, examplesBlock, groupsBlock, type BrokenTexts } from "./group-blocks.ts";
import { baselineLine, factsLine } from "../head.ts";
import { acceptLine, headlineOf } from "../headline.ts";
import { judgesBlock, voidJudgesBlock } from "./judges-block.ts";
import { toMarkdown } from "./layout.ts";
import type { ShownRun } from "./markdown.ts";
import { judgedBlock, judgingLines, policyBlock, policyMatters } from "../policy.ts";
import { beyondAddress, brokenAddress } from "./report-links.ts";
import { quoteWord } from "../shell-word.ts";
import { confirmLines } from "../words/confirmation.ts";
import { countBeyond, decidingLimits } from "../words/beyond-cases.ts";
import { quoted } from "../words/sentences.ts";
import { costWords, count, counted, duration } from "../words/figures.ts";
import { asExplained } from "../words/relaxed.ts";
import { worseCases } from "../words/worse-cases.ts";

/** Blocks of a run's report: visible ones, and folded ones. */
interface Story {
  readonly inSight: readonly Block[];
  readonly further: readonly Block[];
  /** Blocks below the fold: advice, and the sources of the comparison. */
  readonly after: readonly Block[];
}

type StoryInput = ShownRun & { readonly circumstances?: Circumstances };

/** The parts of a run's report, the same for the comment, the check and the summary. */
export function storyOf(input: StoryInput): Story {
  const { run, content, broken = [], errors = [], beforeGone, circumstances } = input;
  const texts = { content, broken, beforeGone, circumstances };
  const { isQuiet } = headlineOf(run, circumstances);
  const isUnsure = run.gate.verdict === "error" || run.gate.verdict === "inconclusive";
  // If a loss was found, rules that would not have found it are not worth mentioning.
  const isReachTold = !isQuiet && run.gate.verdict !== "fail";
  const wentWrong = errorsBlock(errors, content);
  return {
    inSight: [
      ...(isQuiet ? [] : loudBlocks(run, texts)),
      ...(isUnsure ? [wentWrong] : []),
      ...(policyMatters(run) ? [policyBlock(run)] : []),
      judgedBlock(run),
      diagnosesBlock(run, content),
      voidJudgesBlock(run),
      ...(isReachTold ? [reachBlock(run)] : []),
    ],
    further: [
      ...(isReachTold ? [] : [reachBlock(run)]),
      gateBlock(run, circumstances),
      countsBlock(run),
      brokenBlock(run, texts),
      textsBlock(run, texts),
      beyondBlock(run, texts),
      fixedBlock(run),
      failingBlock(run, circumstances),
      ...(isUnsure ? [] : [wentWrong]),
      judgesBlock(run),
      metricsBlock(run),
      slicesBlock(run),
      ledgerBlock(run),
      baselineBlock(run),
      environmentBlock(run),
    ],
    after: [acceptBlock(run, circumstances), originBlock(run, circumstances)],
  };
}

/** Blocks of a verdict that needs attention. */
function loudBlocks(run: Run, texts: BrokenTexts): readonly Block[] {
  return [
    linksBlock(run, texts.circumstances),
    groupsBlock(run, texts),
    beyondGroupsBlock(run, texts),
    examplesBlock(run, texts),
    showBlock(run, texts),
    metricsInSight(run),
  ];
}

/** Folded blocks, and the title of the fold. */
export function folded(run: Run, input: StoryInput, blocks: readonly Block[]): readonly Block[] {
  const fold = { summary: foldWords(run, input.circumstances) };
  return blocks.map((block) => ({ ...block, fold }));
}

/** HTML: `2 rules pass · 21 cases failing already on main · 6 cases fixed · none missing · $3.57, 6 min 12 s`. */
function foldWords(run: Run, circumstances: Circumstances | undefined): string {
  const { cases, usage, timing, gate } = run;
  const passing = gate.rules.filter(({ outcome }) => outcome === "met").length;
  const failing = failingGroups(run).reduce((sum, { total }) => sum + total, 0);
  const branch = circumstances?.baseBranch;
  const where = branch === undefined ? "in the baseline" : `on ${htmlCode(branch.slice(0, 80))}`;
  const cost = costWords(usage).replaceAll("$", "&#36;");
  return [
    ...(passing === 0 ? [] : [`${counted(passing, "rule")} ${passing === 1 ? "passes" : "pass"}`]),
    ...(failing === 0 ? [] : [`${counted(failing, "case")} failing already ${where}`]),
    ...missingWords(run),
    ...countLine(cases.invalid, "invalid"),
    ...countLine(cases.failed, "failed"),
    ...countLine(cases.ungraded, "ungraded"),
    `${cost}, ${duration(timing.seconds)}`,
  ].join(" · ");
}

function missingWords({ baseline, cases }: Run): readonly string[] {
  if (baseline === null) return [];
  return [cases.missing === 0 ? "none missing" : `${count(cases.missing)} missing`];
}

function countLine(value: number, word: string): readonly string[] {
  return value === 0 ? [] : [`${count(value)} ${word}`];
}

function single(of: Pick<Block, "name" | "rank">, lines: readonly string[]): Block {
  const text = lines.join("\n\n");
  return { ...of, rows: text === "" ? 0 : 1, render: (rows) => (rows === 0 ? "" : text) };
}

function countsBlock(run: Run): Block {
  return single({ name: "counts", rank: 1 }, [factsLine(run)]);
}

/** The command that shows a case; left out if a report shows each case. */
function showBlock(run: Run, { circumstances }: BrokenTexts): Block {
  const isKnown = circumstances !== undefined && circumstances.reportUrl === undefined;
  return single({ name: "the command", rank: 1 }, isKnown ? showLine(run, circumstances) : []);
}

function acceptBlock(run: Run, circumstances: Circumstances | undefined): Block {
  const line = acceptLine(run, circumstances);
  return single({ name: "the label", rank: 1 }, line === undefined ? [] : [toMarkdown(line)]);
}

/** The baseline and the deciding rules, in small print. */
function originBlock(run: Run, circumstances: Circumstances | undefined): Block {
  const policy = policyMatters(run) ? [] : judgingLines(run).map(toMarkdown);
  const again = run.confirmation
    ? confirmLines(run.confirmation).map((line) => toMarkdown(quoted(line)))
    : [];
  const lines = [baselineLine(run, circumstances), ...again, ...policy];
  return single({ name: "the baseline", rank: 0 }, [`<sub>${lines.join("<br>")}</sub>`]);
}

/** Links to the run's page; empty if there is no page. */
function linksBlock(run: Run, circumstances: Circumstances | undefined): Block {
  const { reportUrl, runUrl } = circumstances ?? {};
  const explained = asExplained(run);
  const { total } = worseCases(explained);
  const beyond = countBeyond(decidingLimits(explained));
  const that = beyond === 0 ? "" : " that broke";
  const links = [
    ...(reportUrl === undefined ? [] : [`**${link("Open the report", reportUrl)}**`]),
    ...(total === 0 ? [] : [link(`${those(total)}${that}`, brokenAddress(circumstances))]),
    ...(beyond === 0
      ? []
      : [link(`${those(beyond)} beyond the limit`, beyondAddress(circumstances))]),
    ...(runUrl === undefined ? [] : [link("job log", runUrl)]),
  ];
  const isShown = reportUrl !== undefined;
  return {
    name: "links",
    rank: 1,
    rows: isShown ? 1 : 0,
    render: (rows) => (rows === 0 ? "" : links.join(" · ")),
  };
}

/** The command that shows the first broken case locally; nothing if none broke. */
function showLine(run: Run, { runId, severalSuites }: Circumstances): readonly string[] {
  const [broken] = changedGroups(run, "broke").flatMap(({ cases }) => cases);
  const [beyond] = decidingLimits(run).flatMap((rule) => rule.beyond.cases);
  const id = (broken ?? beyond)?.case_id;
  if (id === undefined) return [];
  const word = `${id.startsWith("-") ? "-- " : ""}${quoteWord(id)}`;
  const suite = severalSuites === true ? `--suite ${quoteWord(run.suite.name)} ` : "";
  return [`Look into a case: ${codeSpan(`regrade show ${suite}${runId} ${word}`)}`];
}

function those(cases: number): string {
  return cases === 1 ? "the case" : `the ${counted(cases, "case")}`;
}
