import { styleText } from "node:util";
import type { Run } from "../../model/outcomes/run.ts";
import type { BrokenCase } from "../../model/outcomes/broken.ts";
import { effortWords, isDearer } from "../words/effort.ts";
import type { ErrorGroup } from "../markdown/detail-blocks.ts";
import { clip, escapeLogLine } from "../escape.ts";
import { costWords, count, counted, duration } from "../words/figures.ts";
import { policyLines } from "../policy.ts";
import { confirmLines } from "../words/confirmation.ts";
import { judgeLine, judgesOf, peopleLines, voidLines } from "../words/judges.ts";
import { fenceWords } from "../words/fence.ts";
import { sandboxWords } from "../words/sandbox.ts";
import { quoted, type RichText } from "../words/sentences.ts";
import { caseLines } from "./terminal-cases.ts";
import { statusMarks, type Status } from "../words/titles.ts";
import { verdictWords } from "../words/verdict.ts";
import { ruleTable, candidateTable, type Style, type Paint } from "./terminal-tables.ts";

/** Content of a run's final output in a terminal. */
export interface TerminalInput {
  readonly run: Run;
  /** Texts of the cases that broke. */
  readonly broken?: readonly BrokenCase[];
  /** Samples that ended in an error, by kind. */
  readonly errors?: readonly ErrorGroup[];
  /** Path of the run directory, as the user would type it. */
  readonly directory: string;
  readonly colour: boolean;
  /** Columns of the terminal. The terminal wraps lines of prose; the table is fitted. */
  readonly width: number;
}

const toneStyles: Readonly<Record<Status, Style>> = {
  pass: "green",
  grey: "gray",
  accepted: "magenta",
  relaxed: "magenta",
  fail: "red",
  inconclusive: "yellow",
  error: "yellow",
  neutral: "blue",
  ungated: "blue",
  cancelled: "yellow",
};

/** The verdict, the broken cases with the reasons, a line per rule, the counts, and where to read on. */
export function renderTerminal(input: TerminalInput): string {
  const { run } = input;
  const paint: Paint = input.colour
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_, text) => text;
  const words = verdictWords(run);
  const style = toneStyles[words.tone];
  const first = `${statusMarks[words.tone]} ${clip(run.suite.name, 80)}: ${words.title}`;
  const parts = [
    [
      paint(style, paint("bold", escapeLogLine(first))),
      `  ${toTerminal(words.sentence)}`,
      ...words.lines.map((line) => `  ${toTerminal(line)}`),
    ].join("\n"),
    caseLines(input).join("\n"),
    ruleTable(input, paint),
    candidateTable(input, paint),
    policyLines(run)
      .filter((line) => line.length > 0)
      .map((line, i) => `${i === 0 ? "policy    " : "          "}${toTerminal(line)}`)
      .join("\n"),
    [
      countsLine(run),
      ...selectedLines(run),
      ...effortLines(run),
      ...baselineLines(run),
      ...judgeLines(run),
      `sandbox   ${escapeLogLine(sandboxWords(run.sandbox))}`,
      ...fenceLines(run),
      `run       ${escapeLogLine(input.directory)}`,
    ].join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function fenceLines(run: Run): readonly string[] {
  const words = fenceWords(run);
  return words === "" ? [] : [`fence     ${escapeLogLine(words)}`];
}

function toTerminal(words: RichText): string {
  return escapeLogLine(words.map((piece) => clip(piece.text, 600)).join(""));
}

const indent = " ".repeat(10);

/** Lines that a verdict covers only some cases. */
function selectedLines({ suite }: Run): readonly string[] {
  return (suite.not_selected.cases ?? []).map(({ task, selected, of, only }) => {
    const found = `${count(selected)} of ${counted(of, "case")} of ${escapeLogLine(clip(task, 80))}`;
    const use =
      only === undefined
        ? "`--baseline latest` does not take it for more cases"
        : "the run is no baseline";
    return `selected  ${found}: ${use}`;
  });
}

/** Effort per case, unless a line of the verdict already has it. */
function effortLines(run: Run): readonly string[] {
  const words = isDearer(run) ? undefined : effortWords(run);
  return words === undefined ? [] : [`a case    ${escapeLogLine(clip(words, 300))}`];
}

/** Counts of zero are left out, so that the line can be read at a glance. */
function countsLine(run: Run): string {
  const { cases, usage } = run;
  const { declared, scored, invalid, failed, ungraded } = cases;
  const fates = [
    countWords(invalid, "invalid"),
    countWords(failed, "failed"),
    countWords(ungraded, "ungraded"),
  ];
  const unlike = fates.filter((words) => words !== "");
  const graded = [`${count(scored)} scored`, ...unlike].join(", ");
  return [
    scored === declared
      ? `cases     ${count(declared)}, all graded`
      : `cases     ${count(declared)}: ${graded}`,
    ...(run.baseline === null ? [] : [pairWords(cases)]),
    ...(usage.cached === 0 ? [] : [`${counted(usage.cached, "answer")} from the cache`]),
    costWords(usage),
    duration(run.timing.seconds),
  ].join(" · ");
}

function pairWords({ declared, paired, new: added, missing }: Run["cases"]): string {
  const all = paired === declared ? "all" : count(paired);
  const others = [countWords(added, "new"), countWords(missing, "missing")].filter(
    (words) => words !== "",
  );
  return [`${all} compared with the baseline`, ...others].join(", ");
}

function countWords(value: number, word: string): string {
  return value === 0 ? "" : `${count(value)} ${word}`;
}

const judgesShown = 6;

/** Judged metrics together with what people would give. */
function judgeLines(run: Run): readonly string[] {
  const lines = [...voidLines(run), ...judgesOf(run).map(judgeLine), ...peopleLines(run)];
  const more = lines.length - judgesShown;
  const shown = lines
    .slice(0, judgesShown)
    .map((line, i) => `${i === 0 ? "judge     " : indent}${escapeLogLine(clip(line, 400))}`);
  return more > 0 ? [...shown, `${indent}and ${counted(more, "more metric")}`] : shown;
}

/** The baseline, and the result of running proven drops again. */
function baselineLines({ baseline, confirmation }: Run): readonly string[] {
  if (baseline === null) return ["baseline  none"];
  const sha = baseline.sha === null ? "" : `, commit ${escapeLogLine(baseline.sha.slice(0, 12))}`;
  const again = confirmation ? confirmLines(confirmation) : [];
  return [
    `baseline  ${escapeLogLine(clip(baseline.source, 200))}, run ${escapeLogLine(clip(baseline.run_id, 80))}${sha}`,
    ...again.map((line) => `${indent}${toTerminal(quoted(line))}`),
  ];
}
